import { expect, test } from 'vitest';
import { told } from '../support/holdProfile.mjs';
import { type Hold, readHolds } from '../support/holdRecords.ts';
import { findLongHolds, holdsOf, longHoldsTold } from './holds.ts';

const holds = readHolds('1000 20.0 0.0 0.0\n2000 40.0 2.0 30.0\n3000 300.0 290.0 0.0\n4000 120.5 20.0 0.0 90.0\n');

test('counts how long the main thread was held, without what it waited for a processor', () => {
  expect(holdsOf(holds, [{ endMs: 1990, stoppedMs: 20 }])).toEqual([
    ['0 to 25 ms', '2', '0', '0'],
    ['25 to 50 ms', '1', '1', '1'],
    ['100 to 250 ms', '1', '0', '0'],
    ['longest', '100.5 ms', '', ''],
  ]);
});

test('finds what went beyond the bound, and nothing else', () => {
  const found: string[] = [];
  const run = { find: (what: string, detail: string) => void found.push(what, detail) };
  findLongHolds(run, holds.slice(0, 3) satisfies readonly Hold[], []);
  // For all but 50 of its 100 ms, a processor was stopped.
  findLongHolds(run, holds, [
    { endMs: 3940, stoppedMs: 100 },
    { endMs: 4010, stoppedMs: 30 },
  ]);
  expect(found).toEqual([]);
  findLongHolds(run, holds, [{ endMs: 3920, stoppedMs: 100 }]);
  expect(found).toEqual([
    'the main thread was blocked for more than 50 ms (number of times: 1)',
    '101 ms (running 90) at 1970-01-01T00:00:04.000Z',
  ]);
});

test('tells what ran in each of them, and how long it ran', () => {
  const [long] = readHolds('1000 100.0 20.0 0.0 75.0 ["80 ms parse","  60 ms scan [1]"]\n');
  expect(
    longHoldsTold(long === undefined ? [] : [long, ...holds.slice(0, 2)], [{ endMs: 950, stoppedMs: 100 }]),
  ).toEqual([
    [
      '```text',
      '80 ms until 1970-01-01T00:00:01.000Z (75 ms of it running, and 20 ms more waiting for a processor; a processor of the machine stopped for 50 ms):',
      '80 ms parse',
      '  60 ms scan [1]',
      '```',
    ].join('\n'),
  ]);
});

test('tells the calls of a profile that took much of the time of a hold, and nothing of before', () => {
  const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 6 });
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 3, 6] },
      { id: 2, callFrame: frame('(idle)') },
      { id: 3, callFrame: frame('parse', 'file:///dist/a.js'), children: [4, 5] },
      { id: 4, callFrame: frame('', 'file:///dist/b.js') },
      { id: 5, callFrame: frame('seldom') },
      { id: 6, callFrame: frame('(garbage collector)') },
    ],
    // The first sample was taken before the hold.
    samples: [6, 2, 4, 4, 3, 5, 6],
    timeDeltas: [0, 90_000, 10_000, 30_000, 30_000, 20_000, 5_000],
    startTime: 0,
    endTime: 200_000,
  };
  expect(told(profile, 100)).toEqual(['85 ms parse a.js:7', '  60 ms (anonymous) b.js:7', '15 ms (garbage collector)']);
});
