import { type Field, type Table, tableFromIPC } from 'apache-arrow';
import parsePrometheus from 'parse-prometheus-text-format';
import { type ParquetField, readParquet } from '../../support/readParquet.ts';

/** A cell of a text format. */
export interface CellText {
  /** As a reader of the format unescapes it; null for NULL. */
  readonly text: string | null;
  /** As it is in the body, without spaces and quotes around it. */
  readonly raw: string;
  /** Whether the format had quotes around it. */
  readonly isQuoted: boolean;
}

export interface TypedColumn<Description> {
  readonly column: Description;
  readonly values: readonly unknown[];
}

// Rows of four columns are read: `k`, a text that names the row; `i`, a number; and `v` and `w`, the same value twice, so that
// a format which gives the first column of a type another meaning shows both.

/** The column `v` of each row as JSON text. */
export function jsonCells(format: 'json' | 'ndjson', body: string): readonly string[] {
  const rows =
    format === 'ndjson'
      ? body.trimEnd().split('\n').slice(0, -1)
      : (/^\{"result":\[(.*)\],"meta":/s.exec(body)?.[1] ?? '').split(/,(?=\{"k":")/);
  return rows.map((row) => {
    const [, both = ''] = /"v":(.*)\}$/s.exec(row) ?? [];
    const text = both.slice(0, (both.length - ',"w":'.length) / 2);
    if (both !== `${text},"w":${text}`) throw new Error(`the columns v and w differ in ${row}`);
    return text;
  });
}

/** The column `v` of each row. */
export function textCells(format: 'csv' | 'tsv' | 'markdown', body: string): readonly CellText[] {
  return tables[format](body).map((row) => {
    const cell = row[2];
    if (row.length !== 4 || cell === undefined) throw new Error(`a row of ${format} has ${row.length} cells`);
    return cell;
  });
}

const tables: Readonly<Record<'csv' | 'tsv' | 'markdown', (body: string) => readonly (readonly CellText[])[]>> = {
  csv: (body) => csvRows(body).slice(1),
  tsv: (body) => body.trimEnd().split('\n').slice(1).map(tsvRow),
  markdown: (body) =>
    body
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .slice(2)
      .map(markdownRow),
};

/** RFC 4180. */
function csvRows(body: string): CellText[][] {
  const rows: CellText[][] = [];
  let row: CellText[] = [];
  for (const [, quoted, bare = '', end] of body.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    if (quoted !== undefined) row.push({ text: quoted.replaceAll('""', '"'), raw: quoted, isQuoted: true });
    else row.push({ text: bare === '' ? null : bare, raw: bare, isQuoted: false });
    if (end !== '\r\n') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** As COPY of PostgreSQL reads it. */
function tsvRow(line: string): CellText[] {
  const unescaped: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
  return line.split('\t').map((cell) => ({
    raw: cell,
    text: cell === '\\N' ? null : cell.replaceAll(/\\([tnr\\])/g, (_, letter: string) => unescaped[letter] ?? ''),
    isQuoted: false,
  }));
}

/** As GitHub shows it. */
function markdownRow(line: string): CellText[] {
  const cells = [...line.matchAll(/((?:\\.|[^|\\])*)\|/g)].map(([, cell = '']) => cell).slice(1);
  return cells.map((cell) => {
    const text = cell.replace(/^ /, '').replace(/ $/, '').replaceAll(/\\(.)/g, '$1');
    return { text: text === '' ? null : text, raw: cell.trim(), isQuoted: false };
  });
}

/** The column `v` of an Arrow stream. Times are numbers of units since their beginning. */
export function arrowColumn(body: Uint8Array): TypedColumn<Field> {
  const table = tableFromIPC(body);
  const column = table.schema.fields[2];
  if (column === undefined) throw new Error('the table has no column v');
  return { column, values: unitsOf(table) };
}

/** The library converts times to milliseconds as FLOAT64, so their integers are read below it. */
function unitsOf(table: Table): readonly unknown[] {
  const vector = table.getChild('v');
  if (vector === null) throw new Error('the table has no column v');
  return vector.data.flatMap((data) =>
    Array.from({ length: data.length }, (_, row): unknown => {
      if (!data.getValid(row)) return null;
      return isTime.test(String(data.type)) ? BigInt(data.values[row]) : vector.get(row);
    }),
  );
}

const isTime = /^(?:Timestamp|Date|Time)/;

/** The column `v` of a Parquet file. DuckDB shows its values as JSON. */
export async function parquetColumn(body: Uint8Array): Promise<TypedColumn<ParquetField>> {
  const { schema, rows } = await readParquet(body);
  // The first field is the whole row.
  const column = schema.find(({ name }) => name === 'v');
  if (column === undefined) throw new Error('the file has no column v');
  return { column, values: rows.map((row) => row[2]) };
}

/** What `v` and `w` are in the format of Prometheus, in the row that `k` names. */
export interface PrometheusRow {
  /** Whether the row has the sample of `i`. */
  readonly isShown: boolean;
  /** The sample of the gauge; null without one. */
  readonly gauges: Readonly<Record<'v' | 'w', string | null>>;
  readonly labels: Readonly<Record<'v' | 'w', string | null>>;
}

export interface PrometheusRows {
  readonly ofRow: (k: string) => PrometheusRow;
  /** Of the rows that are shown; null if there are no buckets. */
  readonly bucket: string | null;
}

export function prometheusRows(body: string): PrometheusRows {
  const families = parsePrometheus(body);
  const family = (column: string) => families.find(({ name }) => name.endsWith(`_${column}`));
  return {
    bucket: /^# Bucket (.*)$/m.exec(body)?.[1] ?? null,
    ofRow: (k) => {
      const inFamily = (column: string) => family(column)?.metrics.find(({ labels }) => labels?.k === k);
      const label = (name: string) => inFamily('i')?.labels?.[name] ?? null;
      const gauge = (name: string) => inFamily(name)?.value ?? null;
      return {
        isShown: gauge('i') !== null,
        gauges: { v: gauge('v'), w: gauge('w') },
        labels: { v: label('v'), w: label('w') },
      };
    },
  };
}
