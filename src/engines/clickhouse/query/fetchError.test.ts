import { expect, it } from 'vitest';
import { ServiceError } from '../../../core/errors.ts';
import { answeredFailure, ClickHouseFailure, type FailureKind } from '../connection/failure.ts';
import { abortReason, fetchError } from './fetchError.ts';

const bound = () => new ServiceError('query.fetch_max', 'too much');

it.each([
  ['bound', 'query.fetch_max'],
  ['memory', 'query.memory'],
  ['deadline', 'query.timeout'],
  ['unreachable', 'engine.restarting'],
  ['busy', 'engine.restarting'],
  ['cancelled', 'engine.restarting'],
  ['damaged', 'engine.restarting'],
  ['denied', 'engine.failed'],
  ['missing', 'engine.failed'],
  ['other', 'engine.failed'],
] satisfies readonly (readonly [FailureKind, string])[])(
  'a failure that is %s becomes %s, without its text',
  (kind, code) => {
    const error = fetchError(new ClickHouseFailure(kind, 'Code: 60. secret-table of secret-value'), bound);
    expect(error).toMatchObject({ code });
    expect(error.message).not.toMatch(/secret|Code/);
  },
);

it('an error of ours stays as it is, and an abort becomes one', () => {
  const ours = new ServiceError('query.killed', 'An operator stopped the query.');
  expect(fetchError(ours, bound)).toBe(ours);
  expect(abortReason(AbortSignal.abort(ours))).toBe(ours);
  expect(abortReason(AbortSignal.abort(new Error('socket')))).toMatchObject({ code: 'query.cancelled' });
});

it('the log has nothing of a value that is longer than what the log takes', () => {
  const text = `Code: 6. DB::Exception: Cannot parse string '${'anna '.repeat(1000)}' as number. (CANNOT_PARSE_TEXT)`;
  const { cause } = fetchError(answeredFailure(500, 6, text), bound);
  expect(String(cause)).toMatch(/Cannot parse string '…' as number. \(CANNOT_PARSE_TEXT\)$/);
});

it.each(['memory', 'damaged', 'other'] as const)('the log of a failure that is %s has no value', (kind) => {
  const text = `ClickHouse answered 500: Code: 6. Cannot parse string 'anna@example.com' in SELECT "it's 4711123456"`;
  const { cause } = fetchError(new ClickHouseFailure(kind, text, 6), bound);
  expect(String(cause)).toMatch(/Code: 6\. Cannot parse string/);
  expect(String(cause)).not.toMatch(/anna|4711/);
});
