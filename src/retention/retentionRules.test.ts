import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oldestKeptMicros, RetentionRules } from './retentionRules.ts';

const defaults = { days: 30, bySource: new Map([['svc_calls', 90]]) };
const dayMicros = 86_400_000_000;

describe('retention rules', () => {
  it('decide from the most specific to the default', () => {
    const rules = new RetentionRules(defaults);
    const of = () => rules.effective('edge_logs', 'p');
    expect(of()).toEqual({ days: 30, origin: 'default' });
    rules.set({ source: 'edge_logs', project: null, days: 20 });
    expect(of()).toEqual({ days: 20, origin: 'source' });
    rules.set({ source: null, project: 'p', days: 60 });
    expect(of()).toEqual({ days: 60, origin: 'project' });
    rules.set({ source: 'edge_logs', project: 'p', days: 0 });
    expect(of()).toEqual({ days: 0, origin: 'source and project' });
    expect(rules.effective('auth_logs', 'p')).toEqual({ days: 60, origin: 'project' });
    expect(rules.effective('edge_logs', 'q')).toEqual({ days: 20, origin: 'source' });
    expect(rules.effective('edge_logs', null)).toEqual({ days: 20, origin: 'source' });
    expect(rules.effective('svc_calls', 'q')).toEqual({ days: 90, origin: 'default' });
    for (const [source, project] of [
      ['edge_logs', 'p'],
      [null, 'p'],
      ['edge_logs', null],
    ] as const) {
      rules.remove(source, project);
    }
    expect(of()).toEqual({ days: 30, origin: 'default' });
    expect(rules.list()).toEqual([]);
  });

  it('know every project with its own rules', () => {
    const name = fc.constantFrom(null, 'a', 'b', 'c');
    const rule = fc.record({ source: name, project: name, days: fc.integer({ min: 0, max: 3 }) });
    fc.assert(
      fc.property(fc.array(rule.filter(({ source, project }) => source !== null || project !== null)), (all) => {
        const rules = new RetentionRules(defaults, all);
        for (const source of ['a', 'b', 'd']) {
          const own = rules.ownOf(source);
          for (const project of ['a', 'b', 'c', 'd']) {
            const decided = rules.effective(source, project);
            expect(own.has(project)).toBe(decided.origin.endsWith('project'));
            if (own.has(project)) expect(own.get(project)).toBe(decided.days);
            else expect(decided).toEqual(rules.effective(source, null));
          }
        }
      }),
    );
  });

  it('keep events up to their age, to the minute, and everything with 0 days', () => {
    const now = Date.parse('2026-05-20T12:00:30.123Z') * 1000;
    expect(oldestKeptMicros(0, now)).toBeNull();
    expect(oldestKeptMicros(2, now)).toBe(Date.parse('2026-05-18T12:00:00Z') * 1000);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 36_500 }), fc.nat(4e15), fc.nat(1e9), (days, at, later) => {
        const oldest = oldestKeptMicros(days, at) ?? Number.NaN;
        expect(at - days * dayMicros - oldest).toBeGreaterThanOrEqual(0);
        expect(at - days * dayMicros - oldest).toBeLessThan(60_000_000);
        expect(oldestKeptMicros(days, at + later)).toBeGreaterThanOrEqual(oldest);
      }),
    );
  });
});
