import { beforeEach, describe, expect, it } from 'vitest';
import { Removals } from '../../../retention/removals.ts';
import { RetentionRules } from '../../../retention/retentionRules.ts';
import type { EventFile } from './eventFiles.ts';
import { type ChangingFiles, VisibleChanges } from './visibleChanges.ts';

const minute = 60_000_000;
const now = 1000 * minute;

let removals: Removals;
let files: { -readonly [Name in keyof ChangingFiles]: ChangingFiles[Name] };
let changes: VisibleChanges;
let isServing: boolean;
beforeEach(() => {
  removals = new Removals(new RetentionRules({ days: 0, bySource: new Map([['aging', 1]]) }));
  files = { files: [], revision: 0, removals, damaged: { files: [], isUnknown: false, examine: async () => false } };
  isServing = true;
  changes = new VisibleChanges(files, () => isServing);
});

const commit = (source: string, ...projects: readonly string[]) =>
  changes.begin([{ source, projects: new Map(projects.map((project) => [project, 1])) }]);
const stateOf = (source = 'logs', projects: readonly string[] | null = ['p'], nowMicros = now) =>
  changes.stateOf([source], projects, nowMicros);

describe('VisibleChanges', () => {
  it('knows no state while a commit of the project, or of any if all are asked for, is on its way', () => {
    const before = stateOf();
    const others = [stateOf('logs', ['q']), stateOf('more', ['p'])];
    const end = commit('logs', 'p');
    expect([stateOf(), stateOf('logs', ['q', 'p']), stateOf('logs', null)]).toEqual([null, null, null]);
    expect([stateOf('logs', ['q']), stateOf('more', ['p'])]).toEqual(others);
    const second = commit('logs', 'p');
    end();
    expect(stateOf()).toBeNull();
    second();
    expect(stateOf()).not.toBeNull();
    expect(stateOf()).not.toBe(before);
    expect(stateOf()).toBe(stateOf());
  });

  it.each<[string, () => void]>([
    ['other segments', () => files.revision++],
    [
      'a deletion',
      () => removals.add({ token: 1, project: 'p', source: null, beforeMicros: null, requestedMicros: 1 }),
    ],
    ['a mark of retention', () => removals.mark([{ source: 'logs', project: null, micros: 5 }])],
    ['a rule', () => removals.rules.set({ source: 'logs', project: 'p', days: 0 })],
    ['a rule that is gone', () => removals.rules.remove('logs', 'p')],
    ['another process', () => changes.reset()],
    ['damage', () => (files.damaged = { ...files.damaged, isUnknown: true })],
    ['a commit', () => commit('logs', 'p')()],
  ])('differs after %s', (_what, change) => {
    const before = stateOf();
    change();
    expect(stateOf()).not.toBeNull();
    expect(stateOf()).not.toBe(before);
  });

  it('tells when no commit is on its way any more', async () => {
    await changes.settled();
    const ends = [commit('logs', 'p'), commit('more', 'q')];
    const order: string[] = [];
    const waiting = changes.settled().then(() => order.push('settled'));
    for (const end of ends) {
      await Promise.resolve();
      order.push('end');
      end();
    }
    await waiting;
    expect(order).toEqual(['end', 'end', 'settled']);
    expect(stateOf()).not.toBeNull();
  });

  it('differs each minute if events of the source reach an age at which they are removed', () => {
    expect(stateOf('logs', ['p'], now + minute)).toBe(stateOf('logs', ['p'], now));
    expect(stateOf('aging', ['p'], now + minute - 1)).toBe(stateOf('aging', ['p'], now));
    expect(stateOf('aging', ['p'], now + minute)).not.toBe(stateOf('aging', ['p'], now));
  });

  it('is unknown without an engine process, and if events have no arrival numbers', () => {
    isServing = false;
    expect(stateOf()).toBeNull();
    isServing = true;
    files.files = [{ hasTable: () => true, numbered: () => 'some' } as unknown as EventFile];
    files.revision++;
    expect(stateOf()).toBeNull();
  });

  it('forgets projects if there are very many, and then never gives an earlier state again', () => {
    const end = commit('logs', 'p');
    commit('logs', 'q')();
    const before = stateOf('logs', ['q']);
    commit('logs', ...Array.from({ length: 50_001 }, (_, n) => `project-${n}`))();
    expect(stateOf()).toBeNull();
    expect(stateOf('logs', ['q'])).not.toBe(before);
    end();
    expect(stateOf()).not.toBeNull();
  });
});
