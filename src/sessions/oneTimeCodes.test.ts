import { expect, it } from 'vitest';
import { systemRandomness } from '../core/ids.ts';
import { codeMicros, OneTimeCodes } from './oneTimeCodes.ts';

const now = 1_777_000_000_000_000;

it('takes a code once', () => {
  const codes = new OneTimeCodes(systemRandomness);
  const [first, second] = [codes.issue(now), codes.issue(now)];
  expect(first).toMatch(/^[\w-]{43}$/);
  codes.redeem(first, now + codeMicros - 1);
  expect(() => codes.redeem(first, now + codeMicros - 1)).toThrow('was used before');
  codes.redeem(second, now);
});

it('takes no code after ten minutes, and none that it did not give out', () => {
  const codes = new OneTimeCodes(systemRandomness);
  const code = codes.issue(now);
  expect(() => codes.redeem(code, now + codeMicros)).toThrow('is older than ten minutes');
  expect(() => codes.redeem(`${code}x`, now)).toThrow('is unknown');
  expect(() => new OneTimeCodes(systemRandomness).redeem(code, now)).toThrow('is unknown');
});

it('keeps a limited number of codes', () => {
  const codes = new OneTimeCodes(systemRandomness);
  const first = codes.issue(now);
  for (let n = 0; n < 100; n++) codes.issue(now);
  expect(() => codes.redeem(first, now)).toThrow('is unknown');
});
