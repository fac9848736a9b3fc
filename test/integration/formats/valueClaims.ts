import { DataType, type Field, TimeUnit } from 'apache-arrow';
import type { ParquetField } from '../../support/readParquet.ts';
import type { CellText, PrometheusRow } from './readCells.ts';

/** What a check returns if the bytes are what the page says; otherwise it says what they are. */
const asClaimed = 'as claimed';

const judged = (holds: boolean, found: unknown): string => (holds ? asClaimed : JSON.stringify(found));

/** The texts in backticks. */
const codesIn = (claim: string): readonly string[] => [...claim.matchAll(/`([^`]*)`/g)].map(([, code = '']) => code);

const isText = (json: string): boolean => json.startsWith('"');
const unquoted = (json: string): string => (isText(json) ? (JSON.parse(json) as string) : json);

interface JsonEvidence {
  /** The values as JSON texts. */
  readonly cells: readonly string[];
  /** The same with the values profile `records`. */
  readonly inRecords: readonly string[];
}

/** Whether values in JSON are as the page says. */
export function jsonForm(claim: string, { cells, inRecords }: JsonEvidence): string {
  const codes = codesIn(claim);
  const all = (holds: (cell: string) => boolean): string => judged(cells.every(holds), cells);
  const profiled = claim.endsWith(', or as the values profile says');
  if (!profiled && JSON.stringify(cells) !== JSON.stringify(inRecords) && claim !== 'object' && claim !== 'JSON') {
    return `another value with the profile records: ${inRecords.join(' ')}`;
  }
  switch (claim.replaceAll(/`[^`]*`/g, '`')) {
    case 'number with all digits':
      return all((cell) => /^-?\d+$/.test(cell));
    case 'number; `, `, `':
      return judged(cells.filter(isText).join() === codes.join() && cells.some((cell) => /^-?\d/.test(cell)), cells);
    case '`, `':
      return judged(cells.join() === codes.join(), cells);
    case 'string':
      return all(isText);
    case 'base64':
      return all((cell) => isText(cell) && Buffer.from(unquoted(cell), 'base64').toString('base64') === unquoted(cell));
    case '`':
      return judged(cells.includes(codes[0] ?? '') && cells.every(isText), cells);
    case '`, or as the values profile says': {
      const micros = cells.map((cell) => String(microsOf(unquoted(cell))));
      return judged(cells.includes(codes[0] ?? '') && inRecords.join() === micros.join(), [cells, inRecords]);
    }
    case '`, with a fraction if it has one':
      return judged(cells.includes(codes[0] ?? '') && cells.some((cell) => /\.\d+"$/.test(cell)), cells);
    case '` (years-months days hours:minutes:seconds)': {
      // A sample has 1 to 6 of these units.
      const units = ['years', 'months', 'days', 'hours', 'minutes', 'seconds'];
      const [, names = ''] = /\(([^)]*)\)/.exec(claim) ?? [];
      const numbered = names.replaceAll(/\w+/g, (name) => String(units.indexOf(name) + 1));
      return judged(cells.includes(codes[0] ?? '') && cells.includes(`"${numbered}"`), cells);
    }
    case 'array':
      return all((cell) => Array.isArray(JSON.parse(cell)));
    case 'object':
      return all((cell) => cell.startsWith('{'));
    case 'JSON':
      return judged(new Set(cells.map((cell) => /^["[{]|^/.exec(cell)?.[0])).size === 4, cells);
    default:
      return 'a claim that this test does not know';
  }
}

interface TextEvidence {
  readonly cells: readonly CellText[];
  /** The same values as JSON texts. */
  readonly json: readonly string[];
}

/** Whether values in a text format are as the page says. */
export function textForm(claim: string, { cells, json }: TextEvidence): string {
  const each = (expected: (json: string) => string, isBare: boolean): string =>
    judged(
      cells.length === json.length &&
        cells.every(({ text, isQuoted }, i) => text === expected(json[i] ?? '') && !(isBare && isQuoted)),
      cells,
    );
  const [code] = codesIn(claim);
  if (code !== undefined && claim === `\`${code}\``) {
    return cells.some(({ text }) => text === code) ? each(unquoted, true) : judged(false, cells);
  }
  switch (claim) {
    case 'the same':
      return each((value) => value, true);
    case 'the same, without quotes':
      return json.some(isText) ? each(unquoted, true) : judged(false, cells);
    case 'text':
    case 'base64':
      return each(unquoted, false);
    case 'JSON text':
      return json.some(isText) ? judged(false, cells) : each((value) => value, false);
    case 'JSON text; a string without its quotes':
      return each(unquoted, false);
    default:
      return 'a claim that this test does not know';
  }
}

/** The clause of a claim on NULL that is about this text format. */
export function nullForm(claim: string, format: string, { text, raw, isQuoted }: CellText): string {
  const clause = claim.split('; ').find((each) => each.split(': ')[0]?.includes(`\`${format}\``)) ?? '';
  const said = clause.split(': ')[1] ?? '';
  return judged(text === null && !isQuoted && raw === (said === 'nothing' ? '' : codesIn(said)[0]), [said, raw]);
}

interface PrometheusEvidence {
  readonly rows: readonly PrometheusRow[];
  readonly bucket: string | null;
  readonly json: readonly string[];
}

/** Whether columns in the format of Prometheus are as the page says. */
export function prometheusForm(claim: string, { rows, bucket, json }: PrometheusEvidence): string {
  const isNone = ({ v, w }: PrometheusRow['labels']): boolean => v === null && w === null;
  const isBoth = ({ v, w }: PrometheusRow['labels'], text: string | undefined): boolean => v === text && w === text;
  const each = (holds: (row: PrometheusRow, json: string) => boolean): string =>
    judged(bucket === null && rows.every((row, i) => row.isShown && holds(row, json[i] ?? '')), rows);
  const isLeftOut = ({ gauges, labels }: PrometheusRow): boolean => isNone(gauges) && isNone(labels);
  const isLabel = ({ gauges, labels }: PrometheusRow, text: string): boolean =>
    isNone(gauges) && isBoth(labels, unquoted(text));
  const codes = codesIn(claim);
  switch (claim.replaceAll(/`[^`]*`/g, '`')) {
    case 'gauge':
      return each(({ gauges, labels }, value) => isNone(labels) && isBoth(gauges, value));
    case 'gauge; `, `, `': {
      const special = new Map(json.filter(isText).map((text, i) => [text, codes[i]]));
      return each(({ gauges, labels }, value) => isNone(labels) && isBoth(gauges, special.get(value) ?? value));
    }
    case 'label':
      return each(isLabel);
    case 'left out':
      return each(isLeftOut);
    case 'the first column: the bucket; others: left out': {
      const shown = rows.filter(({ isShown }) => isShown);
      const isBucket = bucket !== null && json.map(unquoted).includes(bucket) && shown.length === 1;
      return judged(isBucket && shown.every(isLeftOut), [bucket, rows]);
    }
    case 'a scalar: label; others: left out':
      return each((row, value) => (/^[[{]/.test(value) ? isLeftOut(row) : isLabel(row, value)));
    default:
      return 'a claim that this test does not know';
  }
}

/** The type of an Arrow field in the words of the page. */
export function arrowDescription({ type, metadata }: Field): string {
  const extension = metadata.get('ARROW:extension:name');
  const tagged = extension === undefined ? '' : ` with the extension type \`${extension}\``;
  if (DataType.isTimestamp(type)) {
    return `Timestamp, ${unitOf(type.unit)}, ${type.timezone == null ? 'without a time zone' : type.timezone}`;
  }
  if (DataType.isTime(type)) return `Time${type.bitWidth}, ${unitOf(type.unit)}`;
  if (DataType.isDate(type)) return type.unit === 0 ? 'Date32' : 'Date64';
  if (DataType.isList(type)) return 'List';
  if (DataType.isStruct(type)) return 'Struct';
  return `${type}${tagged}`;
}

const unitOf = (unit: TimeUnit): string => `${TimeUnit[unit]?.toLowerCase()}s`;

/** The type of a Parquet column in the words of the page. */
export function parquetDescription({ physical, converted, logical }: ParquetField, values: readonly unknown[]): string {
  const time = /^(Time(?:stamp)?)Type\(isAdjustedToUTC=(\d).*?(MILLIS|MICROS|NANOS)=\w/.exec(logical ?? '');
  if (time !== null) {
    const [, kind, isUtc, unit] = time;
    const named = `${kind?.toUpperCase()}, ${unit === 'MICROS' ? 'microseconds' : unit}`;
    if (kind === 'Time') return named;
    return `${named}, ${isUtc === '1' ? 'UTC' : 'without a time zone'}`;
  }
  if (/^Map|^List/.test(logical ?? '') || converted === 'LIST') return 'LIST';
  if (physical === null) return 'group';
  if (/^Date/.test(logical ?? '') || converted === 'DATE') return 'DATE';
  if (/^String/.test(logical ?? '') || converted === 'UTF8') {
    return values.every(isNested) ? 'STRING with JSON text' : 'STRING';
  }
  const isPlain = logical === null && (converted === null || (physical === 'INT64' && converted === 'INT_64'));
  return isPlain ? physical : `${physical} ${converted} ${logical}`;
}

/** Whether a text, if there is one, is JSON. */
function isNested(value: unknown): boolean {
  if (value === null) return true;
  try {
    JSON.parse(String(value));
    return true;
  } catch {
    return false;
  }
}

/** A value that a reader of columns returned, as something that `expected` returns for the same value in JSON. */
export function comparable(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'object' && value !== null) {
    return JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each)));
  }
  return value;
}

/** The value of a type in Arrow, from its JSON text. */
export function expected(type: string, json: string): unknown {
  switch (type) {
    case 'INT64':
    case 'JSON':
      return json;
    case 'FLOAT64':
      return Number(unquoted(json));
    case 'TIMESTAMP':
    case 'DATETIME':
    case 'TIME':
      return String(microsOf(unquoted(json)));
    case 'DATE':
      return String(microsOf(unquoted(json)) / 86_400_000_000n);
    default:
      return JSON.parse(json);
  }
}

/** A value that DuckDB read from Parquet, as JSON text. */
export function fromParquet(type: string, value: unknown): string {
  const text = String(value);
  switch (type) {
    case 'INT64':
    case 'JSON':
      return text;
    case 'TIMESTAMP':
      return JSON.stringify(
        text.replace(' ', 'T').replace(/(\.\d+)?\+00$/, (_, part = '.') => `${part.padEnd(7, '0')}Z`),
      );
    case 'DATETIME':
      return JSON.stringify(text.replace(' ', 'T').replace(/\.\d+/, (fraction) => fraction.padEnd(7, '0')));
    case 'BYTES': {
      const bytes = text.replaceAll(/\\x(..)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
      return JSON.stringify(Buffer.from(bytes, 'latin1').toString('base64'));
    }
    default:
      return JSON.stringify(value, (_, each: unknown) =>
        typeof each === 'string' && /^\d+$/.test(each) && type !== 'STRING' ? Number(each) : each,
      );
  }
}

/** Microseconds since 1970, or since midnight. */
export function microsOf(text: string): bigint {
  const whole = text.includes(':') ? text : `${text}T00:00:00`;
  const [, seconds = '', fraction = ''] = /^([^.Z]*)(?:\.(\d+))?Z?$/.exec(whole) ?? [];
  const millis = Date.parse(`${seconds.includes('T') ? seconds : `1970-01-01T${seconds}`}Z`);
  return BigInt(millis) * 1000n + BigInt(fraction.padEnd(6, '0'));
}
