import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { IngestAnswer } from '../../../ingest/ingestAnswer.ts';
import { type OtlpFormat, otlpContentType } from '../../../ingest/otlp/otlpFormat.ts';
import type { RouteAnswer } from '../../route.ts';

/**
 * An acknowledgement as an ExportLogsServiceResponse, in the encoding of the request. `partial_success` is set only if
 * records were rejected or there is a warning (OTLP, "Full Success" and "Partial Success").
 */
export function exportAnswer(answer: IngestAnswer, format: OtlpFormat): RouteAnswer {
  const count = answer.rejected_total ?? answer.rejected.length;
  const message = count === 0 ? (answer.warning ?? '') : reasonsOf(answer, count);
  return {
    status: 200,
    headers: { 'content-type': otlpContentType(format), 'cache-control': 'no-store' },
    // As bytes: the framework adds a charset to the type of a text, and exporters compare the whole type.
    body: format === 'otlp_json' ? Buffer.from(jsonOf(count, message)) : protobufOf(count, message),
  };
}

/** Reasons that the message lists; the others are only counted. */
const reasonsMax = 5;

function reasonsOf({ rejected, accepted }: IngestAnswer, count: number): string {
  const reasons = rejected.slice(0, reasonsMax).map(({ index, message }) => ` Log record ${index}: ${message}`);
  return `${count} of ${accepted + count} log records were rejected.${reasons.join('')}`;
}

function jsonOf(count: number, message: string): string {
  if (message === '') return '{}';
  // The JSON form of protobuf writes integers of 64 bits as text.
  return JSON.stringify({ partialSuccess: { rejectedLogRecords: String(count), errorMessage: message } });
}

function protobufOf(count: number, message: string): Buffer {
  const writer = new BinaryWriter();
  if (message !== '') {
    writer.tag(1, WireType.LengthDelimited).fork();
    if (count > 0) writer.tag(1, WireType.Varint).int64(count);
    writer.tag(2, WireType.LengthDelimited).string(message);
    writer.join();
  }
  return Buffer.from(writer.finish());
}
