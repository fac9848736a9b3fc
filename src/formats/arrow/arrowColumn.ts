import {
  Binary,
  Bool,
  type Data,
  type DataType,
  DateDay,
  Field,
  Float64,
  Int64,
  List,
  makeData,
  Null,
  Struct,
  TimeMicrosecond,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow';
import { assertNever } from '../../core/assertNever.ts';
import type { Pause } from '../../core/concurrency/turns.ts';
import { memberNames } from '../../googlesql/memberNames.ts';
import type { SqlType } from '../../googlesql/types.ts';
import type { ColumnPart } from '../../ports/columnFrame.ts';
import { ByteSink } from '../byteSink.ts';
import { writeText } from '../jsonText.ts';
import { BitSink, NumberSink } from './buffers.ts';
import { boolSpan, floatSpan, integerSpan, latin1, type ReadSpan, timestampSpans } from './scalarSpans.ts';
import { dayOf, floatOf, int64Of, microsOfTime, microsOfTimestamp } from './scalarValues.ts';

/** The values that a column has collected, to be packed in turns. */
export type Packing = (pause: Pause) => Promise<Data>;

/**
 * Collects the values of one column. A value of another form than the type of the column, such as the mark of a redaction in
 * place of a time, becomes NULL.
 */
interface Collected {
  readonly type: DataType;
  readonly length: number;
  /** Estimate of the collected bytes. */
  readonly byteLength: number;
  addNull(): void;
  /** Hands over the values, and begins anew. */
  take(): Packing;
}

export interface ScalarColumn extends Collected {
  readonly kind: 'scalar';
  /** A number, `true`, `false`, or the content of a string, whose escapes are already read. */
  add(bytes: Uint8Array, from: number, to: number): void;
}

/** Values that can be longer than a piece. */
export interface TextColumn extends Collected {
  readonly kind: 'text';
  /** Whether values are JSON, with quotes around strings. */
  readonly isJson: boolean;
  piece(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): void;
  end(): void;
}

export interface ListColumn extends Collected {
  readonly kind: 'list';
  readonly element: ArrowColumn;
  /** After all elements. */
  end(): void;
}

export interface StructColumn extends Collected {
  readonly kind: 'struct';
  readonly fields: readonly ArrowColumn[];
  /** After one value for each field. */
  end(): void;
}

export type ArrowColumn = ScalarColumn | TextColumn | ListColumn | StructColumn;

export function arrowColumn(type: SqlType): ArrowColumn {
  switch (type.kind) {
    case 'INT64':
      return new NumberColumn(new Int64(), ofIntegers(integerSpan, int64Of));
    case 'FLOAT64':
      return new NumberColumn<number>(new Float64(), {
        read: floatSpan,
        readText: floatOf,
        write: (sink, value) => sink.float64(value),
      });
    case 'BOOL':
      return new BoolColumn();
    case 'TIMESTAMP':
      return new NumberColumn(new TimestampMicrosecond('UTC'), ofIntegers(timestampSpans(), microsOfTimestamp));
    case 'DATETIME':
      return new NumberColumn(new TimestampMicrosecond(), ofIntegers(timestampSpans(), microsOfTimestamp));
    case 'TIME':
      return new NumberColumn(new TimeMicrosecond(), ofIntegers(notRead, microsOfTime));
    case 'DATE':
      return new NumberColumn<number>(new DateDay(), {
        read: notRead,
        readText: dayOf,
        write: (sink, value) => sink.int32(value),
      });
    case 'NULL':
      return new NullColumn();
    case 'STRING':
    case 'INTERVAL':
      return new BytesColumn(new Utf8(), false);
    case 'JSON':
      return new BytesColumn(new Utf8(), true);
    case 'BYTES':
      return new Base64Column();
    case 'ARRAY':
      return new ArrayColumn(type.element);
    case 'STRUCT':
      return new RecordColumn(type);
    default:
      return assertNever(type);
  }
}

/** JSON has no type of its own in Arrow: it is text with this tag (Arrow, "Canonical Extension Types"). */
const jsonTag: ReadonlyMap<string, string> = new Map([
  ['ARROW:extension:name', 'arrow.json'],
  ['ARROW:extension:metadata', ''],
]);

export function arrowField(name: string, column: ArrowColumn): Field {
  const isJson = column.kind === 'text' && column.isJson;
  return new Field(name, column.type, true, isJson ? new Map(jsonTag) : undefined);
}

/** A column whose values come as Arrow has them. */
export function packedColumn(type: DataType, length: number, part: ColumnPart): Packing {
  if (type instanceof Null) return async () => makeData({ type, length });
  const { nullCount, validity, offsets, values } = part;
  const nulls = { nullCount, ...(validity === undefined ? {} : { nullBitmap: validity }) };
  const texts = offsets === undefined ? {} : { valueOffsets: offsets };
  return async () => makeData({ type, length, data: values, ...nulls, ...texts } as never);
}

/** What every column with a bitmap of NULLs hands to the library. */
async function common(validity: BitSink, pause: Pause) {
  return { length: validity.length, nullCount: validity.unsetCount, nullBitmap: await validity.whole(pause) };
}

/** How the values of a column are read and written. */
interface Numbers<T> {
  readonly read: ReadSpan;
  /** Reads every form; null for what is no value of the type. */
  readonly readText: (text: string) => T | number | null;
  readonly write: (sink: NumberSink, value: T | number) => void;
}

/** For types with few values, or whose text takes long in any case. */
const notRead: ReadSpan = () => Number.NaN;

const ofIntegers = (read: ReadSpan, readText: (text: string) => bigint | null): Numbers<bigint> => ({
  read,
  readText,
  write: (sink, value) => (typeof value === 'number' ? sink.integer(value) : sink.int64(value)),
});

class NumberColumn<T> implements ScalarColumn {
  readonly kind = 'scalar';
  readonly type: DataType;
  readonly #numbers: Numbers<T>;
  #validity = new BitSink();
  #values = new NumberSink();

  constructor(type: DataType, numbers: Numbers<T>) {
    this.type = type;
    this.#numbers = numbers;
  }

  get length(): number {
    return this.#validity.length;
  }

  get byteLength(): number {
    return this.#values.byteLength;
  }

  addNull(): void {
    this.#add(null);
  }

  add(bytes: Uint8Array, from: number, to: number): void {
    const value = this.#numbers.read(bytes, from, to);
    this.#add(Number.isNaN(value) ? this.#numbers.readText(latin1(bytes, from, to)) : value);
  }

  take(): Packing {
    const { type } = this;
    const [validity, values] = [this.#validity, this.#values];
    this.#validity = new BitSink();
    this.#values = new NumberSink();
    return async (pause) => makeData({ type, data: values.whole(), ...(await common(validity, pause)) } as never);
  }

  #add(value: T | number | null): void {
    this.#validity.push(value !== null);
    this.#numbers.write(this.#values, value ?? 0);
  }
}

class BoolColumn implements ScalarColumn {
  readonly kind = 'scalar';
  readonly type = new Bool();
  #validity = new BitSink();
  #values = new BitSink();

  get length(): number {
    return this.#validity.length;
  }

  get byteLength(): number {
    return this.length >> 2;
  }

  addNull(): void {
    this.#add(null);
  }

  add(bytes: Uint8Array, from: number, to: number): void {
    this.#add(boolSpan(bytes, from, to));
  }

  take(): Packing {
    const { type } = this;
    const [validity, values] = [this.#validity, this.#values];
    this.#validity = new BitSink();
    this.#values = new BitSink();
    return async (pause) => makeData({ type, data: await values.whole(pause), ...(await common(validity, pause)) });
  }

  #add(value: boolean | null): void {
    this.#validity.push(value !== null);
    this.#values.push(value === true);
  }
}

class NullColumn implements ScalarColumn {
  readonly kind = 'scalar';
  readonly type = new Null();
  readonly byteLength = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  addNull(): void {
    this.#length += 1;
  }

  add(): void {
    this.addNull();
  }

  take(): Packing {
    const { type } = this;
    const length = this.#length;
    this.#length = 0;
    return async () => makeData({ type, length });
  }
}

/** Where each value ends, beginning with 0. */
function newOffsets(): NumberSink {
  const offsets = new NumberSink();
  offsets.int32(0);
  return offsets;
}

function asOffsets(offsets: NumberSink): Int32Array {
  const { buffer, byteOffset, byteLength } = offsets.whole();
  return new Int32Array(buffer, byteOffset, byteLength / 4);
}

class BytesColumn implements TextColumn {
  readonly kind = 'text';
  readonly type: DataType;
  readonly isJson: boolean;
  #validity = new BitSink();
  #offsets = newOffsets();
  #bytes = new ByteSink(256);

  constructor(type: DataType, isJson: boolean) {
    this.type = type;
    this.isJson = isJson;
  }

  get length(): number {
    return this.#validity.length;
  }

  get byteLength(): number {
    return this.#bytes.length + this.#offsets.byteLength;
  }

  addNull(): void {
    this.#end(false);
  }

  piece(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): void {
    writeText(this.#bytes, bytes, from, to, hasEscapes && !this.isJson, null);
  }

  end(): void {
    this.#end(true);
  }

  take(): Packing {
    const { type } = this;
    const [validity, offsets, bytes] = [this.#validity, this.#offsets, this.#bytes];
    this.#validity = new BitSink();
    this.#offsets = newOffsets();
    this.#bytes = new ByteSink(256);
    return async (pause) => {
      const data = await bytes.whole(pause);
      return makeData({ type, data, valueOffsets: asOffsets(offsets), ...(await common(validity, pause)) } as never);
    };
  }

  #end(isValid: boolean): void {
    this.#validity.push(isValid);
    this.#offsets.int32(this.#bytes.length);
  }
}

/** BYTES, which JSON writes in base64. */
class Base64Column implements TextColumn {
  readonly kind = 'text';
  readonly type = new Binary();
  readonly isJson = false;
  readonly #bytes = new BytesColumn(this.type, false);
  #text = new ByteSink(64);

  get length(): number {
    return this.#bytes.length;
  }

  get byteLength(): number {
    return this.#bytes.byteLength;
  }

  addNull(): void {
    this.#bytes.addNull();
  }

  piece(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): void {
    writeText(this.#text, bytes, from, to, hasEscapes, null);
  }

  end(): void {
    const text = this.#text.toString();
    this.#text = new ByteSink(64);
    // The mark of a redaction is not base64.
    if (/[^A-Za-z0-9+/=]/.test(text)) {
      this.#bytes.addNull();
      return;
    }
    const bytes = Buffer.from(text, 'base64');
    this.#bytes.piece(bytes, 0, bytes.length, false);
    this.#bytes.end();
  }

  take(): Packing {
    return this.#bytes.take();
  }
}

class ArrayColumn implements ListColumn {
  readonly kind = 'list';
  readonly type: DataType;
  readonly element: ArrowColumn;
  #validity = new BitSink();
  #offsets = newOffsets();

  constructor(element: SqlType) {
    this.element = arrowColumn(element);
    this.type = new List(arrowField('item', this.element));
  }

  get length(): number {
    return this.#validity.length;
  }

  get byteLength(): number {
    return this.element.byteLength + this.#offsets.byteLength;
  }

  addNull(): void {
    this.#end(false);
  }

  end(): void {
    this.#end(true);
  }

  take(): Packing {
    const { type } = this;
    const [validity, offsets, element] = [this.#validity, this.#offsets, this.element.take()];
    this.#validity = new BitSink();
    this.#offsets = newOffsets();
    return async (pause) => {
      const child = await element(pause);
      return makeData({ type, child, valueOffsets: asOffsets(offsets), ...(await common(validity, pause)) } as never);
    };
  }

  #end(isValid: boolean): void {
    this.#validity.push(isValid);
    this.#offsets.int32(this.element.length);
  }
}

class RecordColumn implements StructColumn {
  readonly kind = 'struct';
  readonly type: DataType;
  readonly fields: readonly ArrowColumn[];
  #validity = new BitSink();

  constructor({ fields }: Extract<SqlType, { readonly kind: 'STRUCT' }>) {
    const names = memberNames(fields);
    this.fields = fields.map(({ type }) => arrowColumn(type));
    this.type = new Struct(this.fields.map((field, i) => arrowField(names[i] ?? '', field)));
  }

  get length(): number {
    return this.#validity.length;
  }

  get byteLength(): number {
    return this.fields.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  addNull(): void {
    for (const field of this.fields) field.addNull();
    this.#validity.push(false);
  }

  end(): void {
    this.#validity.push(true);
  }

  take(): Packing {
    const { type } = this;
    const validity = this.#validity;
    const fields = this.fields.map((field) => field.take());
    this.#validity = new BitSink();
    return async (pause) => {
      const children: Data[] = [];
      for (const field of fields) children.push(await field(pause));
      return makeData({ type, children, ...(await common(validity, pause)) } as never);
    };
  }
}
