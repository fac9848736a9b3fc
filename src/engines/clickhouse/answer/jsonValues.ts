import type { SqlType } from '../../../googlesql/types.ts';
import type { ValuesProfile } from '../../../ports/queryEngine.ts';
import type { Transport } from '../emit/fetch.ts';
import type { JsonBytes } from './jsonBytes.ts';
import { dateText, floatText, memberFloatText, timeParts } from './jsonScalars.ts';
import { type BinaryKind, type BinaryRow, integerAt, UnreadableAnswer } from './rowBinary.ts';

/** Writes the value of a column of a row, which is not NULL, as JSON. @throws UnreadableAnswer if it is of another kind */
export type ValueWriter = (row: BinaryRow, column: number, json: JsonBytes) => void;

type PlaceWriter = (bytes: Buffer, from: number, to: number, json: JsonBytes) => void;

/** Writes the JSON of a typed column of type FLOAT64, as DuckDB converts it (`convertTyped`). */
export const memberFloat: ValueWriter = of('Float64', (bytes, from, _to, json) => {
  const value = bytes.readDoubleLE(from);
  // JSON has neither NaN nor infinities, so no event has them.
  if (!Number.isFinite(value)) throw otherType();
  json.ascii(memberFloatText(value));
});

/**
 * How values that were fetched in this way are written as JSON: byte by byte like DuckDB (`encodeRow`). Null for types that
 * only DuckDB writes.
 */
export function valueWriter(type: SqlType, transport: Transport, profile: ValuesProfile): ValueWriter | null {
  if (type.kind === 'JSON') return transport === 'json' ? rawJson : transport === 'scalar' ? scalarJson : null;
  if (transport === 'json' || transport === 'scalar') return null;
  switch (type.kind) {
    case 'STRING':
      return text;
    case 'BOOL':
      return bool;
    case 'FLOAT64':
      return float;
    case 'INT64':
      return integer;
    case 'TIMESTAMP':
      return profile === 'records' ? integer : timeWriter(true);
    case 'DATETIME':
      return timeWriter(false);
    case 'DATE':
      return dateWriter();
    default:
      return null;
  }
}

function of(kind: BinaryKind, write: PlaceWriter): ValueWriter {
  return (row, column, json) => {
    const from = row.starts[column] ?? -1;
    const to = row.ends[column] ?? -1;
    if (row.kinds[column] !== kind || from < 0) throw otherType();
    write(row.bytes, from, to, json);
  };
}

const otherType = () => new UnreadableAnswer('a value is not of the type that the statement gave its column');

const text = of('String', (bytes, from, to, json) => json.string(bytes, from, to));

const rawJson = of('String', (bytes, from, to, json) => json.raw(bytes, from, to));

const textMark = 's'.charCodeAt(0);

const scalarJson = of('String', (bytes, from, to, json) => {
  if (from < to && bytes[from] === textMark) json.string(bytes, from + 1, to);
  else json.raw(bytes, Math.min(from + 1, to), to);
});

const bool = of('Bool', (bytes, from, _to, json) => json.ascii(bytes[from] === 0 ? 'false' : 'true'));

const float = of('Float64', (bytes, from, _to, json) => json.ascii(floatText(bytes.readDoubleLE(from))));

const integer = of('Int64', (bytes, from, _to, json) => {
  const value = integerAt(bytes, from);
  if (typeof value === 'number') json.integer(value);
  else json.ascii(value.toString());
});

const [quote, colon, point, timeMark, zone] = [...'":.TZ'].map((each) => each.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
];

/** A date and time in ISO 8601: of a TIMESTAMP, with all six digits of microseconds and its zone. */
function timeWriter(isTimestamp: boolean): ValueWriter {
  const writeDay = dayWriter();
  return of('Int64', (bytes, from, _to, json) => {
    const { days, seconds, micros } = timeParts(integerAt(bytes, from));
    json.byte(quote);
    writeDay(days, json);
    json.byte(timeMark);
    json.digits(Math.trunc(seconds / 3600), 2);
    json.byte(colon);
    json.digits(Math.trunc((seconds % 3600) / 60), 2);
    json.byte(colon);
    json.digits(seconds % 60, 2);
    if (isTimestamp || micros !== 0) {
      json.byte(point);
      json.digits(micros, 6);
    }
    if (isTimestamp) json.byte(zone);
    json.byte(quote);
  });
}

function dateWriter(): ValueWriter {
  const writeDay = dayWriter();
  return of('Int64', (bytes, from, _to, json) => {
    json.byte(quote);
    writeDay(Number(integerAt(bytes, from)), json);
    json.byte(quote);
  });
}

/** Those of `dateText`. */
const firstDay = -719_162;
const lastDay = 2_932_896;

/** Remembers the text of the last day, because most rows of an answer are of the same one. */
function dayWriter(): (days: number, json: JsonBytes) => void {
  let known = Number.NaN;
  let text = '';
  return (days, json) => {
    if (days !== known) {
      // In a table of others, such as a time in microseconds that was stored as one in milliseconds.
      if (days < firstDay || days > lastDay) throw new UnreadableAnswer('a time is not from year 1 to 9999');
      text = dateText(days);
      known = days;
    }
    json.ascii(text);
  };
}
