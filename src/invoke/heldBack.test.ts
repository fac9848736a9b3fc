import { expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { ManualTimer } from '../core/timer.ts';
import { HeldBack } from './heldBack.ts';
import { QueryQueue } from './queryQueue.ts';

it('forgives one end, then holds the tenant back, longer each time and five minutes at most', () => {
  const held = new HeldBack();
  held.blame('a', 0);
  expect(held.waitMs('a', 0)).toBe(0);
  held.blame('a', 1_000);
  expect([held.waitMs('a', 1_000), held.waitMs('a', 6_000), held.waitMs('a', 11_000)]).toEqual([10_000, 5_000, 0]);
  held.blame('a', 11_000);
  expect(held.waitMs('a', 11_000)).toBe(20_000);
  for (let i = 0; i < 20; i++) held.blame('a', 40_000);
  expect(held.waitMs('a', 40_000)).toBe(300_000);
  expect(held.waitMs('b', 40_000)).toBe(0);
});

it('forgets whoever ended nothing for ten minutes', () => {
  const held = new HeldBack();
  held.blame('a', 0);
  held.blame('b', 601_000);
  held.blame('a', 602_000);
  expect(held.waitMs('a', 602_000)).toBe(0);
});

it('refuses what the tenant asks for and has waiting, and nothing of others', async () => {
  const timer = new ManualTimer();
  const queue = new QueryQueue({ concurrency: 1, waitingMax: 10, waitMsMax: 1_000 }, timer);
  const never = new AbortController().signal;
  const guilty = { id: 't', tenant: 't ["a"]', concurrencyMax: null };
  const release = await queue.acquire(guilty, never);
  const waiting = queue.acquire(guilty, never).catch((error: unknown) => error);
  const ofAnotherProject = queue.acquire({ ...guilty, tenant: 't ["b"]' }, never);
  queue.blame(guilty);
  expect(queue.waitingCount).toBe(2);
  queue.blame(guilty);
  expect(await waiting).toMatchObject({ code: 'query.held_back', status: 429, retryAfterSeconds: 10 });
  const error = await queue.acquire(guilty, never).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ServiceError);
  release();
  (await ofAnotherProject)();
  timer.advanceMs(10_000);
  (await queue.acquire(guilty, never))();
});
