import { describe, expect, it } from 'vitest';
import { byTime, outcomeOf } from './auditEntries.ts';

describe('entries of the audit trail', () => {
  it('come newest first, also if refused calls were recorded after their minute', () => {
    const entries = [
      { sequence: 5, at: '2026-05-04T10:01:30Z' },
      { sequence: 4, at: '2026-05-04T10:00:00Z' },
      { sequence: 3, at: '2026-05-04T10:01:00.5Z' },
      { sequence: 2, at: '2026-05-04T10:00:30Z' },
      { sequence: 1, at: '2026-05-04T10:00:00Z' },
    ];
    expect(byTime(entries).map(({ sequence }) => sequence)).toEqual([5, 3, 2, 4, 1]);
  });

  it('say how many calls a minute refused', () => {
    expect(outcomeOf({ code: 'auth.scope', count: 1200 })).toBe('auth.scope, 1,200 calls');
    expect(outcomeOf({ code: 'auth.scope', count: 1 })).toBe('auth.scope');
    expect(outcomeOf({ code: null, count: 1 })).toBe('done');
  });
});
