import { type ErrorCode, errorCatalogue } from '../../core/errorCatalogue.ts';
import type { JsonObject } from '../../core/jsonValue.ts';
import { badDataStatus } from '../badDataStatus.ts';

/**
 * The answers to failed calls, as components that operations share: `refs` returns the `responses` of an
 * operation, `components` the components that these refer to.
 */
export class ErrorResponses {
  readonly #components: Record<string, JsonObject> = {};
  readonly #nameOfCodes = new Map<string, string>();

  refs(codes: readonly ErrorCode[]): JsonObject {
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of [...new Set(codes)].sort()) {
      const { status } = errorCatalogue[code];
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
    const statuses = [...byStatus].sort(([a], [b]) => a - b);
    return Object.fromEntries(
      statuses.map(([status, known]) => [
        String(status),
        { $ref: `#/components/responses/${this.#nameOf(status, known)}` },
      ]),
    );
  }

  get components(): JsonObject {
    return this.#components;
  }

  #nameOf(status: number, codes: readonly ErrorCode[]): string {
    const key = codes.join(' ');
    const known = this.#nameOfCodes.get(key);
    if (known !== undefined) return known;
    let name = `Error${status}`;
    for (let count = 2; this.#components[name] !== undefined; count++) name = `Error${status}_${count}`;
    this.#components[name] = errorResponse(status, codes);
    this.#nameOfCodes.set(key, name);
    return name;
  }
}

function errorResponse(status: number, codes: readonly ErrorCode[]): JsonObject {
  const headers = headersOf(status);
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].docs}`).join('\n\n'),
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: [...codes] } } }],
        },
      },
    },
  };
}

/**
 * The answers to failed OTLP calls, by status: a google.rpc.Status in either encoding (routes/otlp/exportStatus.ts).
 */
export function exportErrorResponses(codes: readonly ErrorCode[]): JsonObject {
  return badDataResponses(codes, {
    'application/json': { schema: { $ref: '#/components/schemas/ExportStatus' } },
    'application/x-protobuf': { schema: { description: 'The same google.rpc.Status in protobuf.' } },
  });
}

/** The answers to failed pushes of Loki clients, by status: problem documents (routes/loki/pushProblem.ts). */
export function pushErrorResponses(codes: readonly ErrorCode[]): JsonObject {
  return badDataResponses(codes, {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  });
}

/** The answers to failed requests of clients of Elasticsearch, by status (routes/elastic/elasticError.ts). */
export function elasticErrorResponses(codes: readonly ErrorCode[]): JsonObject {
  return badDataResponses(codes, { 'application/json': { schema: { $ref: '#/components/schemas/ElasticError' } } });
}

/** The answers with the statuses of `badDataStatus`, all with this content. */
function badDataResponses(codes: readonly ErrorCode[], content: JsonObject): JsonObject {
  const statusOf = (code: ErrorCode) => badDataStatus(errorCatalogue[code].status);
  const all = [...new Set(codes)].sort();
  return Object.fromEntries(
    [...new Set(all.map(statusOf))].sort().map((status) => {
      const known = all.filter((code) => statusOf(code) === status);
      const { content: _problem, ...response } = errorResponse(status, known);
      return [String(status), { ...response, content }];
    }),
  );
}

/** JSON Schema of a google.rpc.Status in the JSON form of protobuf. */
export const exportStatusSchema: JsonObject = {
  type: 'object',
  description: 'A google.rpc.Status, in the encoding of the request.',
  properties: {
    code: { type: 'integer', description: 'A google.rpc.Code.' },
    message: { type: 'string', description: 'What went wrong, and what to do.' },
    details: {
      type: 'array',
      description:
        'A google.rpc.ErrorInfo with the error code as its reason. Also a BadRequest with the fields or log records that were wrong, and a RetryInfo if the request can be sent again.',
      items: {
        type: 'object',
        properties: {
          '@type': { type: 'string' },
          reason: { type: 'string', enum: Object.keys(errorCatalogue) },
          domain: { type: 'string' },
          fieldViolations: {
            type: 'array',
            items: {
              type: 'object',
              properties: { field: { type: 'string' }, description: { type: 'string' } },
              required: ['field', 'description'],
            },
          },
          retryDelay: { type: 'string', description: 'Seconds, such as 1s. The same as the header Retry-After.' },
        },
        required: ['@type'],
      },
    },
  },
  required: ['code', 'message', 'details'],
};

function headersOf(status: number): readonly string[] {
  if (status === 401) return ['X-Request-Id', 'WWW-Authenticate'];
  if (status === 429 || status === 503) return ['X-Request-Id', 'Retry-After'];
  return ['X-Request-Id'];
}

/** JSON Schema of the answers to failed calls (RFC 9457; contract, section 1, "Errors"). */
export const problemSchema: JsonObject = {
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What went wrong, and what to do.' },
    code: { type: 'string', enum: Object.keys(errorCatalogue) },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          parameter: { type: 'string' },
          value: { type: 'string' },
          allowed: { type: 'array', items: { type: 'string' } },
          nearest: { type: 'string', description: 'The allowed name that is nearest to the given one.' },
          line: { type: 'integer', description: 'Line in the text of the query, from 1.' },
          column: { type: 'integer', description: 'Column in characters, from 1.' },
          token: { type: 'string' },
          expected: { type: 'string' },
          rule: { type: 'string' },
          callers: {
            type: 'array',
            items: { type: 'string' },
            description: 'Public IDs of the tokens whose calls would break.',
          },
          holder: { type: 'string', description: 'ID of the endpoint that has the name.' },
          index: { type: 'integer', description: 'Position of the event in its batch, from 0.' },
          code: { type: 'string' },
          message: { type: 'string' },
        },
      },
    },
    error: {
      type: 'object',
      description: 'The same message and code, for clients that read only this member.',
      properties: { message: { type: 'string' }, code: { type: 'string' } },
      required: ['message', 'code'],
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id', 'errors', 'error'],
};
