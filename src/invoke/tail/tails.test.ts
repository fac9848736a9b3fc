import { expect, it } from 'vitest';
import { unanswered } from '../../../test/support/unanswered.ts';
import { systemClock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { systemRandomness } from '../../core/ids.ts';
import { ManualTimer } from '../../core/timer.ts';
import { noFacts } from '../callFacts.ts';
import { CursorKeys } from '../pages/cursorKeys.ts';
import { MemoryPageSecrets } from '../pages/pages.fixture.ts';
import { TailIds } from './tailIds.ts';
import type { TailPlan } from './tailPlan.ts';
import { Tails, type TailsServices } from './tails.ts';

/** Opens a tail on an engine that never learns what the others stored, or with a store that does not give its secrets. */
function opened(missing: 'events' | 'secrets' = 'events') {
  const timer = new ManualTimer();
  const caller = new AbortController();
  const { never, asked } = unanswered();
  const secrets = new MemoryPageSecrets();
  if (missing === 'secrets') secrets.load = never;
  const ids = new TailIds(new CursorKeys(secrets, systemClock, systemRandomness, 'tails'), systemRandomness);
  const engineEvents: TailsServices['engineEvents'] = {
    lastArrival: () => 0,
    watchCommits: () => () => {},
    reachArrival: never,
  };
  const services = { engineEvents, ids, timer, clock: systemClock, observe: () => undefined };
  const tails = new Tails(services as unknown as TailsServices);
  const opening = tails.open({
    plan: { key: 'k', timeoutMs: 1000 } as unknown as TailPlan,
    format: 'ndjson',
    lastEventId: null,
    start: {},
    facts: noFacts(),
    signal: caller.signal,
    tokenId: 't',
    placeOwner: 't',
    requireRights: async () => undefined,
  });
  const ended = opening.then(
    () => 'open',
    (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
  );
  /** How the opening ended, if it did by now. */
  const outcome = async () => {
    const next = new Promise<string>((resolve) => setImmediate(() => resolve('waits')));
    return await Promise.race([ended, next]);
  };
  return { asked, timer, caller, outcome, tails };
}

it.each(['events', 'secrets'] as const)(
  'waits for %s from the store no longer than its query may run',
  async (missing) => {
    const { asked, timer, outcome, tails } = opened(missing);
    await asked;
    timer.advanceMs(999);
    expect(await outcome()).toBe('waits');
    timer.advanceMs(1);
    expect(await outcome()).toBe('query.timeout');
    expect([tails.openCount, timer.pendingCount]).toEqual([0, 0]);
  },
);

it.each(['events', 'secrets'] as const)('waits for %s from the store no longer than its caller', async (missing) => {
  const { asked, timer, caller, outcome, tails } = opened(missing);
  await asked;
  caller.abort(new ServiceError('query.cancelled', 'The caller closed the connection.'));
  expect(await outcome()).toBe('query.cancelled');
  expect([tails.openCount, timer.pendingCount]).toEqual([0, 0]);
});
