import { describe, expect, it } from 'vitest';
import type { ArrivalRange } from '../../../ports/commitLedger.ts';
import { Removals } from '../../../retention/removals.ts';
import { RetentionRules } from '../../../retention/retentionRules.ts';
import { VisibleEvents } from './visibleEvents.ts';
import { tableFilters } from './visibleRows.ts';

const dayMicros = 86_400_000_000;
const now = 20_000 * dayMicros;
const at = (daysAgo: number) => `fromUnixTimestamp64Micro(toInt64(${now - daysAgo * dayMicros}), 'UTC')`;
const visibleOf = (removals: Removals, hidden: readonly ArrivalRange[] = []) =>
  new VisibleEvents({ state: { end: 100, hidden, watermark: 100 }, ready: async () => {} }, removals);
const rules = (days: number) => new RetentionRules({ days, bySource: new Map() });

describe('the condition of visible events', () => {
  it('is the end of the numbers that were given, without ranges of commits that are not complete', () => {
    const removals = new Removals(rules(0));
    expect(visibleOf(removals).condition('s', null, now)).toBe('arrival_number < 100');
    const hidden = [
      { first: 10, end: 20 },
      { first: 20, end: 30 },
      { first: 50, end: 51 },
    ];
    expect(visibleOf(removals, hidden).condition('s', null, now)).toBe(
      'arrival_number < 100 AND NOT (arrival_number >= 10 AND arrival_number < 30) AND NOT (arrival_number >= 50 AND arrival_number < 51)',
    );
  });

  it('has the retention of each project, and only of those that are asked for', () => {
    const removals = new Removals(rules(30));
    removals.rules.set({ source: null, project: 'a', days: 10 });
    removals.rules.set({ source: 's', project: 'b', days: 0 });
    const visible = visibleOf(removals);
    const since = (days: number) => `timestamp >= ${at(days)}`;
    expect(visible.condition('s', ['c'], now)).toBe(`arrival_number < 100 AND ${since(30)}`);
    expect(visible.condition('s', ['a'], now)).toBe(`arrival_number < 100 AND ${since(10)}`);
    expect(visible.condition('s', ['b'], now)).toBe('arrival_number < 100');
    expect(visible.condition('s', ['a', 'c'], now)).toBe(
      `arrival_number < 100 AND ${since(30)} AND ((project = 'a' AND ${since(10)}) OR (project = 'c' AND ${since(30)}))`,
    );
    expect(visible.condition('s', null, now)).toBe(
      `arrival_number < 100 AND ((NOT (project IN ('a', 'b')) AND ${since(30)}) OR (project = 'a' AND ${since(10)}) OR (project = 'b'))`,
    );
  });

  it('leaves out deleted events of a project, a source and a time', () => {
    const removals = new Removals(rules(0), [
      { token: 7, project: "it's", source: null, beforeMicros: null, requestedMicros: 0 },
      { token: 9, project: 'b', source: 's', beforeMicros: now - dayMicros, requestedMicros: 0 },
      { token: 11, project: 'b', source: 'other', beforeMicros: null, requestedMicros: 0 },
    ]);
    const ofFirst = "NOT (project = 'it\\'s' AND arrival_number < 7)";
    const ofSecond = `NOT (project = 'b' AND arrival_number < 9 AND timestamp < ${at(1)})`;
    expect(visibleOf(removals).condition('s', null, now)).toBe(`arrival_number < 100 AND ${ofFirst} AND ${ofSecond}`);
    expect(visibleOf(removals).condition('s', ['b'], now)).toBe(`arrival_number < 100 AND ${ofSecond}`);
  });

  it('is part of the filter of every table, with the projects of the call', () => {
    const visible = visibleOf(new Removals(rules(0)));
    const place = { database: 'logs', cluster: 'main' };
    const filter = "(project IN ('a', 'b')) AND (arrival_number < 100)";
    expect([...tableFilters(place, visible, [{ source: { name: 's' }, projects: ['a', 'b'] }], now)]).toEqual([
      ['logs.s', filter],
      ['logs._stored_s', filter],
    ]);
    expect([...tableFilters(place, visible, [{ source: { name: 's' }, projects: [] }], now).values()]).toContain(
      '(0) AND (arrival_number < 100)',
    );
  });
});
