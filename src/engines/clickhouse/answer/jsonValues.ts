import type { SqlType } from '../../../googlesql/types.ts';
import type { ValuesProfile } from '../../../ports/queryEngine.ts';
import type { Transport } from '../emit/fetch.ts';
import type { JsonBytes } from './jsonBytes.ts';
import { dateText, floatText, memberFloatText, timeText } from './jsonScalars.ts';
import { type BinaryValue, UnreadableAnswer } from './rowBinary.ts';

/** Writes the JSON of a typed column of type FLOAT64, as DuckDB converts it (`convertTyped`). */
export const memberFloat: ValueWriter = (value, json) => {
  // JSON has neither NaN nor infinities, so no event has them.
  if (typeof value !== 'number' || !Number.isFinite(value)) throw otherType();
  json.ascii(memberFloatText(value));
};

/** Writes a value, which is not NULL, as JSON. */
export type ValueWriter = (value: BinaryValue, json: JsonBytes) => void;

/**
 * How values that were fetched in this way are written as JSON: byte by byte like DuckDB (`encodeRow`). Null for types that
 * only DuckDB writes.
 */
export function valueWriter(type: SqlType, transport: Transport, profile: ValuesProfile): ValueWriter | null {
  if (type.kind === 'JSON') return transport === 'json' ? rawJson : transport === 'scalar' ? scalarJson : null;
  if (transport === 'json' || transport === 'scalar') return null;
  switch (type.kind) {
    case 'STRING':
      return ofText((text, json) => json.string(text));
    case 'BOOL':
      return (value, json) => {
        if (typeof value !== 'boolean') throw otherType();
        json.ascii(value ? 'true' : 'false');
      };
    case 'FLOAT64':
      return (value, json) => {
        if (typeof value !== 'number') throw otherType();
        json.ascii(floatText(value));
      };
    case 'INT64':
      return ofInteger(String);
    case 'TIMESTAMP':
      return ofInteger(profile === 'records' ? String : (micros) => `"${timeText(micros, true)}Z"`);
    case 'DATETIME':
      return ofInteger((micros) => `"${timeText(micros, false)}"`);
    case 'DATE':
      return ofInteger((days) => `"${dateText(days)}"`);
    default:
      return null;
  }
}

function ofText(write: (text: Buffer, json: JsonBytes) => void): ValueWriter {
  return (value, json) => {
    if (!Buffer.isBuffer(value)) throw otherType();
    write(value, json);
  };
}

function ofInteger(textOf: (value: bigint) => string): ValueWriter {
  return (value, json) => {
    if (typeof value !== 'bigint') throw otherType();
    json.ascii(textOf(value));
  };
}

const otherType = () => new UnreadableAnswer('a value is not of the type that the statement gave its column');

const rawJson = ofText((text, json) => json.raw(text));

const textMark = 's'.charCodeAt(0);

const scalarJson = ofText((text, json) => {
  const content = text.subarray(1);
  if (text[0] === textMark) json.string(content);
  else json.raw(content);
});
