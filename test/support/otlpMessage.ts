import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** An AnyValue in the JSON form of OTLP. */
export interface OtlpValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number | string;
  readonly arrayValue?: { readonly values: readonly OtlpValue[] };
  readonly kvlistValue?: { readonly values: readonly OtlpPair[] };
  readonly bytesValue?: string;
}

export interface OtlpPair {
  readonly key: string;
  readonly value?: OtlpValue;
}

export interface OtlpRecord {
  readonly timeUnixNano?: string;
  readonly observedTimeUnixNano?: string;
  readonly severityNumber?: number;
  readonly severityText?: string;
  readonly body?: OtlpValue;
  readonly attributes?: readonly OtlpPair[];
  readonly flags?: number;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly eventName?: string;
}

export interface OtlpExport {
  readonly resourceLogs: readonly {
    readonly resource?: { readonly attributes?: readonly OtlpPair[] };
    readonly scopeLogs?: readonly {
      readonly scope?: {
        readonly name?: string;
        readonly version?: string;
        readonly attributes?: readonly OtlpPair[];
      };
      readonly logRecords?: readonly OtlpRecord[];
    }[];
  }[];
}

/** One record in an empty resource and scope. */
export function exportOf(...logRecords: readonly OtlpRecord[]): OtlpExport {
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}

/** The export as protobuf (opentelemetry-proto), with the content of the JSON form. */
export function protobufOf(message: OtlpExport): Uint8Array {
  return writing((request) => {
    for (const { resource, scopeLogs } of message.resourceLogs) {
      nested(request, 1, (resourceLogs) => {
        if (resource !== undefined) nested(resourceLogs, 1, (to) => pairs(to, 1, resource.attributes));
        for (const { scope, logRecords } of scopeLogs ?? []) {
          nested(resourceLogs, 2, (to) => {
            if (scope !== undefined) {
              nested(to, 1, (scopeTo) => {
                text(scopeTo, 1, scope.name);
                text(scopeTo, 2, scope.version);
                pairs(scopeTo, 3, scope.attributes);
              });
            }
            for (const record of logRecords ?? []) nested(to, 2, (recordTo) => writeRecord(recordTo, record));
          });
        }
      });
    }
  });
}

function writeRecord(to: BinaryWriter, record: OtlpRecord): void {
  if (record.timeUnixNano !== undefined) to.tag(1, WireType.Bit64).fixed64(record.timeUnixNano);
  if (record.severityNumber !== undefined) to.tag(2, WireType.Varint).int32(record.severityNumber);
  text(to, 3, record.severityText);
  const { body } = record;
  if (body !== undefined) nested(to, 5, (bodyTo) => writeValue(bodyTo, body));
  pairs(to, 6, record.attributes);
  if (record.flags !== undefined) to.tag(8, WireType.Bit32).fixed32(record.flags);
  if (record.traceId !== undefined) to.tag(9, WireType.LengthDelimited).bytes(Buffer.from(record.traceId, 'hex'));
  if (record.spanId !== undefined) to.tag(10, WireType.LengthDelimited).bytes(Buffer.from(record.spanId, 'hex'));
  if (record.observedTimeUnixNano !== undefined) to.tag(11, WireType.Bit64).fixed64(record.observedTimeUnixNano);
  text(to, 12, record.eventName);
}

function writeValue(to: BinaryWriter, value: OtlpValue): void {
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  text(to, 1, stringValue);
  if (boolValue !== undefined) to.tag(2, WireType.Varint).bool(boolValue);
  if (intValue !== undefined) to.tag(3, WireType.Varint).int64(intValue);
  if (doubleValue !== undefined) to.tag(4, WireType.Bit64).double(Number(doubleValue));
  if (arrayValue !== undefined) {
    nested(to, 5, (list) => {
      for (const element of arrayValue.values) nested(list, 1, (elementTo) => writeValue(elementTo, element));
    });
  }
  if (kvlistValue !== undefined) nested(to, 6, (list) => pairs(list, 1, kvlistValue.values));
  if (bytesValue !== undefined) to.tag(7, WireType.LengthDelimited).bytes(Buffer.from(bytesValue, 'base64'));
}

function pairs(to: BinaryWriter, field: number, list: readonly OtlpPair[] = []): void {
  for (const { key, value } of list) {
    nested(to, field, (pair) => {
      text(pair, 1, key);
      if (value !== undefined) nested(pair, 2, (valueTo) => writeValue(valueTo, value));
    });
  }
}

function text(to: BinaryWriter, field: number, value: string | undefined): void {
  if (value !== undefined) to.tag(field, WireType.LengthDelimited).string(value);
}

function nested(to: BinaryWriter, field: number, write: (to: BinaryWriter) => void): void {
  to.tag(field, WireType.LengthDelimited).bytes(writing(write));
}

function writing(write: (to: BinaryWriter) => void): Uint8Array {
  const writer = new BinaryWriter();
  write(writer);
  return writer.finish();
}
