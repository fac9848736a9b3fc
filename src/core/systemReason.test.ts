import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { systemReason } from './systemReason.ts';

function thrownBy(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

it('says in words what the system refused, with its code', () => {
  expect(systemReason(thrownBy(() => statSync('/does/not/exist')))).toBe('no such file or directory (ENOENT)');
  const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED', errno: -111 });
  expect(systemReason(new AggregateError([refused, refused]))).toMatch(/\(ECONNREFUSED\)$/);
});

it('gives the message of any other error', () => {
  expect(systemReason(new Error('bad port'))).toBe('bad port');
  expect(systemReason(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }))).toBe(
    'other side closed',
  );
  expect(systemReason(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
  expect(systemReason('gone')).toBe('gone');
});
