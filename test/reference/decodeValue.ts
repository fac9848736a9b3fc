import { parseJson } from '../../src/core/losslessJson.ts';

/** Parts of zetasql's `TypeProto` and `ValueProto`, as its gRPC client shows them. */
interface WireType {
  readonly typeKind: string;
  readonly arrayType?: { readonly elementType: WireType };
  readonly structType?: { readonly field?: readonly { readonly fieldName?: string; readonly fieldType: WireType }[] };
}

interface WireSeconds {
  readonly seconds?: string;
  readonly nanos?: number;
}

interface WireValue {
  readonly int64Value?: string;
  readonly boolValue?: boolean;
  readonly doubleValue?: number;
  readonly stringValue?: string;
  readonly bytesValue?: Buffer;
  readonly dateValue?: number;
  readonly timestampValue?: WireSeconds;
  readonly datetimeValue?: { readonly bitFieldDatetimeSeconds?: string; readonly nanos?: number };
  readonly timeValue?: string;
  readonly jsonValue?: string;
  readonly intervalValue?: Buffer;
  readonly arrayValue?: { readonly element?: readonly WireValue[] };
  readonly structValue?: { readonly field?: readonly WireValue[] };
  /** Which of them it is; absent for NULL. */
  readonly value?: string;
}

export interface WireTable {
  readonly content?: { readonly tableData?: { readonly row?: readonly { readonly cell?: readonly WireValue[] }[] } };
  readonly prepared: { readonly columns?: readonly { readonly name?: string; readonly type: WireType }[] };
}

export interface ReferenceAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Values as the service shows them; an INT64 or a number of JSON beyond 2^53 is a string of its digits. */
  readonly rows: readonly (readonly unknown[])[];
}

export function decodeTable(table: WireTable): ReferenceAnswer {
  const columns = table.prepared.columns ?? [];
  const rows = table.content?.tableData?.row ?? [];
  return {
    columns: columns.map(({ name = '', type }) => ({ name, type: typeName(type) })),
    rows: rows.map(({ cell = [] }) => columns.map(({ type }, i) => decode(type, cell[i] ?? {}))),
  };
}

const names: Readonly<Record<string, string>> = { TYPE_DOUBLE: 'FLOAT64' };

function typeName(type: WireType): string {
  if (type.arrayType !== undefined) return `ARRAY<${typeName(type.arrayType.elementType)}>`;
  if (type.structType !== undefined) {
    const fields = (type.structType.field ?? []).map(({ fieldName = '', fieldType }) =>
      `${fieldName} ${typeName(fieldType)}`.trimStart(),
    );
    return `STRUCT<${fields.join(', ')}>`;
  }
  return names[type.typeKind] ?? type.typeKind.replace('TYPE_', '');
}

function decode(type: WireType, value: WireValue): unknown {
  if (value.value === undefined) return null;
  switch (value.value) {
    case 'int64Value':
      return exact(BigInt(value.int64Value ?? 0));
    case 'boolValue':
      return value.boolValue;
    case 'doubleValue':
      return decodeFloat(value.doubleValue ?? 0);
    case 'stringValue':
      return value.stringValue;
    case 'bytesValue':
      return Buffer.from(value.bytesValue ?? []).toString('base64');
    case 'dateValue':
      return dateText(BigInt(value.dateValue ?? 0));
    case 'timestampValue': {
      const seconds = BigInt(value.timestampValue?.seconds ?? 0);
      return `${secondsText(seconds)}.${fraction(value.timestampValue?.nanos)}Z`;
    }
    case 'datetimeValue':
      return civilText(BigInt(value.datetimeValue?.bitFieldDatetimeSeconds ?? 0), value.datetimeValue?.nanos ?? 0);
    case 'timeValue': {
      const bits = BigInt(value.timeValue ?? 0);
      return clockText(bits >> 30n, Number(bits & 0x3fffffffn));
    }
    case 'jsonValue':
      return plain(parseJson(value.jsonValue ?? 'null'));
    case 'intervalValue':
      return intervalText(Buffer.from(value.intervalValue ?? []));
    case 'arrayValue': {
      const element = type.arrayType?.elementType;
      if (element === undefined) throw new Error('an array has no element type');
      return (value.arrayValue?.element ?? []).map((each) => decode(element, each));
    }
    case 'structValue': {
      const fields = type.structType?.field ?? [];
      return Object.fromEntries(
        fields.map(({ fieldName = '', fieldType }, i) => [
          fieldName === '' ? `_field_${i + 1}` : fieldName,
          decode(fieldType, value.structValue?.field?.[i] ?? {}),
        ]),
      );
    }
    default:
      throw new Error(`a value of the reference is a ${value.value}`);
  }
}

/** A whole number where JSON's readers keep it, else its digits. */
export const exact = (value: bigint): number | string =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);

const decodeFloat = (value: number): number | string =>
  Number.isNaN(value) ? 'NaN' : Number.isFinite(value) ? value : value > 0 ? 'Infinity' : '-Infinity';

/** What `parseJson` gives, as JSON.stringify can write it. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return exact(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

const padded = (value: bigint | number, digits: number): string => String(value).padStart(digits, '0');
const fraction = (nanos = 0): string => padded(Math.floor(nanos / 1000), 6);

function dateText(days: bigint): string {
  return new Date(Number(days) * 86_400_000).toISOString().slice(0, 10);
}

function secondsText(seconds: bigint): string {
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
}

/** Time of day from its bit field: 5 bits of hour, 6 of minute, 6 of second. */
function clockText(bits: bigint, nanos: number): string {
  const text = [(bits >> 12n) & 31n, (bits >> 6n) & 63n, bits & 63n].map((part) => padded(part, 2)).join(':');
  return nanos === 0 ? text : `${text}.${fraction(nanos)}`;
}

/** Year, then 4 bits of month, 5 of day, then the time of day. */
function civilText(bits: bigint, nanos: number): string {
  const date = [padded(bits >> 26n, 4), padded((bits >> 22n) & 15n, 2), padded((bits >> 17n) & 31n, 2)].join('-');
  return `${date}T${clockText(bits & 0x1ffffn, nanos)}`;
}

/** Microseconds, days, then months in the upper bits of nanoseconds; as GoogleSQL writes it: `0-0 1 0:0:0`. */
function intervalText(bytes: Buffer): string {
  const micros = bytes.readBigInt64LE(0);
  const days = bytes.readInt32LE(8);
  const monthsAndNanos = bytes.readUInt32LE(12);
  const months = (monthsAndNanos & 0x80000000 ? -1 : 1) * ((monthsAndNanos >>> 13) & 0x3ffff);
  const sign = (negative: boolean) => (negative ? '-' : '');
  const absMonths = Math.abs(months);
  const abs = micros < 0n ? -micros : micros;
  const seconds = abs / 1_000_000n;
  const rest = abs % 1_000_000n;
  const part = rest === 0n ? '' : `.${rest % 1000n === 0n ? padded(rest / 1000n, 3) : padded(rest, 6)}`;
  const clock = `${seconds / 3600n}:${(seconds / 60n) % 60n}:${seconds % 60n}${part}`;
  return `${sign(months < 0)}${Math.floor(absMonths / 12)}-${absMonths % 12} ${days} ${sign(micros < 0n)}${clock}`;
}
