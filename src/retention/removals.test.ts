import { describe, expect, it } from 'vitest';
import { everythingRemoved, nothingRemoved } from './cutoffs.ts';
import type { EventDeletion } from './eventDeletion.ts';
import { Removals } from './removals.ts';
import { RetentionRules } from './retentionRules.ts';

const dayMicros = 86_400_000_000;
const now = 100 * dayMicros;
const ruleOf = (days: number) => new RetentionRules({ days, bySource: new Map() });
const deletionOf = (token: number, more: Partial<EventDeletion> = {}): EventDeletion => ({
  token,
  project: 'p',
  source: null,
  beforeMicros: null,
  requestedMicros: now,
  ...more,
});

describe('removals', () => {
  it('by age move with the clock, and keep events without retention', () => {
    const rules = ruleOf(10);
    rules.set({ source: null, project: 'q', days: 0 });
    const removals = new Removals(rules);
    expect(removals.cutoff('s', 'p', 0, now)).toBe(90 * dayMicros);
    expect(removals.cutoff('s', 'p', 0, now + dayMicros)).toBe(91 * dayMicros);
    expect(removals.cutoff('s', 'q', 0, now)).toBe(nothingRemoved);
    expect(removals.othersCutoff('s', now)).toBe(90 * dayMicros);
  });

  it('on request affect earlier files of the project and the source', () => {
    const removals = new Removals(ruleOf(0), [deletionOf(7), deletionOf(9, { source: 's', beforeMicros: 5 })]);
    expect(removals.lastToken).toBe(9);
    expect(removals.cutoff('s', 'p', 6, now)).toBe(everythingRemoved);
    expect(removals.cutoff('s', 'p', 7, now)).toBe(5);
    expect(removals.cutoff('t', 'p', 7, now)).toBe(nothingRemoved);
    expect(removals.cutoff('s', 'p', 9, now)).toBe(nothingRemoved);
    expect(removals.cutoff('s', 'q', 0, now)).toBe(nothingRemoved);
    expect([...removals.ownProjects('s', 8)]).toEqual(['p']);
    expect([...removals.ownProjects('t', 8)]).toEqual([]);
  });

  it('use the later cutoff of age and request', () => {
    const removals = new Removals(ruleOf(10), [deletionOf(7, { beforeMicros: 95 * dayMicros })]);
    expect(removals.cutoff('s', 'p', 0, now)).toBe(95 * dayMicros);
    expect(removals.cutoff('s', 'p', 0, now + 8 * dayMicros)).toBe(98 * dayMicros);
  });

  it('on request are not checked when they are settled, but still tell where data begins', () => {
    const deletions = [deletionOf(7), deletionOf(9, { source: 's', beforeMicros: 5 })] as const;
    const removals = new Removals(ruleOf(0), deletions);
    for (const deletion of deletions) {
      expect([removals.isEmpty, removals.leavesAll(['s'])]).toEqual([false, false]);
      removals.settle(deletion);
    }
    expect([removals.isEmpty, removals.leavesAll(['s']), removals.alwaysLeftAll(['s'])]).toEqual([true, true, false]);
    expect(removals.cutoff('s', 'p', 0, now)).toBe(nothingRemoved);
    expect([...removals.ownProjects('s', 0)]).toEqual([]);
    expect([removals.begins('s', 'p', now), removals.varies('s'), removals.lastToken]).toEqual([now, true, 9]);
    // A quarantined file may hold them for ever.
    expect(removals.ofQuarantined.cutoff('s', 'p', 7, now)).toBe(5);
    expect(removals.ofQuarantined.cutoff('s', 'p', 0, now)).toBe(everythingRemoved);
    removals.add(deletions[0]);
    expect([removals.inForce, removals.cutoff('s', 'p', 0, now)]).toEqual([[deletions[0]], everythingRemoved]);
  });

  it('on request cost nothing even if thousands are settled', () => {
    const removals = new Removals(ruleOf(0));
    for (let n = 1; n <= 10_000; n++) {
      const deletion = deletionOf(n, { project: `p${n % 100}` });
      removals.add(deletion);
      removals.settle(deletion);
    }
    expect([...removals.ownProjects('s', 0)]).toEqual([]);
    expect(removals.deletionsOf('s', 'p1', 0)).toEqual([]);
    expect(removals.inForce).toEqual([]);
  });

  it('are empty only if nothing can be removed', () => {
    expect(new Removals(ruleOf(0)).leavesAll(['s'])).toBe(true);
    expect(new Removals(ruleOf(1)).leavesAll(['s'])).toBe(false);
    expect(new Removals(ruleOf(0), [deletionOf(1)]).leavesAll(['s'])).toBe(false);
    const rules = ruleOf(0);
    rules.set({ source: 't', project: 'p', days: 1 });
    expect(new Removals(rules).leavesAll(['s'])).toBe(true);
    expect(new Removals(rules).leavesAll(['s', 't'])).toBe(false);
    const marked = new Removals(ruleOf(0), [], [{ source: 's', project: null, micros: 1 }]);
    expect([marked.leavesAll(['s']), marked.alwaysLeftAll(['s'])]).toEqual([true, false]);
  });
});

describe('where data begins', () => {
  it('is known for each project', () => {
    const removals = new Removals(ruleOf(10), [
      deletionOf(7),
      deletionOf(8, { project: 'q', beforeMicros: 97 * dayMicros }),
    ]);
    expect(removals.begins('s', 'p', now + dayMicros)).toBe(now);
    expect(removals.begins('s', 'q', now)).toBe(97 * dayMicros);
    expect(removals.begins('s', 'r', now)).toBe(90 * dayMicros);
    expect(removals.begins('s', null, now)).toBe(90 * dayMicros);
    expect(removals.varies('s')).toBe(true);
    expect(new Removals(ruleOf(10)).varies('s')).toBe(false);
  });

  it('is not after the request of a deletion, because events stored later stay', () => {
    const removals = new Removals(ruleOf(0), [deletionOf(7, { beforeMicros: now + 1000 * dayMicros })]);
    expect(removals.begins('s', 'p', now + dayMicros)).toBe(now);
  });

  it('still differs by project after a project lost its own rules', () => {
    const rules = ruleOf(0);
    rules.set({ source: null, project: 'p', days: 10 });
    const removals = new Removals(rules);
    removals.mark([{ source: 's', project: 'p', micros: 90 * dayMicros }]);
    rules.remove(null, 'p');
    expect([removals.varies('s'), removals.varies('t')]).toEqual([true, false]);
    removals.mark([{ source: 's', project: null, micros: 95 * dayMicros }]);
    expect(removals.varies('s')).toBe(false);
  });

  it('does not move back if retention is made longer or switched off', () => {
    const rules = ruleOf(0);
    rules.set({ source: 's', project: null, days: 10 });
    const removals = new Removals(rules);
    removals.mark([{ source: 's', project: null, micros: 90 * dayMicros }]);
    removals.mark([{ source: 's', project: null, micros: 80 * dayMicros }]);
    rules.set({ source: 's', project: null, days: 50 });
    expect(removals.begins('s', 'p', now)).toBe(90 * dayMicros);
    rules.remove('s', null);
    expect(removals.begins('s', 'p', now)).toBe(90 * dayMicros);
    expect(removals.begins('t', 'p', now)).toBe(nothingRemoved);
  });

  it('stays the same when a project gets its own rules, and then follows them', () => {
    const rules = ruleOf(10);
    const removals = new Removals(rules);
    removals.mark([{ source: 's', project: null, micros: 90 * dayMicros }]);
    removals.mark(removals.marksOfNew('p'));
    rules.set({ source: null, project: 'p', days: 50 });
    expect(removals.begins('s', 'p', now)).toBe(90 * dayMicros);
    removals.mark([{ source: 's', project: null, micros: 95 * dayMicros }]);
    expect(removals.begins('s', 'p', now + 5 * dayMicros)).toBe(90 * dayMicros);
    expect(removals.begins('s', 'q', now + 5 * dayMicros)).toBe(95 * dayMicros);
  });

  it('have a state for pages that changes with every removal of the events in question, and with no other', () => {
    const removals = new Removals(ruleOf(0), [deletionOf(7, { project: 'q' })]);
    const state = (projects: readonly string[] | null = ['p']) => removals.stateOf('s', projects, now);
    const [before, ofAll] = [state(), state(null)];
    removals.add(deletionOf(8, { project: 'q' }));
    removals.add(deletionOf(9, { source: 't' }));
    expect([state(), state(null) === ofAll]).toEqual([before, false]);
    removals.add(deletionOf(10, { beforeMicros: 5 * dayMicros }));
    expect(state()).not.toBe(before);
    const deleted = state();
    removals.settle(deletionOf(10, { beforeMicros: 5 * dayMicros }));
    expect(state()).toBe(deleted);
    removals.mark([{ source: 's', project: 'q', micros: 3 }]);
    expect(state()).toBe(deleted);
    removals.mark([{ source: 's', project: null, micros: 3 }]);
    expect(state()).not.toBe(deleted);
  });

  it('have a state for pages that does not change as events reach their age, whoever removes them', () => {
    const rules = ruleOf(10);
    const [one, other] = [new Removals(rules), new Removals(rules)];
    const state = (removals: Removals) => removals.stateOf('s', null, now);
    one.mark([
      { source: 's', project: null, micros: 90 * dayMicros },
      { source: 's', project: 'p', micros: 80 * dayMicros },
    ]);
    expect(state(one)).toBe(state(other));
    // Events were removed that would not reach their age by the present rules.
    rules.set({ source: 's', project: null, days: 50 });
    expect(state(one)).not.toBe(state(other));
  });

  it('have a state for pages that changes when a shorter rule removes more', () => {
    const rules = ruleOf(50);
    const removals = new Removals(rules);
    const state = (projects: readonly string[] | null = ['p']) => removals.stateOf('s', projects, now);
    const [before, ofAll] = [state(), state(null)];
    rules.set({ source: null, project: 'q', days: 10 });
    expect([state(), state(null) === ofAll]).toEqual([before, false]);
    rules.set({ source: 's', project: null, days: 10 });
    removals.mark([{ source: 's', project: null, micros: 90 * dayMicros }]);
    expect(state()).not.toBe(before);
  });

  it('by age are told apart: whether events reach their age depends on the rules and the times in question', () => {
    const rules = ruleOf(0);
    rules.set({ source: null, project: 'q', days: 10 });
    const removals = new Removals(rules);
    const reach = (projects: readonly string[] | null, from: number | null) =>
      removals.reachAge('s', projects, from, now);
    expect([reach(['p'], null), reach(['q'], null), reach(['p', 'q'], null)]).toEqual([false, true, true]);
    expect([reach(['q'], 89 * dayMicros), reach(['q'], 90 * dayMicros)]).toEqual([true, false]);
    expect(reach(null, null)).toBe(true);
  });
});
