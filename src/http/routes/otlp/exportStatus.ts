import type { IncomingHttpHeaders } from 'node:http';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ServiceError } from '../../../core/errors.ts';
import { findOtlpFormat, otlpContentType } from '../../../ingest/otlp/otlpFormat.ts';
import { type Problem, renderProblem } from '../../problem.ts';

/** Codes of google.rpc.Code by HTTP status. Exporters act on the HTTP status; this one is for their logs. */
const codes: Readonly<Record<number, number>> = {
  400: 3, // INVALID_ARGUMENT
  401: 16, // UNAUTHENTICATED
  403: 7, // PERMISSION_DENIED
  404: 5, // NOT_FOUND
  408: 4, // DEADLINE_EXCEEDED
  413: 8, // RESOURCE_EXHAUSTED
  415: 3,
  429: 8,
  499: 1, // CANCELLED
  500: 13, // INTERNAL
  501: 12, // UNIMPLEMENTED
  502: 14, // UNAVAILABLE
  503: 14,
  504: 4,
};

/**
 * An error as OTLP wants it: a google.rpc.Status, encoded as the request was, in JSON where the request
 * is in neither encoding. Bad data is a 400 there, never a 422; statuses that exporters retry are the same in both.
 */
export function exportStatus(error: ServiceError, requestId: string, request: IncomingHttpHeaders): Problem {
  const problem = renderProblem(error, requestId);
  const status = problem.status === 422 ? 400 : problem.status;
  const code = codes[status] ?? 2;
  const format = findOtlpFormat(request['content-type']) ?? 'otlp_json';
  return {
    status,
    headers: { ...problem.headers, 'content-type': otlpContentType(format) },
    body: format === 'otlp_json' ? jsonOf(code, error) : protobufOf(code, error),
  };
}

/** The detail that holds the code of our own catalogue. */
const detailType = 'type.googleapis.com/google.rpc.ErrorInfo';
const detailDomain = 'logmill';

function jsonOf(code: number, { message, code: reason }: ServiceError): string {
  return JSON.stringify({ code, message, details: [{ '@type': detailType, reason, domain: detailDomain }] });
}

function protobufOf(code: number, { message, code: reason }: ServiceError): Buffer {
  const info = new BinaryWriter();
  info.tag(1, WireType.LengthDelimited).string(reason);
  info.tag(2, WireType.LengthDelimited).string(detailDomain);
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int32(code);
  writer.tag(2, WireType.LengthDelimited).string(message);
  writer.tag(3, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string(detailType);
  writer.tag(2, WireType.LengthDelimited).bytes(info.finish());
  writer.join();
  return Buffer.from(writer.finish());
}
