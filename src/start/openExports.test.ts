import { describe, expect, it } from 'vitest';
import type { EventDeletion } from '../retention/eventDeletion.ts';
import { Removals } from '../retention/removals.ts';
import { RetentionRules } from '../retention/retentionRules.ts';
import { exportBasis } from './openExports.ts';

const basisOf = ({
  rules = [['a', 'p', 5] as [string | null, string | null, number]],
  deletions = 0,
  days = 30,
  redaction = 'emails',
} = {}) => {
  const made = Array.from({ length: deletions }, (_, i) => ({ token: i + 1, project: 'p' }) as EventDeletion);
  const ofRules = rules.map(([source, project, ofRule]) => ({ source, project, days: ofRule }));
  return exportBasis(
    new Removals(new RetentionRules({ days: 30, bySource: new Map() }, ofRules), made),
    days,
    redaction,
  );
};

describe('the basis of exports', () => {
  it('changes with each deletion, and with the rules of retention and redaction', () => {
    const bases = [
      basisOf(),
      basisOf({ deletions: 1 }),
      basisOf({ deletions: 2 }),
      basisOf({ rules: [] }),
      basisOf({ rules: [['a', 'p', 6]] }),
      basisOf({ days: 7 }),
      basisOf({ redaction: 'emails and phones' }),
    ];
    expect(new Set(bases).size).toBe(bases.length);
  });

  it('is the same after a restart, whose rules may come in another order', () => {
    const rules: [string | null, string | null, number][] = [
      ['a', 'p', 5],
      [null, 'q', 6],
    ];
    expect(basisOf({ rules })).toBe(basisOf({ rules: rules.toReversed() }));
  });
});
