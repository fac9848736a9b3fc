import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import { JsonSyntaxError } from '../core/jsonSyntaxError.ts';
import { isJsonArray, isJsonObject, type JsonValue, memberNames } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';
import { findLoneSurrogate } from './loneSurrogate.ts';

/** Bodies of ours are flat; some levels more are read so that a message can name what is too deep. */
const depthMax = 32;

/**
 * The JSON value of a body of a request that changes something. `request.unsupported_media_type`
 * where its type is none of `types`, `request.malformed` without a body.
 */
export function readJsonBody(
  headers: IncomingHttpHeaders,
  body: Buffer,
  types: readonly string[] = ['application/json'],
): JsonValue {
  if (body.length === 0) throw new ServiceError('request.malformed', 'The request needs a JSON body, and has none.');
  refuseCoding(headers);
  const { type, charset } = contentType(headers['content-type'] ?? '');
  if (!types.includes(type) || (charset !== 'utf-8' && charset !== 'utf8')) {
    const value = (headers['content-type'] ?? '').slice(0, 128);
    const given = value === '' ? 'no Content-Type' : `the Content-Type ${value}`;
    throw new ServiceError(
      'request.unsupported_media_type',
      `The body has ${given}; it can be ${types.join(' or ')}, in UTF-8.`,
      { errors: [{ value, allowed: types }] },
    );
  }
  return parseJsonText(utf8Text(body));
}

/** The value as JavaScript holds JSON: integers beyond 2^53 lose digits, which whoever reads a number checks. */
export function plainJson(value: JsonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (isJsonArray(value)) return value.map(plainJson);
  if (!isJsonObject(value)) return value;
  // `fromEntries` defines `__proto__` as a member like any other.
  return Object.fromEntries(memberNames(value).map((name) => [name, plainJson(value[name] ?? null)]));
}

/** Throws `request.malformed` and `request.duplicate_key` with line and column. */
export function parseJsonText(text: string): JsonValue {
  const loneAt = findLoneSurrogate(text);
  if (loneAt !== undefined) {
    throw new ServiceError(
      'request.malformed',
      `The JSON body escapes half of a surrogate pair at character ${loneAt + 1}.`,
    );
  }
  try {
    return parseJson(text, { duplicateKeys: 'error', depthMax });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const code = error.problem === 'duplicate_key' ? 'request.duplicate_key' : 'request.malformed';
    throw new ServiceError(code, `The JSON body could not be read: ${error.message}.`, {
      errors: [{ line: error.line, column: error.column, ...(error.token === '' ? {} : { token: error.token }) }],
    });
  }
}

export function contentType(header: string): { readonly type: string; readonly charset: string } {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return { type, charset: charset?.replaceAll('"', '') ?? 'utf-8' };
}

/** Only bodies of events may be compressed. */
export function refuseCoding(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return;
  throw new ServiceError('request.unsupported_encoding', 'The body of this call must not be compressed.', {
    errors: [{ value: encoding.slice(0, 64), allowed: ['identity'] }],
  });
}

export function utf8Text(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ServiceError('request.malformed', 'The JSON body is not valid UTF-8.');
  }
}
