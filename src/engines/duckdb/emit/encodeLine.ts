import { assertNever } from '../../../core/assertNever.ts';
import type { LineForm } from '../../../ports/queryEngine.ts';
import { quoteMark } from '../quoteMark.ts';
import { type EncodedColumn, encodeKnown, finiteNumber, scalarOf } from './encodeRow.ts';
import { quoteText } from './literal.ts';

/**
 * Writes one row as a line of CSV or TSV in UTF-8 (BLOB), exactly as formats/csv.ts and formats/tsv.ts write it from the JSON of
 * the row in the profile `plain`. The engine does this on all of its threads, and nobody reads the row again. Only quotes
 * of CSV are left to whoever copies the line (process/read/quoteDoubler.ts), because `replace` takes most of the time of long texts.
 */
export function encodeLine(columns: readonly EncodedColumn[], form: LineForm): string {
  if (form.kind === 'csv') return csvLine(columns.map((column) => csvCell(column, form.isGuarded)));
  const cells = columns.map((column) => tsvCell(column, form.isGuarded));
  const parts = [cells.join(`, ${quoteText('\t')}, `), 'chr(10)'];
  return `encode(concat(${parts.filter((part) => part !== '').join(', ')}))`;
}

/** Part of a line of CSV: text, which may be NULL if it is empty, or bytes with marks. */
type Part = { readonly kind: 'text' | 'bytes'; readonly sql: string };

/** Texts that stand side by side are joined before they become bytes. */
function csvLine(cells: readonly Part[]): string {
  const comma: Part = { kind: 'text', sql: quoteText(',') };
  const lineEnd: Part = { kind: 'text', sql: 'chr(13), chr(10)' };
  const parts = [...cells.flatMap((cell, i) => (i === 0 ? [cell] : [comma, cell])), lineEnd];
  const written: string[] = [];
  let texts: string[] = [];
  for (const { kind, sql } of parts) {
    if (kind === 'text') {
      texts.push(sql);
      continue;
    }
    if (texts.length > 0) written.push(`encode(concat(${texts.join(', ')}))`);
    written.push(sql);
    texts = [];
  }
  return [...written, `encode(concat(${texts.join(', ')}))`].join(' || ');
}

/** What a value is in a text format. */
type Cell =
  /** Text without any character that a format must escape. */
  | { readonly kind: 'bare'; readonly sql: string }
  | { readonly kind: 'text'; readonly sql: string }
  /** The text of a JSON object or array. */
  | { readonly kind: 'nested'; readonly sql: string }
  /** JSON of any kind. */
  | { readonly kind: 'json'; readonly sql: string };

function cellOf({ sql, type, isFinite: hasNoOther }: EncodedColumn): Cell {
  switch (type.kind) {
    case 'STRING':
      return { kind: 'text', sql };
    case 'BYTES':
      return { kind: 'text', sql: `base64(${sql})` };
    case 'FLOAT64': {
      const finite = `CAST(${finiteNumber(sql)} AS VARCHAR)`;
      const other = `WHEN isnan(${sql}) THEN 'NaN' WHEN ${sql} > 0 THEN 'Infinity' WHEN ${sql} < 0 THEN '-Infinity'`;
      return { kind: 'bare', sql: hasNoOther ? finite : `CASE WHEN isfinite(${sql}) THEN ${finite} ${other} END` };
    }
    case 'INT64':
    case 'BOOL':
    case 'TIMESTAMP':
    case 'DATETIME':
    case 'DATE':
    case 'TIME':
    case 'INTERVAL':
    case 'NULL':
      return { kind: 'bare', sql: `CAST(${scalarOf(sql, type, 'plain')} AS VARCHAR)` };
    case 'ARRAY':
    case 'STRUCT':
      return { kind: 'nested', sql: encodeKnown(sql, type, 'plain', 0) };
    case 'JSON':
      return { kind: 'json', sql: `CAST(${sql} AS VARCHAR)` };
    default:
      return assertNever(type);
  }
}

const mark = `'\\x${quoteMark.toString(16)}'::BLOB`;
const noBytes = `''::BLOB`;

/** `concat` leaves out NULL, whose cell is empty. */
function csvCell(column: EncodedColumn, isGuarded: boolean): Part {
  const cell = cellOf(column);
  const marked = (sql: string): string => `${mark} || encode(${sql}) || ${mark}`;
  const guarded = (sql: string): string => (isGuarded ? guard(sql) : sql);
  const bytes = (sql: string): Part => ({ kind: 'bytes', sql: `coalesce(${sql}, ${noBytes})` });
  switch (cell.kind) {
    case 'bare':
      return { kind: 'text', sql: cell.sql };
    case 'text':
      return bytes(marked(guarded(cell.sql)));
    case 'nested':
      return bytes(marked(cell.sql));
    case 'json':
      return bytes(
        ofJson(cell.sql, {
          nested: marked,
          text: (text) => marked(guarded(text)),
          other: (sql) => `encode(${sql})`,
          noValue: noBytes,
        }),
      );
    default:
      return assertNever(cell);
  }
}

function tsvCell(column: EncodedColumn, isGuarded: boolean): string {
  const cell = cellOf(column);
  const escaped = (sql: string): string =>
    [
      ['\\', '\\\\'],
      ['\t', '\\t'],
      ['\n', '\\n'],
      ['\r', '\\r'],
    ].reduce((text, [from = '', to = '']) => replaced(text, from, to), sql);
  const guarded = (sql: string): string => (isGuarded ? guard(sql) : sql);
  const noValue = quoteText('\\N');
  switch (cell.kind) {
    case 'bare':
      return `coalesce(${cell.sql}, ${noValue})`;
    case 'text':
      return `coalesce(${escaped(guarded(cell.sql))}, ${noValue})`;
    case 'nested':
      return `coalesce(${escaped(cell.sql)}, ${noValue})`;
    case 'json':
      return `coalesce(${ofJson(cell.sql, { nested: escaped, text: (text) => escaped(guarded(text)), other: (sql) => sql, noValue })}, ${noValue})`;
    default:
      return assertNever(cell);
  }
}

const replaced = (sql: string, from: string, to: string): string =>
  `replace(${sql}, ${quoteText(from)}, ${quoteText(to)})`;

interface JsonWriters {
  /** Writes an object or array. */
  readonly nested: (sql: string) => string;
  /** Writes the content of a string. */
  readonly text: (sql: string) => string;
  /** Writes a number, `true` or `false`. */
  readonly other: (sql: string) => string;
  readonly noValue: string;
}

function ofJson(sql: string, { nested, text, other, noValue }: JsonWriters): string {
  const first = `left(${sql}, 1)`;
  const content = `json_extract_string(${sql}, '$')`;
  return `CASE WHEN ${first} IN ('{', '[') THEN ${nested(sql)} WHEN ${first} = '"' THEN ${text(content)} WHEN ${sql} = 'null' THEN ${noValue} ELSE ${other(sql)} END`;
}

/** The characters of formats/formulaGuard.ts. */
const dangerous = [0x3d, 0x2b, 0x2d, 0x40, 0x09, 0x0d, 0x0a, 0x00, 0xff1d, 0xff0b, 0xff0d, 0xff20];

function guard(sql: string): string {
  const characters = dangerous.map((code) => `chr(${code})`).join(', ');
  return `CASE WHEN left(${sql}, 1) IN (${characters}) THEN '''' || ${sql} ELSE ${sql} END`;
}
