import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../src/demo/seededRandom.ts';
import { compileStored } from '../../../src/googlesql/compile.ts';
import type { ParameterValues } from '../../../src/googlesql/resolve/parameterValue.ts';
import { loadServiceEndpoints } from '../../../src/start/serviceEndpoints.ts';
import type { Row } from '../../support/wholeService.ts';
import { UsageStore } from './usageStore.ts';

const endpoint = { id: 'd9a2e433-3286-44d9-a3b2-96b88c809d76', name: 'logs.all', version: 1 };

let store: UsageStore;
beforeAll(async () => {
  store = await UsageStore.open();
});
afterAll(async () => {
  await store.close();
});

/** The rows of `svc.calls` for the last day. */
async function svcCalls(): Promise<readonly Row[]> {
  const definition = loadServiceEndpoints(async () => undefined).find(({ name }) => name === 'svc.calls');
  if (definition?.service === undefined) throw new Error('there is no svc.calls');
  const { query, parameters, service } = definition;
  const absent: ParameterValues = new Map(parameters.map(({ name }) => [name, { kind: 'null' }]));
  const types = new Map(parameters.map(({ name, type }) => [name, type]));
  const { rows } = await store.engine.run(
    {
      query: compileStored(query, { sources: service.sources, parameters: types }),
      parameters: absent,
      projects: null,
      redaction: null,
      nowMicros: store.storage.clock.nowMicros(),
      rowsMax: 1000,
      bytesMax: 2 ** 20,
      profile: 'plain',
    },
    new AbortController().signal,
  );
  return JSON.parse(`[${Buffer.from(rows).toString()}]`) as readonly Row[];
}

/** The ⌈n·k/100⌉-th smallest. */
const quantile = (sorted: readonly number[], percent: number) =>
  sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;

describe('svc.calls', () => {
  it('has exact counts, and quantiles within 2 % of those of the single calls', async () => {
    const random = new SeededRandom('usage');
    const timesOf = new Map<string, number[]>();
    for (let n = 0; n < 6000; n++) {
      const token = ['even', 'odd', 'rare'][n % 100 === 0 ? 2 : n % 2] ?? '';
      const answeredMs = Number(Math.exp(1 + random.next() * 2).toFixed(3));
      timesOf.set(token, [...(timesOf.get(token) ?? []), answeredMs]);
      store.record({ endpoint, token, answeredMs, rowCount: n % 3, bytes: 7 }, n % 10 === 0 ? 503 : 200);
      // In several batches, as over time.
      if (n % 2000 === 1999) {
        await store.usage.flush();
        store.storage.clock.advanceMs(30_000);
      }
    }
    const rows = await svcCalls();
    expect(rows.map(({ token }) => token)).toEqual(['odd', 'even', 'rare']);
    for (const row of rows) {
      const times = (timesOf.get(String(row.token)) ?? []).toSorted((a, b) => a - b);
      expect(row.calls).toBe(times.length);
      expect(row.bytes).toBe(7 * times.length);
      for (const [column, percent] of [
        ['p50_ms', 50],
        ['p95_ms', 95],
        ['p99_ms', 99],
        ['max_ms', 100],
      ] as const) {
        const exact = quantile(times, percent);
        expect(Math.abs(Number(row[column]) - exact) / exact, `${row.token} ${column}`).toBeLessThan(0.021);
      }
    }
    expect(rows.reduce((sum, { errors }) => sum + Number(errors), 0)).toBe(600);
    expect(rows.reduce((sum, { row_count: count }) => sum + Number(count), 0)).toBe(6000);
    expect(store.observations).toEqual([]);
  });
});
