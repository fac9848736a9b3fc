import { describe, expect, it } from 'vitest';
import { processorMs } from '../../test/support/processorTime.ts';
import { ServiceError } from '../core/errors.ts';
import { parseLql } from './parse.ts';
import { withoutPlaces } from './testing/withoutPlaces.ts';

function refusalOf(text: string): ServiceError {
  try {
    parseLql(text);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`parsed: ${text}`);
}

const readValue = (text: string): unknown => {
  const { clauses } = withoutPlaces(parseLql(text)) as { readonly clauses: readonly { readonly value: unknown }[] };
  expect(clauses).toHaveLength(1);
  return clauses[0]?.value;
};

describe('a value is the longest of its alternatives', () => {
  it.each([
    ['5', { kind: 'number', text: '5' }],
    ['-5.25', { kind: 'number', text: '-5.25' }],
    ['5xx', { kind: 'text', text: '5xx' }],
    ['1e5', { kind: 'text', text: '1e5' }],
    ['-x', { kind: 'text', text: '-x' }],
    ['NULL', { kind: 'null' }],
    ['NULLable', { kind: 'text', text: 'NULLable' }],
    ['null', { kind: 'text', text: 'null' }],
    ['true', { kind: 'boolean', value: true }],
    ['truely', { kind: 'text', text: 'truely' }],
    ['123e4567-e89b-12d3-a456-426614174000', { kind: 'text', text: '123e4567-e89b-12d3-a456-426614174000' }],
    ['"a \\"b\\" \\d"', { kind: 'text', text: 'a "b" \\d' }],
    ['(a "b: c)', { kind: 'text', text: 'a "b: c' }],
    ['()', { kind: 'text', text: '' }],
    ['1..5', { kind: 'range', from: { kind: 'number', text: '1' }, to: { kind: 'number', text: '5' } }],
    ['1.5..-2', { kind: 'range', from: { kind: 'number', text: '1.5' }, to: { kind: 'number', text: '-2' } }],
    ['a.."b c"', { kind: 'range', from: { kind: 'text', text: 'a' }, to: { kind: 'text', text: 'b c' } }],
  ])('%s', (text, value) => {
    expect(readValue(`m.x:${text}`)).toEqual(value);
  });

  it('digits that are more than a number fits are text where they go on as a word', () => {
    const text = `${'9'.repeat(400)}x`;
    expect(readValue(`m.x:${text}`)).toEqual({ kind: 'text', text });
  });

  it.each(['5', 'NULL', '-1.5', '9'.repeat(400)])('behind :~ even %s is text', (text) => {
    expect(readValue(`m.x:~${text}`)).toEqual({ kind: 'text', text });
    expect(readValue(`m.x:@>~${text}`)).toEqual({ kind: 'text', text });
  });
});

describe('clauses are tried in the order of the grammar', () => {
  it.each([
    ['t:now', 'time'],
    ['t:2026-05-01', 'time'],
    ['timestamp:1777636800', 'time'],
    ['timestamp:NULL', 'field'],
    ['timestamp:"2026-05-01"', 'field'],
    ['m.level:info..error', 'level'],
    ['metadata.level:"info".."error"', 'level'],
    ['m.level:error', 'field'],
    ['m.level:10..30', 'field'],
    ['c:count(*)', 'aggregate'],
    ['c:5', 'field'],
    ['s:5', 'select'],
    ['s:5.."x"', 'field'],
    ['"f:x"', 'text'],
    ['m.x', 'text'],
    ['-t:today', 'time'],
  ])('%s is %s', (text, kind) => {
    expect(parseLql(text).clauses.map((clause) => clause.kind)).toEqual([kind]);
  });
});

describe('the first character that cannot be read is the place of the error', () => {
  it.each([
    ['', 1, 1, 'a clause'],
    ['metadata.status:>=', 1, 19, 'a value'],
    ['metadata.status:>= 5', 1, 19, 'a value'],
    ['error\n  m.x:', 2, 7, 'a value'],
    ['m.x:10.0.0.1', 1, 9, 'white space'],
    ['m.x:1..', 1, 8, 'the end of the range'],
    ['m.x:"a"b', 1, 8, 'white space'],
    ['m.x:"a', 1, 5, 'closing quote'],
    ['m.x:(a', 1, 5, 'closing parenthesis'],
    ['m..x:5', 1, 3, 'a name between the dots'],
    ['s:.x', 1, 3, 'a name between the dots'],
    ['s:a..b', 1, 5, 'a name between the dots'],
    ['c:sum(m.x.)', 1, 11, 'a name between the dots'],
    ['foo/bar:baz', 1, 8, 'white space'],
    [':x', 1, 1, 'a clause'],
    ['a"b"', 1, 2, 'white space'],
    ['"abc', 1, 1, 'closing quote'],
    ['-', 1, 1, 'a clause after "-"'],
    ['x - y', 1, 3, 'a clause after "-"'],
    ['-f:x', 1, 1, 'a filter'],
    ['-c:count(*)', 1, 1, 'a filter'],
    ['-s:x', 1, 1, 'a filter'],
    ['~', 1, 2, 'a regular expression'],
    ['f:a f:b', 1, 5, 'one table'],
    ['from:', 1, 6, 'the name of a table'],
    ['c:count(*) c:sum(m.x)', 1, 12, 'one aggregate'],
    ['c:group_by(t::m) c:group_by(t::h)', 1, 18, 'one period'],
    ['c:avg(*)', 1, 7, 'only count accepts *'],
    ['c:median(m.x)', 1, 3, 'an aggregate'],
    ['c:avg(m.x', 1, 10, 'closing parenthesis'],
    ['c:group_by(t::week)', 1, 15, 'a period'],
    ['c:group_by(id::hour)', 1, 12, 't:: and a period'],
    ['c:group_by(t::hour', 1, 19, 'a closing parenthesis'],
    ['s:m.x@1', 1, 7, 'an alias'],
    ['s:*@x', 1, 4, '* cannot have an alias'],
    ['s:a,b', 1, 4, 'white space'],
    ['t:last@5x', 1, 9, 'a unit'],
    ['t:last@12345m', 1, 12, 'a unit'],
    ['t:this@5d', 1, 8, 'a unit'],
    ['t:2026-05-01T10:00', 1, 13, 'white space'],
    ['t:2026-05-01..', 1, 15, 'the end of the time range'],
    ['t:2026-02-{28..30}T00:00:00Z', 1, 3, 'a valid date and time'],
    ['t:>today', 1, 4, 'a point in time'],
    ['t:<=last@5m', 1, 5, 'a point in time'],
    ['m.x:>NULL', 1, 6, 'NULL is allowed only after :'],
    ['m.x:>=true', 1, 7, 'true or false is allowed only after'],
    ['m.x:<1..5', 1, 6, 'a range is allowed only after :'],
    ['m.x:~1..5', 1, 6, 'a range is allowed only after :'],
    ['m.level:info..eror', 1, 15, 'a level'],
    [`m.x:${'9'.repeat(400)}`, 1, 5, 'a number within the range'],
    [`m.x:1..${'9'.repeat(400)}`, 1, 8, 'a number within the range'],
    [`m.x:${'9'.repeat(400)}..a`, 1, 5, 'a number within the range'],
  ])('%j', (text, line, column, expected) => {
    const error = refusalOf(text);
    expect(error.code).toBe('lql.syntax');
    expect(error.errors).toEqual([expect.objectContaining({ line, column })]);
    expect(error.errors[0]?.expected).toContain(expected);
    expect(error.message).toContain(`at line ${line}, column ${column}.`);
  });

  it.each([
    ['m.level:info..eror', 'eror', 'error'],
    ['c:coutn(*)', 'coutn(*)', 'count'],
    ['c:grop_by(t::hour)', 'grop_by(t::hour)', 'group_by'],
    ['c:group_by(t::hours)', 'hours)', 'hour'],
    ['t:last@5minuts', 'minuts', 'minute'],
    ['t:this@moth', 'moth', 'month'],
  ])('%s: suggests the nearest of what is allowed there', (text, token, nearest) => {
    expect(refusalOf(text).errors[0]).toMatchObject({ token, nearest, allowed: expect.arrayContaining([nearest]) });
    expect(refusalOf(text).message).toContain(`Did you mean ${nearest}?`);
  });

  it.each(["m.x:'a'", 'm.x:[1]', 'm.x:10.0.0.1', 'm.x:a/b'])('%s: says that such a value has to be quoted', (text) => {
    expect(refusalOf(text).message).toContain('in double quotes');
  });
});

describe('limits', () => {
  it('takes 100 clauses and refuses one more', () => {
    const clauses = Array.from({ length: 100 }, (_, i) => `w${i}`);
    expect(parseLql(clauses.join(' ')).clauses).toHaveLength(100);
    const error = refusalOf([...clauses, 'x'].join(' '));
    expect(error.code).toBe('sql.too_complex');
    expect(error.errors[0]).toMatchObject({ line: 1, column: clauses.join(' ').length + 2 });
  });

  it.each([
    ['one quoted text', `"${'\\"'.repeat(32_000)}"`],
    ['a text that never ends', `"${'\\'.repeat(64_000)}`],
    ['one path', `${'a.'.repeat(32_000)}a:5`],
    ['one word', 'x'.repeat(64_000)],
    ['open parentheses', `m.x:${'('.repeat(64_000)}`],
    ['dashes', '-'.repeat(64_000)],
    ['braces', `t:${'2026-04-{07..09}'.repeat(4000)}`],
  ])('reads 64 KiB of %s soon', (_name, text) => {
    const tookMs = processorMs(() => {
      try {
        parseLql(text);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    });
    expect(tookMs).toBeLessThan(1000);
  });
});
