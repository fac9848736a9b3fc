import type { IncomingHttpHeaders } from 'node:http';
import { Pause, type Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import { JsonSyntaxError } from '../core/jsonSyntaxError.ts';
import { isJsonArray, isJsonObject, type JsonValue, memberNames } from '../core/jsonValue.ts';
import { parseJson, parseJsonInSteps } from '../core/losslessJson.ts';
import { findLoneSurrogate, loneSurrogateInSteps } from './loneSurrogate.ts';

/** Our bodies are flat. Reading some more levels lets a message name the member that is too deep. */
const depthMax = 32;

/** What reading the body of a request needs. */
export interface JsonCall {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly turns: Turns;
}

/**
 * Parses the JSON body of a request.
 *
 * @throws ServiceError `request.unsupported_media_type` if its type is not in `types`; `request.malformed` if it is
 *   missing or not valid; `request.duplicate_key`
 */
export async function readJsonBody(
  { headers, body, turns }: JsonCall,
  types: readonly string[] = ['application/json'],
): Promise<JsonValue> {
  if (body.length === 0) throw new ServiceError('request.malformed', 'The request has no body; send a JSON body.');
  refuseCoding(headers);
  const { type, charset } = contentType(headers['content-type'] ?? '');
  if (!types.includes(type) || (charset !== 'utf-8' && charset !== 'utf8')) {
    const value = (headers['content-type'] ?? '').slice(0, 128);
    const given = value === '' ? 'no Content-Type' : `the Content-Type ${value}`;
    throw new ServiceError(
      'request.unsupported_media_type',
      `The body has ${given}; allowed: ${types.join(' or ')}, in UTF-8.`,
      { errors: [{ value, allowed: types }] },
    );
  }
  return parseJsonTextInTurns(utf8Text(body), turns);
}

/** Longer texts are parsed in turns. Characters. */
const atOnceCharsMax = 64 * 1024;

/** Like `parseJsonText`, but yields to other work while it parses a long text. */
async function parseJsonTextInTurns(text: string, turns: Turns): Promise<JsonValue> {
  if (text.length <= atOnceCharsMax) return parseJsonText(text);
  const pause = new Pause(turns);
  for (const offset of loneSurrogateInSteps(text, atOnceCharsMax)) {
    if (offset.isLone) throw loneSurrogate(offset.at);
    if (pause.isDue(atOnceCharsMax)) await pause.take();
  }
  try {
    const steps = parseJsonInSteps(text, atOnceCharsMax, { ...bodyOptions, membersMax: membersMax + 1 });
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value;
      if (pause.isDue(atOnceCharsMax)) await pause.take();
    }
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Values in one body. The largest deployment has fewer. */
const valuesMax = 200_000;

/** Members of one object in a body. */
const membersMax = 20_000;

/** The value as `JSON.parse` would return it. Integers beyond 2^53 lose digits, so readers of numbers check the range. */
export function plainJson(value: JsonValue): unknown {
  let values = 0;
  const plain = (each: JsonValue): unknown => {
    values += isJsonArray(each) ? each.length : 1;
    if (values > valuesMax) throw tooManyValues();
    if (typeof each === 'bigint') return Number(each);
    if (isJsonArray(each)) return each.map(plain);
    if (!isJsonObject(each)) return each;
    const names = memberNames(each);
    if (names.length > membersMax) {
      throw new ServiceError('request.malformed', `An object of the JSON body has more than ${membersMax} members.`);
    }
    // `fromEntries` defines `__proto__` as an ordinary member.
    return Object.fromEntries(names.map((name) => [name, plain(each[name] ?? null)]));
  };
  return plain(value);
}

function tooManyValues(): ServiceError {
  return new ServiceError('request.malformed', `The JSON body has more than ${valuesMax} values.`);
}

/** Throws `request.malformed` or `request.duplicate_key`, with line and column. */
export function parseJsonText(text: string): JsonValue {
  const loneAt = findLoneSurrogate(text);
  if (loneAt !== undefined) throw loneSurrogate(loneAt);
  try {
    return parseJson(text, bodyOptions);
  } catch (error) {
    throw refusalOf(error);
  }
}

const bodyOptions = { duplicateKeys: 'error', depthMax } as const;

function loneSurrogate(at: number): ServiceError {
  return new ServiceError(
    'request.malformed',
    `The JSON body has an escape for half of a surrogate pair at character ${at + 1}. Escape both halves.`,
  );
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof JsonSyntaxError)) return error;
  const code = error.problem === 'duplicate_key' ? 'request.duplicate_key' : 'request.malformed';
  return new ServiceError(code, `The JSON body could not be read: ${error.message}.`, {
    errors: [{ line: error.line, column: error.column, ...(error.token === '' ? {} : { token: error.token }) }],
  });
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
