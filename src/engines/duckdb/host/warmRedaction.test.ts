import { afterEach, expect, it, vi } from 'vitest';
import { never, TestStorage } from '../storage.fixture.ts';
import { EngineConnection } from './engineConnection.ts';

let test: TestStorage;
afterEach(async () => {
  await test.close();
  vi.restoreAllMocks();
});

/** Ids of the processes that were told to warm their redaction. */
function warmed(): readonly number[] {
  const pids: number[] = [];
  const { call } = EngineConnection.prototype;
  vi.spyOn(EngineConnection.prototype, 'call').mockImplementation(function (this: EngineConnection, ...given) {
    if (given[0] === 'warmRedaction') pids.push(this.pid);
    return call.apply(this, given);
  } as typeof call);
  return pids;
}

const light = `SELECT logmill_regexp_instr('ab', 'b', 1, 1, 0)`;

it('warms the redaction of each function process, and of the one that replaces it', async () => {
  test = await TestStorage.open({});
  const pids = warmed();
  test.storage.prepareRedaction?.();
  await vi.waitUntil(() => pids.length === 2, { timeout: 60_000 });
  expect(new Set(pids).size).toBe(2);
  process.kill(pids[0] ?? 0, 'SIGKILL');
  await vi.waitUntil(() => pids.length === 3, { timeout: 60_000 });
  expect(new Set(pids).size).toBe(3);
});

it('warms nothing if nothing redacts', async () => {
  test = await TestStorage.open({});
  const pids = warmed();
  await test.storage.statements.boundTo(null).runValues(light, never);
  expect(pids).toEqual([]);
});
