import type { SqlType } from '../googlesql/types.ts';

export type FormatName = 'json' | 'ndjson' | 'csv' | 'tsv' | 'markdown' | 'prometheus' | 'arrow' | 'parquet';

export interface ResultFormat {
  readonly name: FormatName;
  /** The Content-Type of answers. */
  readonly mediaType: string;
  /** Ending of the name of a downloaded file; null if answers are not offered as files. */
  readonly extension: string | null;
  /** Whether the values profile applies. Other formats always write `plain` values. */
  readonly hasProfile: boolean;
  /** Whether answers are not text. */
  readonly isBinary: boolean;
}

const text = { hasProfile: false, isBinary: false };

const formats: Readonly<Record<FormatName, Omit<ResultFormat, 'name'>>> = {
  json: { ...text, mediaType: 'application/json; charset=utf-8', extension: null, hasProfile: true },
  ndjson: { ...text, mediaType: 'application/x-ndjson; charset=utf-8', extension: 'ndjson', hasProfile: true },
  csv: { ...text, mediaType: 'text/csv; charset=utf-8; header=present', extension: 'csv' },
  tsv: { ...text, mediaType: 'text/tab-separated-values; charset=utf-8', extension: 'tsv' },
  markdown: { ...text, mediaType: 'text/markdown; charset=utf-8', extension: 'md' },
  prometheus: { ...text, mediaType: 'text/plain; version=0.0.4; charset=utf-8', extension: null },
  arrow: { mediaType: 'application/vnd.apache.arrow.stream', extension: 'arrows', hasProfile: false, isBinary: true },
  parquet: { mediaType: 'application/vnd.apache.parquet', extension: 'parquet', hasProfile: false, isBinary: true },
};

export const formatNames = Object.keys(formats) as readonly FormatName[];

export function resultFormat(name: FormatName): ResultFormat {
  return { name, ...formats[name] };
}

/** How the caller wants CSV and TSV. */
export interface TextTableOptions {
  /** Writes `'` before texts that a spreadsheet could take for a formula. */
  readonly isGuarded: boolean;
  /** Begins with a byte order mark, for spreadsheets that otherwise do not read UTF-8. */
  readonly hasMark: boolean;
}

/** A format with the options of a call. */
export interface ChosenFormat extends TextTableOptions {
  readonly name: FormatName;
}

export const chosenJson: ChosenFormat = { name: 'json', isGuarded: false, hasMark: false };

export interface FormatColumn {
  readonly name: string;
  readonly type: SqlType;
}

/** Types whose values JSON writes as strings, although they are not texts. */
const notTexts: ReadonlySet<string> = new Set(['TIMESTAMP', 'DATETIME', 'DATE', 'TIME', 'INTERVAL', 'FLOAT64']);

/** Whether a JSON string in this column is a text. In a FLOAT64 it is `NaN` or an infinity. */
export function hasTexts({ type }: FormatColumn): boolean {
  return !notTexts.has(type.kind);
}
