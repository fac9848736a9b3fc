import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AbuseReport, abuse, expectedOutcomes } from '../../support/abuse.ts';
import { at } from '../../support/instants.ts';
import { patience } from '../../support/patience.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
const queryTimeoutMs = 2000;
/** A query that does not stop is killed with its process two seconds later; five seconds after that all is well. */
const recoveryMsMax = 2000 + 5000;

let service: WholeService;
let report: AbuseReport;
beforeAll(async () => {
  service = await startWholeService({
    nowMicros: now,
    settings: { queryTimeoutMs, queryConcurrency: 4, queryQueueMax: 64, resultBytesMax: '8MiB', memory: '256MiB' },
  });
  await service.send(
    'edge_logs',
    Array.from({ length: 1000 }, (_, i) => ({
      id: `event-${i}`,
      timestamp: now - i,
      event_message: `${'x'.repeat(200)}${i}`,
      project: 'own',
    })),
  );
  const heavyTokens = await Promise.all(Array.from({ length: 4 }, () => service.makeToken(['query'])));
  report = await abuse(
    {
      url: service.url,
      heavyTokens,
      lightToken: await service.makeToken(['query']),
      observeToken: service.adminToken,
      project: 'own',
    },
    { clients: 40, durationMs: 10_000, seed: 1 },
  );
});
afterAll(() => service.close());

it('answers abuse with nothing but rows and documented refusals', () => {
  const undocumented = Object.keys(report.outcomes).filter((key) => !expectedOutcomes.has(key.split(': ')[1] ?? ''));
  expect({ undocumented, all: report.outcomes }).toEqual({ undocumented: [], all: report.outcomes });
  // The abuse was some.
  const outcomes = Object.keys(report.outcomes).join();
  expect(outcomes).toContain('504 query.timeout');
  expect(outcomes).toContain(': 200');
});

it('starves no token: the light one gets its places, and is never refused for the others', () => {
  const { meanwhileMs, lightFailures } = report;
  expect(meanwhileMs.length).toBeGreaterThan(lightFailures.length);
  // While the engine is killed and restarted nobody is answered; what waits for it longer than its deadline is ended.
  // Queries share the engine's memory: for the moment that others have all of it, a small one fails as well.
  const excused = ['503 engine.restarting', '504 query.timeout', '504 query.memory'];
  expect(lightFailures.filter((failure) => !excused.includes(failure))).toEqual([]);
  expect(Math.max(...meanwhileMs)).toBeLessThan((queryTimeoutMs + recoveryMsMax) * patience());
});

it('keeps its memory bounded', () => {
  expect(Math.max(...report.memoryBytes)).toBeLessThan(1536 * 2 ** 20);
});

it('answers normally within seconds afterwards, in the same main process', async () => {
  expect(report.recoveredMs).toBeLessThan(recoveryMsMax * patience());
  const running = async () => {
    const response = await fetch(`${service.url}/api/queries`, { headers: { 'x-api-key': service.adminToken } });
    return ((await response.json()) as { readonly queries: readonly unknown[] }).queries;
  };
  await expect.poll(running).toEqual([]);
});
