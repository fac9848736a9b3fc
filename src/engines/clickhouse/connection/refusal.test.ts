import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../core/errors.ts';
import { answeredFailure, unansweredFailure } from './failure.ts';
import { missingRight, refusedStatement } from './refusal.ts';

const passed = (cause: unknown) => new ServiceError('engine.restarting', 'later', { cause });
const denied = (grant: string) =>
  `Code: 497. DB::Exception: poor: Not enough privileges. To execute this query, it's necessary to have the grant ${grant}. (Missing permissions: ${grant}). (ACCESS_DENIED) (version 26.7.2.1 (official build))`;

describe('the missing right that ClickHouse names', () => {
  it.each([
    ['CREATE VIEW ON logs.web'],
    ['CREATE VIEW, DROP VIEW ON logs.web'],
    ['SELECT(a, b) ON other.t'],
    ['SELECT ON other.t'],
    ['CREATE DATABASE ON logs.*'],
    ['CLUSTER ON *.*'],
  ])('is read from its sentence: %s', (grant) => {
    expect(missingRight(denied(grant))).toBe(grant);
  });

  it('is none in other texts', () => {
    expect(missingRight('Code: 164. DB::Exception: Cannot modify setting in readonly mode. (READONLY)')).toBeNull();
    expect(missingRight(denied('lower case ON x'))).toBeNull();
  });
});

describe('a statement of an administrator that ClickHouse refused', () => {
  const refused = (cause: unknown) => refusedStatement(cause, 'poor', passed);

  it('names the right, and the user who lacks it', () => {
    expect(refused(answeredFailure(403, 497, denied('CREATE VIEW ON logs.web')))).toMatchObject({
      code: 'engine.denied',
      message: expect.stringMatching(/GRANT CREATE VIEW ON logs\.web TO poor$/),
    });
    const { code, message } = refused(answeredFailure(500, 164, 'Code: 164. secret'));
    expect([code, message]).toEqual(['engine.denied', expect.stringContaining('poor')]);
    expect(message).not.toContain('secret');
  });

  it('may succeed later only after a failure that passes', () => {
    expect(refused(unansweredFailure(new Error('ECONNREFUSED'))).code).toBe('engine.restarting');
    expect(refused(answeredFailure(500, 252, '')).code).toBe('engine.restarting');
    expect(refused(answeredFailure(500, 43, 'Code: 43. secret'))).toMatchObject({
      code: 'engine.failed',
      message: expect.not.stringContaining('secret'),
    });
    const known = new ServiceError('source.conflict', 'taken');
    expect(refused(known)).toBe(known);
  });
});
