import { expect, it } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { partiesToBlame } from './partiesToBlame.ts';

const timeout = new ServiceError('query.timeout', 'over');
const failure = new ServiceError('engine.failed', 'failed');

it.each([
  ['one that takes long', [10, 700, 20], ['1']],
  ['a few that take long', [10, 700, 20, 600, 5], ['1', '3']],
  ['nobody if all take long', [700, 800, 900], []],
  ['nobody if the machine makes most slow', [400, 300, 100, 350], []],
  ['nobody if none takes long', [1, 200, 1], []],
  ['nobody who was read by himself', [5000], []],
] as const)('blames %s', (_, times, blamed) => {
  const parts = times.map((ms, i) => ({ party: String(i), ms, error: undefined }));
  expect(partiesToBlame(parts)).toEqual(blamed);
});

it('blames nobody whose time explains little of that of all', () => {
  const parts = [10, 300, 20, 15].map((ms, party) => ({ party, ms, error: undefined }));
  expect(partiesToBlame(parts, 900)).toEqual([1]);
  expect(partiesToBlame(parts, 901)).toEqual([]);
});

it('blames those that fail, and not all for a hanging engine', () => {
  const parts = (...errors: unknown[]) => errors.map((error, party) => ({ party, ms: 2000, error }));
  expect(partiesToBlame(parts(timeout, timeout, timeout))).toEqual([]);
  expect(partiesToBlame(parts(timeout, failure, undefined))).toEqual([1]);
  const quick = { party: 'quick', ms: 3, error: undefined };
  expect(partiesToBlame([quick, { party: 'slow', ms: 2000, error: timeout }])).toEqual(['slow']);
});
