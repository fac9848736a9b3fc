import { describe, expect, it } from 'vitest';
import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { SealedSourceRecord } from '../../../ports/fileManifest.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { FragmentFilterWriter } from '../files/fragmentFilter.ts';
import { SealedFile } from '../files/sealedFile.ts';
import { holdsWithin, projectsToRead, segmentsToRead, statsOf } from './segmentsToRead.ts';

const name = 'abcdefghijklmnopqrst';
const source = builtinSources.find((each) => each.name === 'edge_logs') ?? (builtinSources[0] as never);
const url = ['request', 'url'];

/** A segment with an event of each project, whose URLs have these foreign runs. */
function segmentOf(
  projects: readonly string[],
  foreign: readonly string[] | null = [],
  more: Partial<SealedSourceRecord> = {},
): SealedFile {
  const writer = new FragmentFilterWriter(projects.length);
  for (const run of foreign ?? []) writer.add(run);
  const filter = foreign === null ? null : writer.encoded();
  const record: SealedSourceRecord = {
    source: 'edge_logs',
    projects: projects.toSorted(),
    firstMicros: projects.map(() => 1),
    lastMicros: projects.map(() => 1),
    counts: projects.map(() => 1),
    ordinals: projects.map((_, i) => i),
    irregular: [],
    filters: filter === null ? [] : [['request_url', filter]],
    ...more,
  };
  const rest = { number: 1, bytes: 1, events: projects.length, sealedMicros: 0, mergedFrom: [] };
  return new SealedFile({ ...rest, sources: [record] }, '/events/sealed-1.duckdb', builtinSources);
}

const boundsOf = (run: string, more: Partial<ScanBounds> = {}): ScanBounds => ({
  scan: { kind: 'scan', source } as never,
  projects: null,
  fromMicros: null,
  toMicros: null,
  isFiltered: true,
  runs: [{ path: url, run }],
  ...more,
});

describe('the projects of a segment that are read for a run', () => {
  it.each<[string, readonly string[], readonly string[], string, readonly string[] | null]>([
    ['the one with this name', [name, 'a', 'b'], [], name, [name]],
    [
      'those whose names begin, end or go on with it',
      [`${name}x`, `x${name}`, `x${name}x`, 'a'],
      [],
      name,
      [`${name}x`, `x${name}`, `x${name}x`],
    ],
    ['that whose name is one character longer', [`${name}x`], [], name, [`${name}x`]],
    ['no name that is shorter', [name.slice(1), name.slice(0, -1)], [], name, []],
    ['no name in another case', [name.toUpperCase()], [], name, []],
    ['none', ['a'], [], name, []],
    ['all, if a foreign run is equal', ['a', 'b'], [name], name, null],
    ['all, if a foreign run contains it', ['a', 'b'], [`x${name}x`], name, null],
    ['none, if a foreign run has only its beginning', ['a', 'b'], [name.slice(0, 19)], name, []],
  ])('%s', (_, projects, foreign, run, expected) => {
    expect(projectsToRead(segmentOf(projects, foreign), boundsOf(run))).toEqual(expected);
  });

  it.each<[string, SealedFile]>([
    ['without a filter', segmentOf([name, 'a'], null)],
    ['from before there were filters', segmentOf([name, 'a'], null, { filters: undefined as never })],
    ['with a filter of another column', segmentOf([name, 'a'], [], { filters: [['request_path', '']] })],
    [
      'with an event that is irregular at the path',
      segmentOf([name, 'a'], [], { irregular: [[1, '["request","url"]']] }),
    ],
    ['with an event that is irregular above it', segmentOf([name, 'a'], [], { irregular: [[0, '["request"]']] })],
    ['without the typed column', segmentOf([name, 'a'], [], { hotColumns: [['request_path', 'VARCHAR']] })],
    [
      'with more names than can be searched',
      segmentOf(
        Array.from({ length: 5001 }, (_, i) => `${i}-`.padEnd(21, 'x')),
        [],
      ),
    ],
    [
      'with more projects that have it than are named',
      segmentOf(
        Array.from({ length: 101 }, (_, i) => `${name}-${i}`),
        [],
      ),
    ],
  ])('are all in a segment %s', (_, file) => {
    const bounds = boundsOf(name);
    expect(projectsToRead(file, bounds)).toBeNull();
    expect(segmentsToRead([file], bounds)).toEqual([file]);
    expect(statsOf(file, bounds)?.count).toBe(file.events);
  });

  it('are all for a path without a typed column, and for one whose column is no text', () => {
    for (const path of [['request'], ['request', 'url', 'x'], ['url'], [], ['response', 'status_code']])
      expect(projectsToRead(segmentOf([name, 'a']), boundsOf(name, { runs: [{ path, run: name }] }))).toBeNull();
  });

  it('are those that can have each of several runs, whether the filter knows them or not', () => {
    const file = segmentOf([`${name}-zyxwvutsrqponmlk`, name, 'a'], ['0123456789abcdef']);
    const both = (...runs: readonly string[]) =>
      projectsToRead(file, boundsOf('', { runs: runs.map((run) => ({ path: url, run })) }));
    expect(both(name, 'zyxwvutsrqponmlk')).toEqual([`${name}-zyxwvutsrqponmlk`]);
    expect(both('0123456789abcdef', name)).toEqual([name, `${name}-zyxwvutsrqponmlk`]);
    expect(both('0123456789abcdef', '0123456789abcdef')).toBeNull();
    expect(both('fedcba9876543210', name)).toEqual([]);
  });

  it('are the permitted ones of a restricted run, whatever the texts of others are', () => {
    for (const foreign of [[], [name]])
      for (const projects of [[name], ['a'], [name, 'a']])
        expect(projectsToRead(segmentOf([name, 'a'], foreign), boundsOf(name, { projects }))).toEqual(projects);
  });

  it('decide with the times of their events whether the segment is read', () => {
    const file = segmentOf(['a', name], [], { firstMicros: [1, 50], lastMicros: [10, 60] });
    const within = (fromMicros: bigint, toMicros: bigint) =>
      holdsWithin(file, boundsOf(name, { fromMicros, toMicros }));
    expect(within(0n, 20n)).toBe(false);
    expect(within(0n, 50n)).toBe(true);
    expect(within(60n, 70n)).toBe(true);
    expect(within(61n, 70n)).toBe(false);
    expect(statsOf(file, boundsOf('zyxwvutsrqponmlk'))).toBeNull();
    const two = segmentOf(['a', name, `${name}x`], [], { firstMicros: [1, 50, 20], lastMicros: [99, 60, 30] });
    expect(statsOf(two, boundsOf(name))).toEqual({ firstMicros: 20, lastMicros: 60, count: 2 });
  });
});
