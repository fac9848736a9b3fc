import type { IncomingHttpHeaders } from 'node:http';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ErrorCode } from '../../../core/errorCatalogue.ts';
import type { ErrorItem, ServiceError } from '../../../core/errors.ts';
import { findOtlpFormat, otlpContentType } from '../../../ingest/otlp/otlpFormat.ts';
import { badDataStatus } from '../../badDataStatus.ts';
import { type Problem, renderProblem } from '../../problem.ts';

/** google.rpc.Code by HTTP status. Exporters act on the HTTP status; this code is for their logs. */
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
 * Renders an error for OTLP: a google.rpc.Status in the encoding of the request, or in JSON if the request has another
 * one. Exporters retry the same HTTP statuses as other clients.
 */
export function exportStatus(error: ServiceError, requestId: string, request: IncomingHttpHeaders): Problem {
  const problem = renderProblem(error, requestId);
  const status = badDataStatus(problem.status);
  const code = codes[status] ?? 2;
  const format = findOtlpFormat(request['content-type']) ?? 'otlp_json';
  const told: ToldError = {
    code,
    message: error.message,
    reason: error.code,
    violations: status === 400 ? error.errors.map(violationOf) : [],
    retrySeconds: problem.headers['retry-after'] === undefined ? null : Number(problem.headers['retry-after']),
  };
  return {
    status,
    headers: { ...problem.headers, 'content-type': otlpContentType(format) },
    body: format === 'otlp_json' ? jsonOf(told) : protobufOf(told),
  };
}

interface Violation {
  readonly field: string;
  readonly description: string;
}

interface ToldError {
  readonly code: number;
  readonly message: string;
  /** The code of our own catalogue. */
  readonly reason: ErrorCode;
  readonly violations: readonly Violation[];
  /** The value of the header Retry-After; null without one. */
  readonly retrySeconds: number | null;
}

function violationOf({ index, parameter, line, column, message, value, allowed, code }: ErrorItem): Violation {
  const place = line === undefined ? 'body' : `body, line ${line}, column ${column ?? 1}`;
  const field = index === undefined ? (parameter ?? place) : `log record ${index}`;
  const known = allowed === undefined ? '' : ` Allowed: ${allowed.join(', ')}.`;
  const description = message ?? (value === undefined ? (code ?? '') : `Not ${JSON.stringify(value)}.`);
  return { field, description: `${description}${known}`.trim() };
}

// Messages of google/rpc/error_details.proto; ErrorInfo holds the code of our own catalogue.
const typeOf = (name: string): string => `type.googleapis.com/google.rpc.${name}`;
const detailDomain = 'logmill';

function jsonOf({ code, message, reason, violations, retrySeconds }: ToldError): string {
  const details = [
    { '@type': typeOf('ErrorInfo'), reason, domain: detailDomain },
    ...(violations.length === 0 ? [] : [{ '@type': typeOf('BadRequest'), fieldViolations: violations }]),
    // The JSON form of a google.protobuf.Duration.
    ...(retrySeconds === null ? [] : [{ '@type': typeOf('RetryInfo'), retryDelay: `${retrySeconds}s` }]),
  ];
  return JSON.stringify({ code, message, details });
}

function protobufOf({ code, message, reason, violations, retrySeconds }: ToldError): Buffer {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int32(code);
  writer.tag(2, WireType.LengthDelimited).string(message);
  detail(writer, 'ErrorInfo', (info) => {
    info.tag(1, WireType.LengthDelimited).string(reason);
    info.tag(2, WireType.LengthDelimited).string(detailDomain);
  });
  if (violations.length > 0) {
    detail(writer, 'BadRequest', (request) => {
      for (const { field, description } of violations) {
        request.tag(1, WireType.LengthDelimited).fork();
        request.tag(1, WireType.LengthDelimited).string(field);
        request.tag(2, WireType.LengthDelimited).string(description);
        request.join();
      }
    });
  }
  if (retrySeconds !== null) {
    detail(writer, 'RetryInfo', (info) => {
      info.tag(1, WireType.LengthDelimited).fork();
      info.tag(1, WireType.Varint).int64(retrySeconds);
      info.join();
    });
  }
  return Buffer.from(writer.finish());
}

/** A google.protobuf.Any in `details` of a Status. */
function detail(status: BinaryWriter, name: string, write: (message: BinaryWriter) => void): void {
  const message = new BinaryWriter();
  write(message);
  status.tag(3, WireType.LengthDelimited).fork();
  status.tag(1, WireType.LengthDelimited).string(typeOf(name));
  status.tag(2, WireType.LengthDelimited).bytes(message.finish());
  status.join();
}
