import { expect, it } from 'vitest';
import { systemRandomness } from '../core/ids.ts';
import { codeMicros, OneTimeCodes } from './oneTimeCodes.ts';

const now = 1_777_000_000_000_000;

const task = async () => 'done';

it('takes a code once', async () => {
  const codes = new OneTimeCodes(systemRandomness);
  const [first, second] = [codes.issue(now), codes.issue(now)];
  expect(first).toMatch(/^[\w-]{43}$/);
  const running = codes.redeem(first, now + codeMicros - 1, task);
  await expect(codes.redeem(first, now + codeMicros - 1, task)).rejects.toThrow('was used before');
  expect(await running).toBe('done');
  await expect(codes.redeem(first, now + codeMicros - 1, task)).rejects.toThrow('was used before');
  expect(await codes.redeem(second, now, task)).toBe('done');
});

it('uses no code up if what it allows fails', async () => {
  const codes = new OneTimeCodes(systemRandomness);
  const code = codes.issue(now);
  await expect(codes.redeem(code, now, () => Promise.reject(new Error('the disk is full')))).rejects.toThrow('full');
  expect(await codes.redeem(code, now, task)).toBe('done');
});

it('takes no code after ten minutes, and none that it did not give out', async () => {
  const codes = new OneTimeCodes(systemRandomness);
  const code = codes.issue(now);
  await expect(codes.redeem(code, now + codeMicros, task)).rejects.toThrow('is older than ten minutes');
  await expect(codes.redeem(`${code}x`, now, task)).rejects.toThrow('is unknown');
  await expect(new OneTimeCodes(systemRandomness).redeem(code, now, task)).rejects.toThrow('is unknown');
});

it('keeps a limited number of codes', async () => {
  const codes = new OneTimeCodes(systemRandomness);
  const first = codes.issue(now);
  for (let n = 0; n < 100; n++) codes.issue(now);
  await expect(codes.redeem(first, now, task)).rejects.toThrow('is unknown');
});
