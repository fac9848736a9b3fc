import { describe, expect, it } from 'vitest';
import {
  clausesOf,
  equalsClause,
  filterClause,
  filtersOf,
  lqlPath,
  selectedOf,
  tableOf,
  timesOf,
  withClause,
  withColumn,
  withTable,
  withTimes,
  wordsOf,
} from './clauses.ts';

describe('the clauses of a search', () => {
  it('end at white space, but not in quotes and parentheses', () => {
    const lql = 'f:edge_logs "a b\\" c" ~"x y" m.path:(a b) m.x:~"p q"  m.n:>=5\nword(x y';
    expect(clausesOf(lql).map(({ text }) => text)).toEqual([
      'f:edge_logs',
      '"a b\\" c"',
      '~"x y"',
      'm.path:(a b)',
      'm.x:~"p q"',
      'm.n:>=5',
      'word(x',
      'y',
    ]);
  });

  it('know their place in the text', () => {
    for (const { text, at } of clausesOf(' f:a  "b c" d'))
      expect(' f:a  "b c" d'.slice(at, at + text.length)).toBe(text);
  });

  it('are read to the end if a quote is not closed', () => {
    expect(clausesOf('f:a "b c').map(({ text }) => text)).toEqual(['f:a', '"b c']);
  });

  it('are changed one kind at a time, and the others stay as typed', () => {
    const lql = 'from:edge_logs "it  is" t:last@1h s:m.path -t:today';
    expect(tableOf(lql)).toBe('edge_logs');
    expect(timesOf(lql)).toEqual(['t:last@1h']);
    expect(selectedOf(lql)).toEqual(['m.path']);
    expect(withTable(lql, 'auth_logs')).toBe('f:auth_logs "it  is" t:last@1h s:m.path -t:today');
    expect(withTimes(lql, ['t:today'])).toBe('from:edge_logs "it  is" s:m.path t:today');
    expect(withColumn(lql, 'm.path', false)).toBe('from:edge_logs "it  is" t:last@1h -t:today');
    expect(filtersOf(`${lql} c:count(*)`)).toBe('from:edge_logs "it  is" t:last@1h -t:today');
  });

  it('have one of a filter and its opposite', () => {
    expect(withClause('f:a m.x:1 t:today', '-m.x:1')).toBe('f:a -m.x:1 t:today');
    expect(withClause('f:a -m.x:1 t:today', 'm.x:1')).toBe('f:a m.x:1 t:today');
    expect(withClause('f:a m.x:1 t:today', 'm.x:1')).toBe('f:a m.x:1 t:today');
  });

  it('give the words to mark: not those that are patterns, negated or filters', () => {
    expect(wordsOf('f:a timeout "no \\"such\\" table" ~x -y m.z:1')).toEqual(['timeout', 'no "such" table']);
  });
});

describe('clauses that are made from rows', () => {
  it('write values so that they are read as they are', () => {
    expect(equalsClause('m.x', 'a"b\\c')).toBe('m.x:"a\\"b\\\\c"');
    expect(equalsClause('m.x', -9223372036854775808n)).toBe('m.x:-9223372036854775808');
    expect(equalsClause('m.x', null)).toBe('m.x:NULL');
    expect(equalsClause('m.x', true)).toBe('m.x:true');
  });

  it('are not offered for nested and redacted values', () => {
    expect(filterClause('m.x', 'a')).toBe('m.x:"a"');
    for (const value of [[1], { a: 1 }, 'from [REDACTED:email]']) expect(filterClause('m.x', value)).toBeNull();
  });

  it('are not offered for what LQL cannot write', () => {
    expect(equalsClause('m.x', 'a\nb')).toBeNull();
    expect(lqlPath(['metadata', 'a-b'])).toBeNull();
    expect(lqlPath(['metadata', 'request', 'path'])).toBe('m.request.path');
    expect(lqlPath(['metadata'])).toBe('metadata');
  });
});
