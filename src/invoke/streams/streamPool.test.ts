import { describe, expect, it } from 'vitest';
import { ManualTimer } from '../../core/timer.ts';
import { MemoryTokenRuns } from '../../stores/memory/memoryTokenRuns.ts';
import { QueryQueue } from '../queryQueue.ts';
import { StreamPool } from './streamPool.ts';

const token = (id: string, concurrencyMax: number | null = null) => ({ id, concurrencyMax });

const open = new AbortController().signal;

function pool(streamsMax = 2) {
  const runs = new MemoryTokenRuns();
  const queue = new QueryQueue({ concurrency: 2, waitingMax: 2, waitMsMax: 1000 }, new ManualTimer(), runs);
  return { runs, queue, streams: new StreamPool({ streamsMax, ofTokenMax: 1 }, runs, queue) };
}

it('gives each token one place, and a place again when its stream has ended', async () => {
  const { streams } = pool();
  const release = await streams.take(token('a'), open);
  await expect(streams.take(token('a'), open)).rejects.toThrow('already reads 1 stream');
  const other = await streams.take(token('b'), open);
  await expect(streams.take(token('c'), open)).rejects.toThrow('already sends 2 streams');
  release();
  release();
  expect(streams.runningCount).toBe(1);
  (await streams.take(token('c'), open))();
  other();
  expect(streams.runningCount).toBe(0);
});

it('keeps a place for others from all tokens for the same projects together', async () => {
  const { streams } = pool();
  const ofTenant = (id: string) => ({ ...token(id), placeOwner: '["p"]' });
  const release = await streams.take(ofTenant('a'), open);
  await expect(streams.take(ofTenant('b'), open)).rejects.toThrow('Tokens for the same projects already read 1 stream');
  const other = await streams.take(token('c'), open);
  other();
  release();
  (await streams.take(ofTenant('b'), open))();
  expect(streams.runningCount).toBe(0);
});

it('counts streams for the concurrency limit of their token', async () => {
  const { streams, runs } = pool();
  const endQuery = runs.begin('a');
  await expect(streams.take(token('a', 1), open)).rejects.toThrow('as many queries as it may (1)');
  endQuery();
  const release = await streams.take(token('a', 1), open);
  expect(runs.mayBegin('a', 1)).toBe(false);
  release();
  expect(runs.mayBegin('a', 1)).toBe(true);
});

it('refuses a tenant that is held back', async () => {
  const { streams, queue } = pool();
  for (let n = 0; n < 10; n++) queue.blame(token('a'));
  await expect(streams.take(token('a'), open)).rejects.toThrow('repeatedly ended the query engine');
});

describe('a stream that nobody reads any more', () => {
  it('keeps its place until the engine has stopped, and others wait for that', async () => {
    const { streams } = pool();
    const [reader, next, impatient] = [new AbortController(), new AbortController(), new AbortController()];
    const release = await streams.take(token('a'), reader.signal);
    await streams.take(token('b'), open);
    reader.abort();
    const taken = [
      streams.take(token('a'), next.signal),
      streams.take(token('c'), open),
      streams.take(token('d'), impatient.signal),
    ];
    impatient.abort(new Error('left'));
    await expect(taken[2]).rejects.toThrow('left');
    expect(streams.runningCount).toBe(2);
    release();
    (await taken[0])?.();
    await expect(taken[1]).rejects.toThrow('already sends 2 streams');
    expect(streams.runningCount).toBe(1);
    await expect(streams.take(token('b'), open)).rejects.toThrow('already reads 1 stream');
  });
});
