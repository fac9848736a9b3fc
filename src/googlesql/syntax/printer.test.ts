import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectEqual } from '../../../test/support/expectEqual.ts';
import { ServiceError } from '../../core/errors.ts';
import { parseQuery } from './parser.ts';
import { printQuery } from './printer.ts';
import { withoutPositions } from './testing/expectations.ts';
import { queryText } from './testing/queryText.ts';

const corpus = JSON.parse(
  readFileSync(new URL('../../../test/conformance/data/queries.json', import.meta.url), 'utf8'),
) as readonly { readonly name: string; readonly sql: string }[];

/** The tree and its text, and both again after parsing that text: two equal pairs if printing is right. */
function roundTrip(text: string): readonly [unknown, unknown] {
  const { query } = parseQuery(text);
  const printed = printQuery(query);
  const again = parseQuery(printed).query;
  return [
    { printed, tree: withoutPositions(query) },
    { printed: printQuery(again), tree: withoutPositions(again) },
  ];
}

describe('printing a tree gives a text of the same tree, and always the same text', () => {
  it.each(corpus)('$name', ({ sql }) => {
    const [first, second] = roundTrip(sql);
    expectEqual(second, first);
  });

  it('for random queries', () => {
    fc.assert(
      fc.property(queryText(4), (text) => {
        const [first, second] = roundTrip(text);
        expectEqual(second, first);
      }),
      { numRuns: 1500 },
    );
  });
});

describe('printing', () => {
  it.each([
    ['select (a+b)*c - (d - e), -(-1), - -1', 'SELECT (a + b) * c - (d - e), -(-1), -(-1)'],
    ['select not (a and b), (not a) = b, a = not b', 'SELECT NOT (a AND b), (NOT a) = b, a = (NOT b)'],
    ['select (a and b) and c, a and b and c, a and (b or c)', 'SELECT (a AND b) AND c, a AND b AND c, a AND (b OR c)'],
    ['select (a = b) = c, (a in (1)) is null', 'SELECT (a = b) = c, (a IN (1)) IS NULL'],
    [
      'select interval (1) day, interval (a + 1) day, interval (a::double) day',
      'SELECT INTERVAL 1 day, INTERVAL (a + 1) day, INTERVAL (a::DOUBLE) day',
    ],
    ['select (1).a, (a::x).b, (a + b)[0]', 'SELECT (1).a, (a::X).b, (a + b)[0]'],
    ["select 'it\\'s', r'\\d', '''a\nb''', \"\\u0001\"", "SELECT 'it\\'s', '\\\\d', 'a\\nb', '\\u0001'"],
    ["select b'a\\'\\xff\\n'", "SELECT b'a\\x27\\xff\\x0a'"],
    ['select `a`, `b c`, m.`x\\`y`', 'SELECT `a`, `b c`, m.`x\\`y`'],
    ['select a x, b as y from t z inner join u on c', 'SELECT a AS x, b AS y FROM t AS z JOIN u ON c'],
    ['select 1 order by a asc, b desc nulls last limit 1;', 'SELECT 1 ORDER BY a, b DESC NULLS LAST LIMIT 1'],
    ['select a join_, b from t a, u join v using(k) -- c', 'SELECT a AS join_, b FROM t AS a, u JOIN v USING (k)'],
  ] as const)('%s', (text, printed) => {
    expect(printQuery(parseQuery(text).query)).toBe(printed);
  });
});

describe('any text at all is parsed or refused with an error of the catalogue', () => {
  /** Undefined where all is well. */
  const complaint = (text: string): string | undefined => {
    try {
      parseQuery(text);
      return undefined;
    } catch (error) {
      if (!(error instanceof ServiceError)) return `${text}: ${String(error)}`;
      const isExpected = ['sql.syntax', 'sql.unsupported', 'sql.too_complex', 'sandbox.statement'].includes(error.code);
      const [item] = error.errors;
      const hasPlace = item?.line !== undefined && item.column !== undefined && item.line > 0 && item.column > 0;
      return isExpected && hasPlace ? undefined : `${text}: ${error.code} ${error.message}`;
    }
  };

  it('every prefix of the conformance queries', () => {
    const prefixes = corpus.flatMap(({ sql }) => Array.from(sql, (_, end) => sql.slice(0, end)));
    expect(prefixes.map(complaint).filter((each) => each !== undefined)).toEqual([]);
  });

  it('conformance queries with a piece cut out, doubled or brought in from another', () => {
    const text = fc.constantFrom(...corpus.map(({ sql }) => sql));
    fc.assert(
      fc.property(text, text, fc.nat(400), fc.nat(400), fc.nat(12), (one, other, at, from, length) => {
        const without = one.slice(0, at) + one.slice(at + length);
        const doubled = one.slice(0, at + length) + one.slice(at);
        const mixed = one.slice(0, at) + other.slice(from, from + length) + one.slice(at);
        expect([without, doubled, mixed].map(complaint)).toEqual([undefined, undefined, undefined]);
      }),
      { numRuns: 2000 },
    );
  });

  it('any characters', () => {
    const characters = fc.constantFrom(...`'"\`\\()[]<>.,;:@#-/*|=!%\n\r\u0000 rbselctfom019_é😀\ud800`);
    const unit = fc.oneof(characters, fc.constantFrom(' select ', ' from ', ' in ', '|>', "'''"));
    const text = fc.array(unit, { maxLength: 40 }).map((units) => `select ${units.join('')}`);
    fc.assert(
      fc.property(text, (each) => {
        expect(complaint(each)).toBeUndefined();
      }),
      { numRuns: 3000 },
    );
  });
});
