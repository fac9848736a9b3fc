import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { functionCatalogue } from '../../../src/googlesql/functions/catalogue.ts';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { type LoggedEvent, RedactedStore } from '../redaction/redactedStore.ts';

// Every function of the dialect, computed from a column whose dictionary in a sealed segment holds texts of another project. A query
// must give the same rows, or fail in the same way, as in a store without these texts.

const column = 't.metadata.request.method';
/** Empty, so that a literal with the column next to it keeps its value in the own events. */
const ownText = '';
const otherTexts = [
  ...['(', '[a-', 'x\\', '\\', '%Q', '%', '{bad', '"', '"\\ud800"', '[[[', '$[', 'No/Zone', '=?=', 'é', '\t', ':'],
  ...['99999999999999999999', '1e400', 'nan', '-1', '-', '0x', '2026-13-45', ' 25:61', '+99:99', 'Z', 'T'],
];

const event = (project: string, i: number, method: string): LoggedEvent => ({
  id: `${project}-${i}`,
  project,
  event_message: 'x',
  metadata: { request: { method } },
});
const own = Array.from({ length: 40 }, (_, i) => event('p', i, ownText));
/** They follow the own events in the segment. Only whole vectors of 2,048 rows are read with a dictionary. */
const others = Array.from({ length: 3_000 }, (_, i) => event('q', i, otherTexts[i % otherTexts.length] ?? ''));

let alone: RedactedStore;
let shared: RedactedStore;
beforeAll(async () => {
  const variant = { withHotColumns: true, isSealed: true };
  [alone, shared] = await Promise.all([
    RedactedStore.open(own, variant),
    RedactedStore.open([...own, ...others], variant),
  ]);
});
afterAll(async () => {
  await Promise.all([alone.close(), shared.close()]);
});

const literals =
  /(?:\b(?<type>DATE|DATETIME|TIMESTAMP|TIME|JSON)\s+)?(?<prefix>\b[rb])?(?<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?<number>(?<![\w.])\d{1,2}(?![\w.]))/gi;

/** An expression with one of its literals joined with the column, before it or behind it. */
function withColumn(expression: string): readonly string[] {
  return [...expression.matchAll(literals)].map((match, i) => {
    const { type, prefix = '', text = '', number } = match.groups ?? {};
    const before = expression.slice(0, match.index);
    const after = expression.slice(match.index + match[0].length);
    const isBytes = prefix.toLowerCase() === 'b';
    const value =
      number === undefined
        ? beside(prefix + text, isBytes, i % 2 === 0)
        : `LENGTH(CONCAT('${'x'.repeat(Number(number))}', ${column}))`;
    return `${before}${type === undefined ? value : `CAST(${value} AS ${type})`}${after}`;
  });
}

function beside(literal: string, isBytes: boolean, isBefore: boolean): string {
  const text = isBytes ? `CAST(${column} AS BYTES)` : column;
  return `CONCAT(${isBefore ? `${literal}, ${text}` : `${text}, ${literal}`})`;
}

const answerOf = async (store: RedactedStore, sql: string): Promise<string> =>
  await store.rows(sql, { isRaw: true }).catch((error: unknown) => {
    if (error instanceof ServiceError) return `${error.code}: ${error.message}`;
    throw error;
  });

const isAnswered = (answer: string): boolean => answer.startsWith('[');

/** Checks an expression in a condition and in the select list. Whether it is valid, and succeeds on the own events. */
async function check(expression: string): Promise<boolean> {
  const sql = `SELECT ${expression} AS x FROM logs AS t WHERE (${expression}) IS NULL OR t.id = 'p-0' LIMIT 1`;
  const expected = await answerOf(alone, sql);
  if (!isAnswered(expected) && !expected.startsWith('sql.data')) return false;
  expect({ sql, answer: await answerOf(shared, sql) }).toEqual({ sql, answer: expected });
  return isAnswered(expected);
}

let succeeded = 0;
const checkAll = async (expressions: readonly string[]): Promise<void> => {
  const checked = await Promise.all(expressions.map(check));
  succeeded += checked.filter(Boolean).length;
};

const examples = [...functionCatalogue.values()].flatMap(({ name, kind, example, isVolatile }) =>
  kind === 'scalar' && isVolatile !== true ? [[name, example.replace(/^SELECT /, '').replace(/ AS \w+$/i, '')]] : [],
);

describe(onEngine('texts of another project in a dictionary do not change what a function gives'), () => {
  it.each(examples)('%s', async (_name, expression = '') => {
    await checkAll(withColumn(expression));
  });

  it.each([
    ...['INT64', 'FLOAT64', 'BOOL', 'DATE', 'DATETIME', 'TIMESTAMP', 'TIME', 'BYTES', 'INTERVAL'].map((type) => {
      const value = /DATE|TIMESTAMP/.test(type)
        ? '2026-05-01'
        : { BOOL: 'true', TIME: '10:00:00', INTERVAL: '1-0 0 0:0:0' }[type];
      return `CAST('${value ?? '1'}' AS ${type})`;
    }),
    "SAFE_CAST('1' AS INT64) + 1",
    "'abc' LIKE 'a%'",
    "'abc' LIKE 'a_c'",
    "CASE 'a' WHEN 'a' THEN 'b' ELSE 'c' END",
    "'a' IN ('a', 'b')",
    "'a' BETWEEN 'a' AND 'b'",
    "COALESCE('a', 'b')",
    "['a', 'b'][OFFSET(1)]",
    "STRUCT('a' AS x, 'b' AS y).y",
    "(SELECT MAX(CAST(c AS INT64)) FROM UNNEST(SPLIT('12', '')) AS c)",
    "ARRAY_LENGTH(ARRAY(SELECT LEFT('x', LENGTH(c) - 1) FROM UNNEST(SPLIT('1,2')) AS c))",
    "EXTRACT(HOUR FROM TIMESTAMP '2026-05-01' AT TIME ZONE 'UTC')",
    "FORMAT_TIMESTAMP('%Y', TIMESTAMP '2026-05-01', 'UTC')",
    "JSON_VALUE(PARSE_JSON('{\"a\": 1}'), '$.a')",
    "REGEXP_REPLACE(REGEXP_REPLACE('/a/1', r'[0-9]+', 'n'), '/', '.')",
  ])('%s', async (expression) => {
    await checkAll(withColumn(expression));
  });

  it('and most of these calls succeed on the own events', () => {
    expect(succeeded).toBeGreaterThan(150);
  });
});
