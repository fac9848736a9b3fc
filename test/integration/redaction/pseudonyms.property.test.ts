import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { type Answer, startWholeService, type WholeService } from '../../support/wholeService.ts';
import { eventsWith, secretSets } from './undoing.ts';

const [ours, theirs] = secretSets;
const nowMicros = Date.UTC(2026, 5, 1, 12) * 1000;
const asked = { headers: { 'SVC-ENDPOINT-REDACT-PII': 'true' } };
const pseudonyms = (text: string): readonly string[] => text.match(/\[[a-z][a-z0-9_]*:[0-9a-f]{6}\]/g) ?? [];

/** What a caller guesses: of this project, of another one that the call does not read, of nobody. */
const guesses = [ours, theirs].flatMap(({ ips, email, name, key }) => [...ips, email, name, key]);
const nobodys = ['nobody@example.net', '192.0.2.99', '2001:db8::99', 'sb_secret_ffffffffffffffffffffffffffffffff'];
const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;

/** Texts that a caller makes of what he guesses, in ways that hide it from whoever looks at the text of the query. */
const text: fc.Arbitrary<string> = fc.letrec<{ text: string }>((tie) => {
  const inner = tie('text');
  const literal = fc.constantFrom(...guesses, ...nobodys).chain((guess) =>
    fc.oneof(
      fc.constant(quoted(guess)),
      fc
        .integer({ min: 1, max: Math.max(1, guess.length - 1) })
        .map((at) => `concat(${quoted(guess.slice(0, at))}, ${quoted(guess.slice(at))})`),
      fc.constant(`reverse(${quoted(Array.from(guess).reverse().join(''))})`),
      fc.constant(`cast(from_base64('${Buffer.from(guess).toString('base64')}') as string)`),
      fc.constant(quoted(JSON.stringify({ email: guess, deep: [guess] }))),
      fc.constant(`'user ${guess} said'`),
      fc.constant(`json_value('{"user_email": "${guess}"}', '$.user_email')`),
      fc.constant(`to_json_string(json_object('email', ${quoted(guess)}))`),
      fc.constant(`(select x from unnest([${quoted(guess)}]) as x)`),
      fc.constant(`(select any_value(x.email) from unnest([struct(${quoted(guess)} as email)]) as x)`),
    ),
  );
  return {
    text: fc.oneof(
      { maxDepth: 3 },
      literal,
      inner.map((each) => `coalesce(null, ${each})`),
      inner.map((each) => `if(true, ${each}, 'x')`),
      inner.map((each) => `format('%s', ${each})`),
      inner.map((each) => `array_to_string([${each}], '')`),
      inner.map((each) => `replace(${each}, '~', '-')`),
      inner.map((each) => `string_agg(${each}) over ()`),
      inner.map((each) => `lower(${each})`),
      fc.tuple(inner, inner).map(([a, b]) => `concat(${a}, ' ', ${b})`),
      inner.map((each) => `concat(event_message, ' ', ${each})`),
    ),
  };
}).text;

const value = text.chain((each) =>
  fc.constantFrom(
    each,
    `[${each}]`,
    `struct(${each} as user_email)`,
    `json_object('x_real_ip', ${each})`,
    `parse_json(to_json_string(${each}))`,
  ),
);
const name = fc.constantFrom('a', 'email', 'x_real_ip', 'event_message', 'authorization');
interface Asked {
  readonly sql: string;
  /** Whether a text of an event stands in the rows. */
  readonly showsEvents: boolean;
}
const readsEvents = (expression: string) => expression.includes('event_message');
const query: fc.Arbitrary<Asked> = fc.oneof(
  fc.tuple(value, name).map(([each, as]) => ({
    sql: `select ${each} as ${as} from edge_logs`,
    showsEvents: readsEvents(each),
  })),
  fc.tuple(value, name).map(([each, as]) => ({
    sql: `select ${each} as ${as}, count(*) as n from edge_logs group by event_message`,
    showsEvents: readsEvents(each),
  })),
  fc.tuple(text, name).map(([each, as]) => ({
    sql: `with w as (select event_message as m, ${each} as ${as} from edge_logs) select ${as} from w union all select ${each}`,
    showsEvents: readsEvents(each),
  })),
  fc.tuple(text, name).map(([each, as]) => ({
    sql: `select event_message as ${as} from edge_logs union all select x from (select ${each} as x from edge_logs)`,
    showsEvents: true,
  })),
  text.map((each) => ({
    sql: `select countif(event_message = ${each}) as n from edge_logs group by event_message`,
    showsEvents: false,
  })),
  fc.constantFrom(...guesses).map((each) => ({
    sql: `select m.request.headers.x_real_ip as a, m.request.headers.x_real_ip = '${each}' as b from edge_logs cross join unnest(metadata) as m`,
    showsEvents: true,
  })),
);

let service: WholeService;
/** Every pseudonym of the events that calls may read. */
let known: ReadonlySet<string>;
const call = (sql: string): Promise<Answer> => service.call('logs.all', { project: 'p', sql }, asked);
beforeAll(async () => {
  service = await startWholeService({ nowMicros, settings: { redactKey: 'a key of this test, not a short one' } });
  const events = (project: string, secrets: typeof ours) =>
    eventsWith(secrets).map((each, i) => ({
      ...each,
      project,
      id: `${project}${i}`,
      timestamp: (nowMicros - 1e6) / 1000,
    }));
  await service.send('edge_logs', [...events('p', ours), ...events('q', theirs)]);
  known = new Set(pseudonyms((await call('select id, event_message, metadata from edge_logs')).text));
});
afterAll(() => service.close());

describe(onEngine('pseudonyms'), () => {
  it('are there, and stand for stored values', () => {
    expect(known.size).toBeGreaterThan(5);
  });

  it('of what a caller writes are in no answer, however it is written', { timeout: 300_000 }, async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(query, async ({ sql, showsEvents }) => {
        const answer = await call(sql);
        if (answer.status === 200) answered += 1;
        const shown = pseudonyms(answer.text);
        expect(shown.filter((each) => !known.has(each))).toEqual([]);
        // Without a text of an event there is nothing that a pseudonym could tell but that a guess is right.
        if (!showsEvents) expect(shown).toEqual([]);
      }),
      { numRuns: 120, seed: 20_260_601 },
    );
    expect(answered).toBeGreaterThan(90);
  });

  it.each([
    `select * from edge_logs where event_message = 'from ${ours.ips[0]} by ${ours.email}'`,
    `select cast('${ours.email}' as int64) as n from edge_logs`,
    `select error('${ours.email}') as n from edge_logs`,
    `select date '${ours.email}'`,
    `select parse_timestamp('%Y', '${ours.ips[0]}') as n from edge_logs`,
  ])('are in no error and no row for a guess: %s', async (sql) => {
    expect(pseudonyms((await call(sql)).text)).toEqual([]);
  });

  it('of a parameter that a stored query shows are in no answer, also where it makes a text of several', async () => {
    await service.define({
      id: '0ee00000-0000-4000-8000-0000000000aa',
      name: 'echo.all',
      query: `with given as (select @user as user_part, concat(@user, '@', @domain) as address),
        both as (select g.address as address, t.event_message as message, g.user_part from sources.edge_logs as t cross join given as g where t.project = @project)
        select address, message, user_part as email, [address] as list, struct(address as inner_one) as s, coalesce(address, message) as either, (select max(address) from given) as sub from both`,
      parameters: {
        project: { type: 'string', required: true },
        user: { type: 'string' },
        domain: { type: 'string' },
      },
    });
    const [user = '', domain = ''] = ours.email.split('@');
    const answer = await service.call('echo.all', { project: 'p', user, domain }, asked);
    expect(answer.status).toBe(200);
    for (const { message, ...given } of answer.body.result) {
      expect(pseudonyms(JSON.stringify(given))).toEqual([]);
      expect(JSON.stringify(given)).not.toContain(ours.email);
      if (String(message).includes('by')) expect(pseudonyms(String(message))).toHaveLength(2);
    }
  });
});
