import { expect, it } from 'vitest';
import { parseJson } from '../../core/losslessJson.ts';
import { answerIn, compareAnswers } from './compareAnswers.ts';

const answer = (text: string, status = 200) => answerIn(status, parseJson(text));
const rows = (...texts: readonly string[]) => answer(`{"result":[${texts.join(',')}]}`);

it.each([
  [
    'rows with members in another order',
    rows('{"a":1,"b":{"x":1,"y":2}}'),
    rows('{"b":{"y":2,"x":1},"a":1.0}'),
    'same',
    [],
  ],
  ['no rows', rows(), rows(), 'same', []],
  ['rows in another order', rows('1', '2'), rows('2', '1'), 'order', ['the same rows, in another order']],
  ['fewer rows', rows('1', '2'), rows('1'), 'different', ['old: 2 rows, new: 1 row']],
  ['the same row as often', rows('1', '1', '2'), rows('1', '2', '2'), 'different', ['row 2: 1 became 2']],
  ['a value', rows('{"a":1}'), rows('{"a":2}'), 'different', ['row 1, a: 1 became 2']],
  ['a type', rows('{"a":"7"}'), rows('{"a":7}'), 'different', ['row 1, a: "7" became 7 (another JSON type)']],
  ['a member less', rows('{"a":null}'), rows('{}'), 'different', ['row 1, a: only in the old answer']],
  ['a member more', rows('{}'), rows('{"a":null}'), 'different', ['row 1, a: only in the new answer']],
  [
    'integers beyond 2^53',
    rows('{"n":9007199254740993}'),
    rows('{"n":9007199254740992}'),
    'different',
    ['row 1, n: 9007199254740993 became 9007199254740992'],
  ],
  [
    'an error with status 200 and a refusal',
    answer('{"error":"no"}'),
    answer('{"detail":"no"}', 400),
    'both refuse',
    [],
  ],
  [
    'refusals that say nothing of the call',
    answer('{"error":"who?"}', 401),
    answer('{"detail":"who?"}', 401),
    'different',
    ['old: refused, 401: "who?"', 'new: refused, 401: "who?"'],
  ],
  [
    'a refusal and rows',
    answer('{"error":{"message":"no"}}', 500),
    rows('1'),
    'different',
    ['old: refused, 500: "no"', 'new: 1 row'],
  ],
])('compares %s', (_, old, own, verdict, differences) => {
  expect(compareAnswers(old, own)).toEqual({ verdict, differences });
});

it('tells three differences at most, and long values in part', () => {
  const wide = (value: string) => rows(`{${[1, 2, 3, 4, 5].map((n) => `"m${n}":"${value.repeat(200)}"`).join(',')}}`);
  const { differences } = compareAnswers(wide('x'), wide('y'));
  expect(differences).toHaveLength(3);
  for (const difference of differences) expect(difference.length).toBeLessThan(300);
});
