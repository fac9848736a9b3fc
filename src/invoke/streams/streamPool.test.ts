import { expect, it } from 'vitest';
import { ManualTimer } from '../../core/timer.ts';
import { MemoryTokenRuns } from '../../stores/memory/memoryTokenRuns.ts';
import { QueryQueue } from '../queryQueue.ts';
import { StreamPool } from './streamPool.ts';

const token = (id: string, concurrencyMax: number | null = null) => ({ id, concurrencyMax });

function pool(streamsMax = 2) {
  const runs = new MemoryTokenRuns();
  const queue = new QueryQueue({ concurrency: 2, waitingMax: 2, waitMsMax: 1000 }, new ManualTimer(), runs);
  return { runs, queue, streams: new StreamPool({ streamsMax, ofTokenMax: 1 }, runs, queue) };
}

it('gives each token one place, and a place again when its stream has ended', () => {
  const { streams } = pool();
  const release = streams.take(token('a'));
  expect(() => streams.take(token('a'))).toThrow('already reads 1 stream');
  const other = streams.take(token('b'));
  expect(() => streams.take(token('c'))).toThrow('already sends 2 streams');
  release();
  release();
  expect(streams.runningCount).toBe(1);
  streams.take(token('c'))();
  other();
  expect(streams.runningCount).toBe(0);
});

it('keeps a place for others from all tokens for the same projects together', () => {
  const { streams } = pool();
  const ofTenant = (id: string) => ({ ...token(id), placeOwner: '["p"]' });
  const release = streams.take(ofTenant('a'));
  expect(() => streams.take(ofTenant('b'))).toThrow('Tokens for the same projects already read 1 stream');
  const other = streams.take(token('c'));
  other();
  release();
  streams.take(ofTenant('b'))();
  expect(streams.runningCount).toBe(0);
});

it('counts streams for the concurrency limit of their token', () => {
  const { streams, runs } = pool();
  const endQuery = runs.begin('a');
  expect(() => streams.take(token('a', 1))).toThrow('as many queries as it may (1)');
  endQuery();
  const release = streams.take(token('a', 1));
  expect(runs.mayBegin('a', 1)).toBe(false);
  release();
  expect(runs.mayBegin('a', 1)).toBe(true);
});

it('refuses a tenant that is held back', () => {
  const { streams, queue } = pool();
  for (let n = 0; n < 10; n++) queue.blame(token('a'));
  expect(() => streams.take(token('a'))).toThrow('repeatedly ended the query engine');
});
