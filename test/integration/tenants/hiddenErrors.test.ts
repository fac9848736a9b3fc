import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineUnderTest, onEngine } from '../../support/enginesUnderTest.ts';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { failingConditions as conditions } from './failingConditions.ts';

// Expressions that fail on another tenant's events in ways that the engine does not know of: inside
// lambdas, or in functions that are not marked as ones that can. It may compute them in the scan,
// before the project is compared, and a failure would tell of what those events hold.

const now = at('2026-05-01T12:00:00Z');
/** Sorts before the other one, so that its events are read with a dictionary of the texts of both. */
const own = 'tenant-a';
/** One that is matched on the project column, and one on its metadata: their scans are filtered differently. */
const streams = ['edge_logs', 'realtime_logs'] as const;
/** Fits most of what is asked of a text below. */
const ownText = '2026';
const other = 'tenant-other';
/** Each of them fails somewhere below; the tenant's own events hold none of them. */
const failingTexts = ['(', '[a-', 'x\\', '%Q', '{bad', 'No/Zone', '99999999999999999999', '2026-13-45', '=?='];
const numbers = [0, -1, '9223372036854775807', '-9223372036854775808', '4000000000', '1e999'];

/** Places for a condition, each of which the engine may move into the scan. */
const places: readonly ((condition: string) => string)[] = [
  (condition) => `select count(*) as n from edge_logs where ${condition}`,
  (condition) =>
    `select count(*) as n from edge_logs where length(id) > 2 and (${condition} or id = 'none') and id != ''`,
  (condition) => `select count(*) as n from (select ${condition} as c from edge_logs) where c`,
  (condition) =>
    `select count(*) as n from (select ${condition} as c, count(*) as k from edge_logs group by c) where c`,
  (condition) =>
    `select count(*) as n from edge_logs a left join edge_logs b on a.id = b.id and (${condition.replaceAll(/\b(event_message|metadata|timestamp(?! ')(?!\())\b/g, 'b.$1').replaceAll(/\(id\b/g, '(b.id')})`,
  (condition) =>
    `with q as (select *, ${condition} as c from edge_logs) select count(*) as n from (select id from q where c union all select id from q where not c)`,
];

interface Side {
  readonly service: WholeService;
  readonly tokens: ReadonlyMap<string, string>;
}
let alone: Side;
let shared: Side;

const event = (project: string, i: number, text: string, n: number | string) => ({
  id: `${project}-${i}`,
  timestamp: now - i * 1000,
  project,
  event_message: text,
  metadata: { n, request: { method: text } },
});
const mine = Array.from({ length: 40 }, (_, i) => event(own, i, ownText, 5));
const theirs = (from: number) =>
  Array.from({ length: 5000 }, (_, i) =>
    event(other, from + i, failingTexts[i % failingTexts.length] ?? '', numbers[i % numbers.length] ?? 0),
  );

async function open(batches: readonly (readonly object[])[]): Promise<Side> {
  const service = await startWholeService({ nowMicros: now, settings: { segmentEvents: 5_000 } });
  await service.define({
    id: '00000000-0000-4000-8000-000000000041',
    name: 'by.pattern',
    sandbox: true,
    parameters: { project: { type: 'string', required: true } },
    query: `with ${streams.map(
      (stream) => `${stream} as (
        select t.timestamp, t.id, t.event_message, t.metadata from sources.${stream} as t
        where regexp_contains(t.project, concat('^', @project, '$'))
      )`,
    )} select id from edge_logs`,
  });
  for (const batch of batches) for (const stream of streams) await service.send(stream, batch);
  const tokens = new Map([
    ['a token of every project', await service.makeToken(['query'])],
    ['a token of one project', await service.makeToken(['query'], [own])],
    ['a token of two projects', await service.makeToken(['query'], [own, 'tenant-without-events'])],
  ]);
  service.clock.advanceMs(1000);
  // Begins another segment, if the first is full.
  for (const stream of streams) await service.send(stream, [event(own, mine.length, ownText, 5)]);
  service.clock.advanceMs(1000);
  return { service, tokens };
}

beforeAll(async () => {
  alone = await open([mine]);
  shared = await open([mine, theirs(0)]);
});
afterAll(async () => {
  await alone.service.close();
  await shared.service.close();
});

const ask = async ({ service, tokens }: Side, endpoint: string, token: string, sql: string, project = own) => {
  const headers = { 'x-api-key': tokens.get(token) ?? '' };
  const { status, body } = await service.call(endpoint, { project, sql }, { method: 'POST', headers });
  return status === 200 ? { status, rows: body.result } : { status, code: body.code };
};
/** Every other one reads the text from a member with a column of its own. */
const written = (condition: string, n = 0) =>
  condition
    .replaceAll('@', `'${'l'.repeat(200)}'`)
    .replaceAll('event_message', n % 2 === 0 ? 'event_message' : 'metadata.request.method');

/** What it is answered where there are no events of others: each stream, endpoint and token gives the same. */
const expectedOf = new Map<string, Awaited<ReturnType<typeof ask>>>();
async function expected(sql: string): Promise<Awaited<ReturnType<typeof ask>>> {
  const answer = expectedOf.get(sql) ?? (await ask(alone, 'logs.all', 'a token of every project', sql));
  expectedOf.set(sql, answer);
  return answer;
}

it.runIf(engineUnderTest.name === 'DuckDB')('most events lie in sealed segments', async () => {
  const isSealed = () => shared.service.observations.some(({ kind }) => kind === 'file.sealed');
  await expect.poll(isSealed).toBe(true);
});

describe.each(['logs.all', 'by.pattern'])(
  onEngine("no failure on another tenant's events reaches a caller of %s"),
  (endpoint) => {
    it.each(conditions)('%s', async (condition) => {
      const [everyProject = '', ...restricted] = [...shared.tokens.keys()];
      for (const [n, place] of places.entries()) {
        const sql = place(written(condition, n));
        const told = await expected(sql);
        expect(['undefined', 'sql.data'], `${sql}: ${JSON.stringify(told)}`).toContain(String(told.code));
        for (const [k, stream] of streams.entries()) {
          // One of the restricted tokens, on one of the streams: both change from place to place, in all pairs.
          const oneRestricted = restricted[Math.floor(n / streams.length) % restricted.length] ?? '';
          const tokens = n % streams.length === k ? [everyProject, oneRestricted] : [everyProject];
          const asked = sql.replaceAll('edge_logs', stream);
          for (const token of tokens) {
            expect({ asked, token, ...(await ask(shared, endpoint, token, asked)) }).toEqual({ asked, token, ...told });
          }
        }
      }
    });
  },
);

it(onEngine('most of these conditions hold for the own events and fail on the others'), async () => {
  const token = 'a token of every project';
  let telling = 0;
  for (const condition of conditions) {
    const sql = `select count(*) as n from edge_logs where ${written(condition)}`;
    const mineFails = (await ask(shared, 'logs.all', token, sql)).status !== 200;
    const theirsFails = (await ask(shared, 'logs.all', token, sql, other)).status !== 200;
    if (!mineFails && theirsFails) telling += 1;
  }
  expect(telling).toBeGreaterThan(conditions.length / 2);
});
