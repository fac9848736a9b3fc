import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { eventsWith, secretSets, secretTexts } from './undoing.ts';

const [ours] = secretSets;
const nowMicros = Date.UTC(2026, 5, 1, 12) * 1000;
const asked = { 'SVC-ENDPOINT-REDACT-PII': 'true' };

const address = ours.ips[0] ?? '';
const from = 'from sources.edge_logs as t cross join unnest(t.metadata) as m where t.project = @project';
const project = { type: 'string', required: true };
const s = { type: 'string' };

/** Stored queries whose answer to a right guess differs from that to a wrong one, unless they see redacted events. */
const oracles: readonly (readonly [name: string, query: string, guess: string | undefined, parameters: object])[] = [
  ['contains', `select count(*) as n ${from} and regexp_contains(t.event_message, @s)`, undefined, { s }],
  ['likes', `select count(*) as n ${from} and t.event_message like @s`, `%${address}%`, { s }],
  ['finds', `select count(*) as n ${from} and strpos(t.event_message, @s) > 0`, undefined, { s }],
  ['equals', `select count(*) as n ${from} and m.request.headers.x_real_ip = @s`, undefined, { s }],
  ['among', `select count(*) as n ${from} and m.request.headers.x_real_ip in ('x', @s)`, undefined, { s }],
  ['orders', `select count(*) as n ${from} and m.request.headers.x_real_ip >= @s`, undefined, { s }],
  [
    'tables',
    `with needles as (select @s as needle) select count(*) as n from sources.edge_logs as t, needles where t.project = @project and strpos(t.event_message, needle) > 0`,
    undefined,
    { s },
  ],
  ['replaces', `select countif(replace(t.event_message, @s, '') != t.event_message) as n ${from}`, undefined, { s }],
  [
    'compares-rows',
    `select count(*) as n from (select t.project ${from} group by t.project having count(distinct case when t.id = 'a' then m.request.headers.x_real_ip when t.id = 'b' then @s end) = 1)`,
    undefined,
    { s },
  ],
  ['counts', `select count(*) as n ${from} and length(t.event_message) > @s`, '20', { s: { type: 'int64' } }],
  [
    'chooses',
    // In capitals: a text may write the name of a parameter in any case.
    `select count(*) as n ${from} and substr(m.request.headers.x_real_ip, (select v from unnest(generate_array(1, 30)) as v where v = @S), 1) = '${address[0]}'`,
    '1',
    { s: { type: 'int64' } },
  ],
  [
    'picks',
    // Called as a column that may be compared with anything.
    `select count(*) as n ${from} and substr(m.request.headers.x_real_ip, (select timestamp from unnest(generate_array(1, 30)) as timestamp where timestamp = @s), 1) = '${address[0]}'`,
    '1',
    { s: { type: 'int64' } },
  ],
  [
    'mentions',
    // Senders choose ids, so that one can be the guess.
    `select count(*) as n from sources.edge_logs as t join sources.function_logs as f on strpos(t.event_message, f.id) > 0 where t.project = @project and f.project = @project and f.id = @s`,
    undefined,
    { s },
  ],
  ['reads', `select json_value(t.metadata, @s) as n ${from} order by t.timestamp limit 1`, '$.user_email', { s }],
];

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService({ nowMicros });
  await service.send(
    'edge_logs',
    eventsWith(ours).map((event, i) => ({
      ...event,
      project: 'p',
      timestamp: new Date(nowMicros / 1000 - 60_000 + i * 1000).toISOString(),
    })),
  );
  await service.send('function_logs', [{ id: address, project: 'p', timestamp: nowMicros - 1_000_000 }]);
  for (const [i, [name, query, , parameters]] of oracles.entries()) {
    await service.define({
      id: `00000000-0000-4000-8000-0000000001${String(i).padStart(2, '0')}`,
      name,
      query,
      parameters: { project, ...parameters },
    });
  }
  await service.define({
    id: '00000000-0000-4000-8000-000000000201',
    name: 'chosen',
    cache_seconds: 60,
    query: `select count(*) as n ${from} and (@s is null or m.request.headers.x_real_ip = @s) and (@kind != 'known' or t.event_message like '%${address}%')`,
    parameters: { project, s, kind: { type: 'enum', allowed: ['known', 'any'], default: 'any' } },
  });
  await service.define({
    id: '00000000-0000-4000-8000-000000000202',
    name: 'listed.path',
    query: `select json_value(t.metadata, @path) as n, json_query(t.metadata, @place) as place ${from} order by t.timestamp limit 1`,
    parameters: {
      project,
      path: { type: 'enum', allowed: ['$.user_email', '$.request.method'], default: '$.user_email' },
      place: { type: 'string', allowed: ['$.request.cf', '$.request.method'] },
    },
  });
});

afterAll(async () => {
  await service.close();
});

const ask = async (name: string, parameters: object, headers: Readonly<Record<string, string>>) => {
  const answer = await service.call(name, { project: 'p', ...parameters }, { headers });
  expect([name, answer.status, answer.body.detail]).toEqual([name, 200, undefined]);
  return answer;
};

describe(onEngine('a parameter that looks at texts of events'), () => {
  it.each(oracles)('finds in redacted events nothing that they hide: %s', async (name, _, guess = address) => {
    const raw = await ask(name, { s: guess }, {});
    expect(raw.body.result[0]?.n).toBeTruthy();
    const wrong = name === 'counts' ? '100000' : name === 'reads' ? '$.nothing' : guess.replaceAll(/\d/g, '9');
    const [right, missed] = [await ask(name, { s: guess }, asked), await ask(name, { s: wrong }, asked)];
    for (const secret of secretTexts(ours)) expect(right.text).not.toContain(secret);
    // Lengths of redacted texts may be known; values of personal members are marks.
    if (name === 'counts') expect(right.body.result[0]?.n).toBe(5);
    else if (name === 'reads') expect(right.body.result[0]?.n).toBe('[REDACTED:email]');
    else expect([name, right.body.result]).toEqual([name, missed.body.result]);
  });

  it('lets a query see events as they are while it is absent, or may say only what the definition lists', async () => {
    const count = async (parameters: object) => (await ask('chosen', parameters, asked)).body.result[0]?.n;
    const known = (await ask('chosen', { kind: 'known' }, {})).body.result[0]?.n;
    expect(known).toBeGreaterThan(0);
    expect(await count({})).toBe(5);
    expect(await count({ kind: 'known' })).toBe(known);
    expect(await count({ kind: 'known', s: address })).toBe(0);
  });

  it('chooses no personal member that is shown, where the definition lists the paths that it may be', async () => {
    const shown = async (parameters: object, headers = {}) =>
      (await ask('listed.path', parameters, headers)).body.result[0] ?? {};
    expect((await shown({ place: '$.request.cf' })).n).toBe(ours.name);
    const { n, place } = await shown({ place: '$.request.cf' }, asked);
    expect([n, JSON.stringify(place)]).toEqual([
      '[REDACTED:email]',
      '{"latitude":"[REDACTED:location]","longitude":null,"postalCode":"[REDACTED:location]","asn":1234}',
    ]);
    expect((await shown({ path: '$.request.method' }, asked)).n).toBe('GET');
  });

  it('keeps results of redacted events apart from those of others', async () => {
    const of = async (headers: Readonly<Record<string, string>>) =>
      (await ask('chosen', { s: address }, headers)).body.result[0]?.n;
    const raw = await of({});
    expect(raw).toBeGreaterThan(0);
    expect(await of(asked)).toBe(0);
    expect(await of({})).toBe(raw);
  });
});
