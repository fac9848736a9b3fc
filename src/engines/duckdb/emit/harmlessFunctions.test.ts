import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { constantFrom, firstConstant, harmless } from './rowByRow.ts';

// DuckDB computes functions that it believes cannot fail for each value of a dictionary. A join makes dictionaries of values of
// all types, as storage does of texts: here they hold values of other rows, on which most functions fail.

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run('CREATE TABLE facts AS SELECT i % 80 AS k FROM range(400) AS r(i)');
  await connection.run(`CREATE TABLE held AS SELECT i AS k, ${held()} FROM range(160) AS r(i)`);
});
afterAll(() => connection.closeSync());

interface Values {
  readonly own: string;
  readonly others: readonly string[];
}

const extremes = ["'-9223372036854775808'", "'9223372036854775807'", '0', '-1', "'4294967296'", "'-4294967297'"];
const texts = [
  ...[
    '(',
    '[a-',
    'x\\',
    '\\',
    '%Q',
    '%',
    '{bad',
    '{}',
    '{:d}',
    '{"a":1',
    '[[[',
    '"\\ud800"',
    'No/Zone',
    '\t',
    '',
    ':',
    '$[',
  ],
  ...[
    '99999999999999999999',
    '-9223372036854775808',
    '1e400',
    'nan',
    '-1',
    '-',
    '0x',
    '\\x4',
    '2026-13-45',
    '=?=',
    'é',
  ],
].map((text) => `'${text.replaceAll("'", "''")}'`);
/** Values by type of the engine: one on which most functions succeed, and others. */
const valuesOf: Readonly<Record<string, Values>> = {
  VARCHAR: { own: "'2026'", others: texts },
  BIGINT: { own: '1', others: extremes },
  INTEGER: { own: '1', others: ['-2147483648', '2147483647', '0', '-1', '55296', '1114112'] },
  DOUBLE: { own: '0.5', others: ["'nan'", "'inf'", "'-inf'", '1e308', '-1', '0', '1e19'] },
  TIMESTAMP: { own: "'2026-05-01'", others: ["'290000-01-01'", "'270000-01-01 (BC)'", "'infinity'", "'-infinity'"] },
  INTERVAL: { own: "'1 day'", others: ["'2147483647 days'", "'-2147483648 months'"] },
  BLOB: { own: "'ab'", others: ["'\\xFF\\xC3'", "''", "'\\x00'"] },
  BOOLEAN: { own: 'TRUE', others: ['FALSE'] },
  'VARCHAR[]': { own: "['2026']", others: ["['(', NULL]", '[]', "['x\\', '']"] },
};
const columnOf = (type: string) => `of_${type.toLowerCase().replace('[]', '_list')}`;
const held = () =>
  Object.entries(valuesOf)
    .map(([type, { own, others }]) => {
      const all = others.map((other) => `CAST(${other} AS ${type})`).join(', ');
      return `CASE WHEN i % 2 = 0 THEN CAST(${own} AS ${type}) ELSE ([${all}])[1 + (i // 2) % ${others.length}] END AS ${columnOf(type)}`;
    })
    .join(', ');

/** Columns for a parameter of a function. */
function columnsFor(parameter: string): readonly string[] {
  if (valuesOf[parameter] !== undefined) return [columnOf(parameter)];
  if (/^(?:U?(?:TINY|SMALL|HUGE)?INT|UBIGINT|UINTEGER|DECIMAL|FLOAT)/.test(parameter)) return [columnOf('BIGINT')];
  if (parameter === 'JSON') return [columnOf('VARCHAR')];
  if (parameter.endsWith('[]')) return [columnOf('VARCHAR[]')];
  return /^(?:ANY|T\d?)$/.test(parameter) ? [columnOf('VARCHAR'), columnOf('BIGINT')] : [];
}

/** Constants for a parameter. */
function constantsFor(parameter: string): readonly string[] {
  switch (parameter) {
    case 'VARCHAR':
      return ["'%Y'", "'$.a'", "'(.)'", "'day'", "'UTC'", "'2'"];
    case 'TIMESTAMP':
    case 'DATE':
      return [`${parameter} '2026-05-01'`];
    case 'INTERVAL':
      return ["INTERVAL '1 day'"];
    case 'BLOB':
      return ["'a'::BLOB"];
    case 'BOOLEAN':
      return ['TRUE'];
    default:
      if (parameter.endsWith('[]')) return ["['2']"];
      return /^(?:ANY|T\d?|JSON)$/.test(parameter) ? ["'2'", '1'] : ['1', '0', '3'];
  }
}

const columns = Object.keys(valuesOf).map(columnOf).join(', ');
const flat = Object.keys(valuesOf).map((type) => `list_extract([${columnOf(type)}], 1) AS ${columnOf(type)}`);
/** The same rows, with and without dictionaries. */
const rowByRow = `SELECT k, ${flat.join(', ')} FROM held WHERE k < 80`;
const ofDictionaries = `SELECT held.k, ${columns} FROM facts JOIN held ON facts.k = held.k`;

async function rowsOf(calls: readonly string[], table: string): Promise<string> {
  const items = calls.map((call) => `CAST(CASE WHEN k % 2 = 0 THEN ${call} END AS VARCHAR)`);
  const rows = await connection.runAndReadAll(`SELECT DISTINCT ${items.join(', ')} FROM (${table}) ORDER BY ALL`);
  return JSON.stringify(rows.getRowsJson());
}

/** The calls that the engine takes and that succeed on the own values. */
async function possible(calls: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const call of calls) {
    const rows = await rowsOf([call], rowByRow).catch(() => null);
    if (rows !== null) found.push(call);
  }
  return found;
}

/** What values of other rows change in the results of these calls; null if nothing. */
async function difference(calls: readonly string[]): Promise<string | null> {
  try {
    const [expected, found] = [await rowsOf(calls, rowByRow), await rowsOf(calls, ofDictionaries)];
    return expected === found ? null : `${found} instead of ${expected}`;
  } catch (error) {
    return String(error);
  }
}

/** The calls of a function in which one argument is a column, and the others are constant. */
async function callsOf(name: string): Promise<readonly string[]> {
  const signatures = await connection.runAndReadAll(
    `SELECT DISTINCT parameter_types FROM duckdb_functions() WHERE function_type = 'scalar' AND function_name = '${name}'`,
  );
  const calls = new Set<string>();
  for (const [parameters] of signatures.getRowsJson() as string[][][]) {
    if (parameters === undefined || parameters.length > 4) continue;
    if (name === 'epoch_us' && parameters[0] === 'INTERVAL') continue; // the emitters write it for times only
    for (const [position, parameter] of parameters.entries()) {
      if (position >= (constantFrom.get(name) ?? 4) || (position === 0 && firstConstant.has(name))) continue;
      for (const column of columnsFor(parameter)) {
        let lists: readonly string[][] = [[]];
        for (const [i, other] of parameters.entries()) {
          const choices = i === position ? [column] : constantsFor(other);
          lists = lists.flatMap((list) => choices.map((choice) => [...list, choice]));
        }
        for (const list of lists.slice(0, 8)) calls.add(`${name}(${list.join(', ')})`);
      }
    }
  }
  return [...calls];
}

const names = [...harmless, ...constantFrom.keys(), ...firstConstant].filter((name) => name !== 'error');

describe('a function that is read from a dictionary does not tell of the values of other rows', () => {
  it.each(names)('%s', async (name) => {
    const calls = await possible(await callsOf(name));
    expect(calls.length === 0 ? null : await difference(calls)).toBeNull();
  });

  it.each([
    "array_to_string([of_varchar], ',')",
    'list_transform([struct_pack(a0 := of_varchar)], lambda lm: CAST(lm.a0 AS BIGINT))[1]',
    "list_transform([struct_pack(a0 := string_split(of_varchar, ''))], lambda lm: list_transform(lm.a0, lambda c: CAST(c AS BIGINT)))[1]",
    "list_transform([struct_pack(a0 := lower(of_varchar))], lambda lm: regexp_replace('x', lm.a0, 'y'))[1]",
    'CAST(of_varchar AS BIGINT)',
    'TRY(CAST(of_varchar AS BIGINT))',
    "of_varchar || 'x'",
    "of_varchar LIKE '2\\%' ESCAPE '\\'",
    "'x' LIKE of_varchar",
    'of_bigint * 4',
    '10 // of_bigint',
    '1 << of_integer',
    'of_varchar[of_bigint]',
    "of_varchar IN ('2026', '(')",
    "struct_pack(f0 := of_varchar) = struct_pack(f0 := '2026')",
  ])('%s', async (call) => {
    expect(await difference([call])).toBeNull();
  });
});

it.each([
  "regexp_replace('x', of_varchar, 'y')",
  "left('x', of_bigint)",
  'chr(of_integer)',
  'epoch_ms(of_bigint)',
  "'x' LIKE of_varchar ESCAPE '\\'",
  "list_transform(string_split(of_varchar, ''), lambda c: CAST(c AS BIGINT))",
  'list_transform([of_varchar], lambda c: CAST(c AS BIGINT))',
])('%s fails on the values of other rows, which this test must see', async (call) => {
  expect(await possible([call])).toEqual([call]);
  expect(await difference([call])).toMatch(/Error/);
});
