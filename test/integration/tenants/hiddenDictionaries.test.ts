import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { duckdb } from '../../support/enginesUnderTest.ts';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { failingConditions } from './failingConditions.ts';

// A sealed segment keeps each text of a column once, in a dictionary for all projects. The engine may compute an expression
// for each text of the dictionary instead of each row, although a condition leaves out the rows of other projects.

const now = at('2026-05-01T12:00:00Z');
const [own, other] = ['tenant-own', 'tenant-other'];
/** More than half of what the engine reads at once, or it computes each row. */
const count = 5_000;
const failingTexts = ['(', '[a-', 'x\\', '%Q', '{bad', 'No/Zone', '99999999999999999999', '2026-13-45', '=?='];
const batch = 1_000;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({
    nowMicros: now,
    openEngine: duckdb.openForService,
    settings: { segmentEvents: 2 * count },
  });
  const events = Array.from({ length: 2 * count }, (_, i) => ({
    id: `e-${i}`,
    timestamp: now - i * 1000,
    project: i % 2 === 0 ? own : other,
    event_message: i % 2 === 0 ? '2026' : (failingTexts[i % failingTexts.length] ?? ''),
    metadata: {
      n: i % 2 === 0 ? 5 : -1,
      request: { method: i % 2 === 0 ? '2026' : (failingTexts[i % failingTexts.length] ?? '') },
    },
  }));
  for (let from = 0; from < events.length; from += batch)
    await service.send('edge_logs', events.slice(from, from + batch));
  service.clock.advanceMs(1000);
  await service.send('edge_logs', [{ ...events[0], id: 'last' }]);
});
afterAll(async () => await service.close());

const ask = async (sql: string, project: string) => {
  const { status, body } = await service.call('logs.all', { project, sql }, { method: 'POST' });
  return status === 200 ? body.result : body.code;
};

it('events lie in a sealed segment', async () => {
  await expect.poll(() => service.observations.some(({ kind }) => kind === 'file.sealed')).toBe(true);
});

const others: readonly string[] = [
  "if(event_message = '2026', 1, cast(event_message as int64)) > 0",
  'net.safe_ip_from_string(event_message) is null',
  "(select max(cast(c as int64)) from unnest(split(event_message, '')) as c) > 0",
  "array_length(array(select if(c = '2026', 1, cast(c as int64)) from unnest([event_message]) as c)) = 1",
];

describe("no failure on a text of another tenant's in the dictionary of a segment reaches a caller", () => {
  it.each([...failingConditions, ...others])('%s', async (written) => {
    const condition = written.replaceAll('@', "''");
    for (const text of ['event_message', 'metadata.request.method'])
      for (const sql of [
        `select distinct ${condition} as c from edge_logs`,
        `select count(*) as n from edge_logs where ${condition}`,
      ]) {
        const asked = sql.replaceAll('event_message', text);
        const alone = await ask(asked.replaceAll('edge_logs', `(select * from edge_logs order by id limit 20)`), own);
        const told = await ask(asked, own);
        expect([asked, typeof told]).toEqual([asked, typeof alone]);
      }
  });
});
