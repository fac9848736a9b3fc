import { expect, it } from 'vitest';
import { processorTimeIn, processorTimeMs } from './processorTime.ts';

it('reads user and system time behind a name with any characters', () => {
  const fields = '1 42 42 0 -1 4194304 900 0 0 0 123 45 0 0 20 0 11 0 99 1000 200';
  expect(processorTimeIn(`42 (a) b (c)) S ${fields}`)).toBe(1680);
  expect(processorTimeIn('')).toBeNull();
});

it.runIf(process.platform === 'linux')('grows while the process works, and is unknown when it has ended', () => {
  const before = processorTimeMs(process.pid) ?? Number.NaN;
  const { user } = process.cpuUsage();
  while (process.cpuUsage().user - user < 50_000) Math.sqrt(before);
  expect((processorTimeMs(process.pid) ?? 0) - before).toBeGreaterThanOrEqual(30);
  expect(processorTimeMs(2 ** 22 + 1)).toBeNull();
});
