import type { IncomingMessage } from 'node:http';
import { refusal } from './exceptions.ts';
import type { User } from './users.ts';

/** Parameters of the URL that are not settings (src/Server/HTTPHandler.cpp). */
const reserved = new Set([
  'query',
  'database',
  'default_format',
  'compress',
  'decompress',
  'query_id',
  'session_id',
  'session_check',
  'session_timeout',
  'close_session',
  'buffer_size',
  'wait_end_of_query',
  'user',
  'password',
  'quota_key',
  'stacktrace',
  'client_protocol_version',
  'framing',
]);

export interface RequestParameters {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly database: string | null;
  readonly format: string;
  readonly queryId: string | null;
  readonly session: { readonly id: string; readonly mustExist: boolean; readonly timeoutMs: number } | null;
  readonly closesSession: boolean;
  /** Bytes of an answer that are collected before its first byte is sent. */
  readonly bufferBytes: number;
  readonly waitsForEnd: boolean;
  /** Of queries, in the text form of the URL. */
  readonly params: Readonly<Record<string, string>>;
  readonly settings: ReadonlyMap<string, string>;
}

export function readParameters(request: IncomingMessage): RequestParameters {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const get = (name: string) => url.searchParams.get(name);
  if (isOn(get('compress')) || isOn(get('decompress'))) {
    throw refusal(48, 'NOT_IMPLEMENTED', 'The stand-in does not compress in the native format; use Content-Encoding');
  }
  const params: Record<string, string> = {};
  const settings = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (name.startsWith('param_')) params[name.slice('param_'.length)] = value;
    else if (!reserved.has(name)) settings.set(name, value);
  }
  const sessionId = get('session_id');
  const header = request.headers['x-clickhouse-format'];
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: get('query') ?? '',
    database: get('database') ?? single(request.headers['x-clickhouse-database']) ?? null,
    format: get('default_format') ?? single(header) ?? 'TabSeparated',
    queryId: get('query_id'),
    session:
      sessionId === null
        ? null
        : { id: sessionId, mustExist: isOn(get('session_check')), timeoutMs: sessionMs(get('session_timeout')) },
    closesSession: isOn(get('close_session')),
    bufferBytes: Number(get('buffer_size') ?? 2 ** 20),
    waitsForEnd: isOn(get('wait_end_of_query')),
    params,
    settings,
  };
}

function sessionMs(text: string | null): number {
  const seconds = Number(text ?? 60);
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > 3600) {
    throw refusal(374, 'INVALID_SESSION_TIMEOUT', `Invalid session timeout: '${text}'`);
  }
  return seconds * 1000;
}

/** The user that the request authenticates as. Throws as ClickHouse does for wrong and for mixed credentials. */
export function authenticate(request: IncomingMessage, users: readonly User[]): User {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const ways = [inHeaders(request), inAuthorization(request), inUrl(url)].filter((way) => way !== null);
  if (ways.length > 1) {
    throw refusal(
      516,
      'AUTHENTICATION_FAILED',
      'Invalid authentication: it is not allowed to use several ways at once',
    );
  }
  const { name, password } = ways[0] ?? { name: 'default', password: '' };
  const user = users.find((each) => each.name === name);
  if (user === undefined || user.password !== password) {
    const hint = 'Authentication failed: password is incorrect, or there is no user with such name';
    throw refusal(516, 'AUTHENTICATION_FAILED', `${name}: ${hint}`);
  }
  return user;
}

interface Credentials {
  readonly name: string;
  readonly password: string;
}

function inHeaders(request: IncomingMessage): Credentials | null {
  const name = single(request.headers['x-clickhouse-user']);
  const password = single(request.headers['x-clickhouse-key']);
  if (name === undefined && password === undefined) return null;
  return { name: name ?? 'default', password: password ?? '' };
}

function inAuthorization({ headers: { authorization } }: IncomingMessage): Credentials | null {
  if (authorization === undefined) return null;
  const [scheme = '', value = ''] = authorization.split(' ');
  if (scheme.toLowerCase() !== 'basic') {
    throw refusal(
      516,
      'AUTHENTICATION_FAILED',
      `Invalid authentication: '${scheme}' HTTP Authorization scheme is not supported`,
    );
  }
  const text = Buffer.from(value, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? { name: text, password: '' } : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

function inUrl({ searchParams }: URL): Credentials | null {
  if (!searchParams.has('user') && !searchParams.has('password')) return null;
  return { name: searchParams.get('user') ?? 'default', password: searchParams.get('password') ?? '' };
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

/** Whether a setting or parameter of the URL is switched on. */
export function isOn(value: string | null | undefined): boolean {
  return value === '1' || value === 'true';
}
