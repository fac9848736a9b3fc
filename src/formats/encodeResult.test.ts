import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { everyLookEndsTurn, turnsTaken } from '../../test/support/turnsTaken.ts';
import { Pause, Turns } from '../core/concurrency/turns.ts';
import { parseJson } from '../core/losslessJson.ts';
import { writeJson } from '../core/writeJson.ts';
import { arrayOf, BOOL, FLOAT64, INT64, JSON_TYPE, type SqlType, STRING, TIMESTAMP } from '../googlesql/types.ts';
import { encodeParts } from './encodeParts.ts';
import { encodeResult, formatColumns } from './encodeResult.ts';
import { type ChosenFormat, chosenJson, type FormatColumn, type FormatName, formatNames } from './resultFormat.ts';

const folder = mkdtempSync(join(tmpdir(), 'formats-'));
const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});

/** A value as rows have it, and as a table without types shows it. */
interface Value {
  readonly json: string;
  readonly cell: string | null;
}

const nullValue: Value = { json: 'null', cell: null };

const edges = [
  '',
  '=1+1',
  '\\N',
  '\\',
  '"',
  '""',
  ',',
  'a\tb',
  'a\nb\r\nc',
  '\u0001\u001f\u007f',
  'é€😀',
  '\u2028',
  '5',
  'null',
  '| a |',
];
// DuckDB reads no NUL and changes no other text.
const texts = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...edges) },
  { weight: 8, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll('\0', '')) },
  // Longer than a piece.
  { weight: 1, arbitrary: fc.constant('long "text" \\ with 😀 and\nlines '.repeat(700)) },
);

/** JSON as another writer may have stored it: with escapes where none are needed. */
const written = fc.tuple(texts, fc.boolean()).map(([text, isEscaped]) => ({
  text,
  json: isEscaped
    ? `"${Array.from(text.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
    : JSON.stringify(text),
}));
const textValue = written.map(({ text, json }): Value => ({ json, cell: text }));
const integers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const integerValue = integers.map((value): Value => ({ json: `${value}`, cell: `${value}` }));
const bareValue = (...all: readonly string[]) =>
  fc.constantFrom(...all).map((text): Value => ({ json: text, cell: text }));
const quotedValue = (...all: readonly string[]) =>
  fc.constantFrom(...all).map((text): Value => ({ json: `"${text}"`, cell: text }));
const floatValue = fc.oneof(
  bareValue('0', '-0.5', '1e-7', '1.7976931348623157e308', '5e-324', '9007199254740992.0'),
  quotedValue('NaN', 'Infinity', '-Infinity'),
);
const nestedValue = fc
  .oneof(fc.dictionary(texts, fc.oneof(texts, integers, fc.constant(null))), fc.array(fc.oneof(texts, fc.boolean())))
  .map((value): Value => ({ json: writeJson(value as never), cell: writeJson(value as never) }));

const kinds: readonly { readonly type: SqlType; readonly values: fc.Arbitrary<Value> }[] = [
  { type: STRING, values: textValue },
  { type: INT64, values: integerValue },
  { type: FLOAT64, values: floatValue },
  { type: BOOL, values: bareValue('true', 'false') },
  { type: TIMESTAMP, values: quotedValue('2026-05-01T10:00:30.000123Z', '0001-01-01T00:00:00.000000Z') },
  { type: JSON_TYPE, values: fc.oneof(textValue, integerValue, nestedValue, bareValue('true')) },
  { type: arrayOf(STRING), values: nestedValue },
];

interface Table {
  readonly columns: readonly FormatColumn[];
  readonly rows: readonly (readonly Value[])[];
}

const tables: fc.Arbitrary<Table> = fc
  .array(fc.tuple(texts, fc.constantFrom(...kinds)), { minLength: 2, maxLength: 7 })
  .chain((columns) =>
    fc.record({
      columns: fc.constant(
        columns.map(([name, { type }], i): FormatColumn => ({ name: `${name.slice(0, 40)}_${i}`, type })),
      ),
      rows: fc.array(fc.tuple(...columns.map(([, { values }]) => fc.option(values, { freq: 4, nil: nullValue }))), {
        maxLength: 6,
      }),
    }),
  );

function jsonRows({ columns, rows }: Table): string[] {
  return rows.map((row) => `{${row.map(({ json }, i) => `${JSON.stringify(columns[i]?.name)}:${json}`).join(',')}}`);
}

async function encoded(table: Table, name: FormatName, options: Partial<ChosenFormat> = {}): Promise<string> {
  const format = { ...chosenJson, ...options, name };
  const result = {
    endpointName: 'logs.all',
    columns: formatColumns(format, table.columns),
    rows: Buffer.from(jsonRows(table).join(',')),
    rowCount: table.rows.length,
    asOfMicros: Date.UTC(2026, 4, 1, 10) * 1000,
    meta: '{"request_id":"r"}',
    remarks: ['2 rows.'],
  };
  return (await encodeResult(result, format, new Pause())).toString();
}

const cellsOf = ({ rows }: Table) => rows.map((row) => row.map(({ cell }) => cell));

describe('rows in other formats', () => {
  it('are the same in CSV, as DuckDB reads it: names, texts of any kind, and NULL apart from an empty text', async () => {
    const path = join(folder, 'rows.csv');
    await fc.assert(
      fc.asyncProperty(tables, async (table) => {
        writeFileSync(path, await encoded(table, 'csv'));
        const reader = await connection.runAndReadAll(
          `SELECT * FROM read_csv('${path}', header = false, all_varchar = true, auto_detect = false, delim = ',', new_line = '\\r\\n', parallel = false, quote = '"', escape = '"', allow_quoted_nulls = false, max_line_size = 10000000, columns = {${table.columns.map((_, i) => `'c${i}': 'VARCHAR'`).join(', ')}})`,
        );
        expect(reader.getRows()).toEqual([table.columns.map(({ name }) => name), ...cellsOf(table)]);
      }),
      { numRuns: 40 },
    );
  });

  it('are the same in TSV, unescaped as PostgreSQL does', async () => {
    const unescaped: Readonly<Record<string, string>> = { '\\\\': '\\', '\\t': '\t', '\\n': '\n', '\\r': '\r' };
    const cell = (text: string) =>
      text === '\\N' ? null : text.replaceAll(/\\[\\tnr]/g, (found) => unescaped[found] ?? '');
    await fc.assert(
      fc.asyncProperty(tables, async (table) => {
        const lines = (await encoded(table, 'tsv')).split('\n');
        expect(lines.pop()).toBe('');
        expect(lines.map((line) => line.split('\t').map(cell))).toEqual([
          table.columns.map(({ name }) => name),
          ...cellsOf(table),
        ]);
      }),
      { numRuns: 40 },
    );
  });

  it('are the same in NDJSON, one on each line, before a last record that says that they are complete', async () => {
    await fc.assert(
      fc.asyncProperty(tables, async (table) => {
        const lines = (await encoded(table, 'ndjson')).split('\n');
        expect(lines.pop()).toBe('');
        expect(JSON.parse(lines.pop() ?? '')).toEqual({
          '@logmill': { status: 'complete', rows: table.rows.length, meta: { request_id: 'r' } },
        });
        expect(lines.map((line) => parseJson(line))).toEqual(jsonRows(table).map((row) => parseJson(row)));
      }),
      { numRuns: 40 },
    );
  });

  it('stand in as many cells of a Markdown table as there are columns', async () => {
    await fc.assert(
      fc.asyncProperty(tables, async (table) => {
        const lines = (await encoded(table, 'markdown')).split('\n');
        expect(lines.slice(-3)).toEqual(['', '2 rows.', '']);
        const rows = lines.slice(0, -3);
        expect(rows.length).toBe(table.rows.length + 2);
        for (const row of rows) expect(row.replaceAll(/\\./g, '').split('|').length).toBe(table.columns.length + 2);
      }),
      { numRuns: 40 },
    );
  });
});

const text = (value: string): Value => ({ json: JSON.stringify(value), cell: value });
const bare = (value: string): Value => ({ json: value, cell: value });
const column = (name: string, type: SqlType): FormatColumn => ({ name, type });

it('NDJSON renames a column that has the name of the last record, in the rows too', async () => {
  const columns = [column('@logmill', STRING), column('@logmill_1', STRING)];
  expect(await encoded({ columns, rows: [[text('a'), text('b')]] }, 'ndjson')).toMatch(
    /^\{"@logmill_2":"a","@logmill_1":"b"\}\n\{"@logmill":\{"status":"complete","rows":1,/,
  );
});

it('NDJSON keeps a stored value with line ends between its tokens on one line', async () => {
  const json = '{"a":\r\n[1,\n2]}';
  const table = { columns: [column('m', JSON_TYPE)], rows: [[{ json, cell: json }]] };
  expect((await encoded(table, 'ndjson')).split('\n')[0]).toBe('{"m":{"a":  [1, 2]}}');
});

describe('csv_guard', () => {
  const starts = ['=', '+', '-', '@', '\t', '\r', '\n', '\0', '＝', '＋', '－', '＠'];

  it.each(['csv', 'tsv'] as const)(
    'stands before every text of %s that may be a formula, and no other value',
    async (name) => {
      const columns = [column('t', STRING), column('=n', INT64), column('f', FLOAT64)];
      for (const start of starts) {
        for (const json of [
          JSON.stringify(`${start}1`),
          `"\\u${start.charCodeAt(0).toString(16).padStart(4, '0')}1"`,
        ]) {
          const rows = [[{ json, cell: null }, bare('-1'), { json: '"-Infinity"', cell: null }]];
          const table = await encoded({ columns, rows }, name, { isGuarded: true });
          expect(table).toContain(`'=n`);
          expect(table.replaceAll(/[\r\n]*$/g, '')).toMatch(/(^|\n)"?'[\s\S]*-1[,\t]-Infinity$/);
          expect(await encoded({ columns, rows }, name)).not.toContain(`'`);
        }
      }
      const harmless = await encoded({ columns: [column('t', STRING)], rows: [[text('a=1')]] }, name, {
        isGuarded: true,
      });
      expect(harmless).not.toContain(`'`);
    },
  );

  it.each(['csv', 'tsv'] as const)(
    'says how many cells and names of %s it stands before, however they are read',
    async (name) => {
      const columns = [column('t', STRING), column('=n', INT64)];
      const row = (value: string) => `{"t":${JSON.stringify(value)},"=n":-1}`;
      const parts = [[row('=1'), row('1')], [row('@a')]].map((rows) => Buffer.from(rows.join(',')));
      const told: number[] = [];
      const guarded = (cells: number) => void told.push(cells);
      for (const isGuarded of [true, false]) {
        const format = { ...chosenJson, name, isGuarded };
        const whole = { columns, rows: Buffer.from(parts.join(',')), rowCount: 3, asOfMicros: 0, meta: '{}' };
        await encodeResult({ ...whole, endpointName: 'e', remarks: [] }, format, new Pause(), { guarded });
        const inParts = { columns, parts: Readable.from(parts), rowCount: 3, meta: '{}' };
        for await (const _ of encodeParts(inParts, format, new Pause(), guarded));
      }
      expect(told).toEqual([3, 3, 0, 0]);
    },
  );
});

it('a byte order mark comes first, only on demand', async () => {
  const table = { columns: [column('t', STRING)], rows: [[text('a')]] };
  expect(await encoded(table, 'csv', { hasMark: true })).toBe('\ufeff"t"\r\n"a"\r\n');
  expect(await encoded(table, 'csv')).toBe('"t"\r\n"a"\r\n');
});

it('texts of events become no links, images, HTML or cells in Markdown', async () => {
  const table = { columns: [column('t', STRING)], rows: [[text('![x](http://a/b) <b> a|b `c`\n*d*')]] };
  expect((await encoded(table, 'markdown')).split('\n')[2]).toBe(
    '| \\!\\[x\\](http://a/b) \\<b\\> a\\|b \\`c\\`<br>\\*d\\* |',
  );
});

// The engine writes Parquet (engines/duckdb/host/parquetFiles.test.ts).
describe.each(formatNames.filter((name) => name !== 'json' && name !== 'parquet'))('%s', (name) => {
  const columns = [column('t', STRING), column('m', JSON_TYPE), column('n', INT64)];
  const long = '\\"x\\n'.repeat(50_000);
  const row = `{"t":"${long}","m":{"a":["${long}"]},"n":1}`;
  const result = (rows: readonly string[]) => ({
    endpointName: 'e',
    columns,
    rows: Buffer.from(rows.join(',')),
    rowCount: rows.length,
    asOfMicros: 0,
    meta: '{}',
    remarks: [],
  });
  const format = { ...chosenJson, name };

  it('is written in turns, within one long value too', async () => {
    const pause = new Pause(new Turns(everyLookEndsTurn()));
    // About 400 KB in pieces of 16 KiB, of which Prometheus reads half.
    expect(await turnsTaken(() => encodeResult(result([row]), format, pause))).toBeGreaterThan(20);
  });

  it('is no longer written once its caller has left', async () => {
    const abort = new AbortController();
    const pause = new Pause(new Turns(everyLookEndsTurn()), abort.signal);
    let steps = 0;
    const hold = () => {
      if (++steps === 20) abort.abort(new Error('left'));
    };
    const encoding = encodeResult(result([row, row]), format, pause, { hold });
    await expect(encoding).rejects.toThrow('left');
    expect(steps).toBe(20);
  });

  it('says how many bytes it holds while it is written, and ends if they are too many', async () => {
    let heldMax = 0;
    const rows = [row, row];
    const body = await encodeResult(result(rows.map((each, i) => each.replace('x', String(i)))), format, new Pause(), {
      hold: (bytes) => {
        heldMax = Math.max(heldMax, bytes);
      },
    });
    expect(heldMax).toBeGreaterThan(body.length * 0.9);
    expect(heldMax).toBeLessThan(3 * body.length);
    const hold = (bytes: number) => {
      if (bytes > 100_000) throw new Error('full');
    };
    const tooMany = encodeResult(result(rows), format, new Pause(), { hold });
    await expect(tooMany).rejects.toThrow('full');
  });
});
