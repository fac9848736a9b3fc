import { expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { ManualTimer } from '../core/timer.ts';
import { MemoryTokenRuns } from '../stores/memory/memoryTokenRuns.ts';
import { HeldBack } from './heldBack.ts';
import { QueryQueue } from './queryQueue.ts';

it('forgives one end, then holds the tenant back, longer each time and five minutes at most', () => {
  const held = new HeldBack();
  held.blame('t', 'a', 0);
  expect(held.waitMs('t', 'a', 0)).toBe(0);
  held.blame('t', 'a', 1_000);
  expect([held.waitMs('t', 'a', 1_000), held.waitMs('t', 'a', 6_000), held.waitMs('t', 'a', 11_000)]).toEqual([
    10_000, 5_000, 0,
  ]);
  held.blame('t', 'a', 11_000);
  expect(held.waitMs('t', 'a', 11_000)).toBe(20_000);
  for (let i = 0; i < 20; i++) held.blame('t', 'a', 40_000);
  expect(held.waitMs('t', 'a', 40_000)).toBe(300_000);
  expect(held.waitMs('t', 'b', 40_000)).toBe(0);
});

it('forgets a tenant that ended nothing for ten minutes', () => {
  const held = new HeldBack();
  held.blame('t', 'a', 0);
  held.blame('t', 'b', 601_000);
  held.blame('t', 'a', 602_000);
  expect(held.waitMs('t', 'a', 602_000)).toBe(0);
});

it('holds back a whole token that acts for ever new tenants, but not for a single tenant', () => {
  const held = new HeldBack();
  for (let n = 0; n < 4; n++) held.blame('t', `project ${n}`, n);
  expect(held.waitMs('t', 'another', 10)).toBe(0);
  held.blame('t', 'project 4', 10);
  expect(held.waitMs('t', 'another', 10)).toBe(10_000);
  expect(held.waitMs('of a neighbour', 'another', 10)).toBe(0);
  held.blame('t', 'project 5', 20);
  expect(held.waitMs('t', 'another', 20)).toBe(20_000);
  for (let n = 0; n < 20; n++) held.blame('stubborn', 'always the same', n);
  expect(held.waitMs('stubborn', 'always the same', 20)).toBeGreaterThan(0);
  expect(held.waitMs('stubborn', 'another', 20)).toBe(0);
});

it('refuses new and waiting queries of the tenant, and none of others', async () => {
  const timer = new ManualTimer();
  const queue = new QueryQueue({ concurrency: 1, waitingMax: 10, waitMsMax: 1_000 }, timer, new MemoryTokenRuns());
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

it('refuses the waiting queries of all tenants of a token that is held back as a whole', async () => {
  const queue = new QueryQueue(
    { concurrency: 1, waitingMax: 10, waitMsMax: 1_000 },
    new ManualTimer(),
    new MemoryTokenRuns(),
  );
  const never = new AbortController().signal;
  const of = (project: string) => ({ id: 't', tenant: `t ["${project}"]`, concurrencyMax: null });
  await queue.acquire({ id: 'neighbour', concurrencyMax: null }, never);
  const waiting = queue.acquire(of('never seen'), never).catch((error: unknown) => error);
  for (const project of ['a', 'b', 'c', 'd', 'e']) queue.blame(of(project));
  expect(await waiting).toMatchObject({ code: 'query.held_back' });
  await expect(queue.acquire(of('nor this one'), never)).rejects.toMatchObject({ code: 'query.held_back' });
});
