import { DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
import { afterEach, expect, it, vi } from 'vitest';
import { RedactedValues } from '../scripted/redactingFunctions.ts';
import { registerScripted, StatementSteps } from '../scripted/scriptedFunction.ts';
import { RowFrames } from './rowFrames.ts';
import { type Job, Statements } from './statements.ts';

afterEach(() => vi.restoreAllMocks());

const chunkRows = 2048;

const call = {
  mode: 'rows',
  projects: null,
  redactionTag: null,
  cutoff: null,
  rowsMax: 1e9,
  bytesMax: 1e12,
} as const;

/** A job whose frames arrive at once, and `onFrame` when one is sent. */
function streaming(onFrame: (payload: readonly Uint8Array[]) => void): Job {
  const frames: RowFrames = new RowFrames(1, (_rows, payload) => {
    onFrame(payload);
    frames.credit();
  });
  return { isCancelled: false, interrupt: () => {}, frames };
}

const long = `concat(lpad(CAST(i AS VARCHAR), 8, '0'), repeat('x', 300))`;

it.each([
  ['rows', `SELECT encode(concat(${long}, ','))`, false],
  ['columns', `SELECT i, ${long}`, true],
] as const)('each chunk of a stream of %s is freed once it was copied', async (_name, select, hasColumns) => {
  const instance = await DuckDBInstance.create(':memory:');
  const reset = vi.spyOn(DuckDBDataChunk.prototype, 'reset');
  const seen: string[] = [];
  const job = streaming((payload) => {
    for (const [number] of Buffer.concat(payload)
      .toString('latin1')
      .matchAll(/\d{8}(?=x{300})/g))
      seen.push(number);
  });
  const sql = `${select} FROM range(${chunkRows * 5}) AS t(i) ORDER BY i`;
  const { gives } = await new Statements(instance, new RedactedValues(10)).run({ ...call, sql, hasColumns }, job);
  expect(gives.rowCount).toBe(chunkRows * 5);
  expect(seen).toEqual(Array.from({ length: chunkRows * 5 }, (_, i) => String(i).padStart(8, '0')));
  expect(reset).toHaveBeenCalledTimes(5);
  instance.closeSync();
});

it('the first rows of long texts are sent when a few chunks of them are computed', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const steps = new StatementSteps();
  let computed = 0;
  registerScripted(
    connection,
    {
      name: 'counted',
      label: 'counted',
      takes: ['BIGINT'],
      gives: 'BIGINT',
      evaluate: ([i]) => {
        computed++;
        return i as bigint;
      },
    },
    steps,
  );
  const atFirst: number[] = [];
  const job = streaming(() => atFirst.push(computed));
  const sql = `SELECT encode(concat(repeat('x', 300), CAST(counted(i) AS VARCHAR), ',')) FROM range(100000) AS t(i)`;
  await new Statements(instance, new RedactedValues(10), steps).run({ ...call, sql }, job);
  expect(computed).toBe(100_000);
  expect(atFirst[0]).toBeLessThanOrEqual(8 * chunkRows);
  connection.closeSync();
  instance.closeSync();
});
