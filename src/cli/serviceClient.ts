import { parseJson } from '../core/losslessJson.ts';
import { systemReason } from '../core/systemReason.ts';
import { CliError } from './cliError.ts';
import { type ProblemDocument, problemSchema, renderProblem } from './problemDocument.ts';

export interface ServiceAddress {
  /** Base URL without a final slash. */
  readonly url: string;
  readonly token: string;
}

export type ServiceAnswer =
  | { readonly kind: 'success'; readonly body: string; readonly bytes: Uint8Array; readonly headers: Headers }
  | {
      readonly kind: 'problem';
      readonly status: number;
      readonly problem: ProblemDocument;
      /** The wait that `Retry-After` asks for, in milliseconds. */
      readonly retryAfterMs: number | undefined;
    }
  /** No answer: connection refused, reset or timed out. `isUnsent`: whether the service cannot have received the request. */
  | { readonly kind: 'unreachable'; readonly reason: string; readonly isUnsent: boolean }
  /** The connection ended before the end of the answer. */
  | { readonly kind: 'broken'; readonly reason: string; readonly requestId: string | null };

/** Help text of the flag `--url`: where `serviceUrl` looks. */
export const urlOptionText =
  'address of the service (default: LOGMILL_URL, else this machine with LOGMILL_PORT, else http://127.0.0.1:4000)';

/**
 * The address of the service, without a final slash: the flag, else `LOGMILL_URL`, else the address that
 * `logmill serve` listens on with the same environment.
 */
export function serviceUrl(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const url = flag ?? (environment.LOGMILL_URL || localUrl(environment));
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CliError(`The service address "${url}" is not an http:// or https:// URL.`, { exitCode: 2 });
  }
  return url.replace(/\/+$/, '');
}

/** Addresses to listen on that are no addresses to call. */
const anyAddress = ['', '0.0.0.0', '::', '[::]'];

/** Where `logmill serve` listens. Container platforms set `LOGMILL_PORT` to a URL, which is not a port. */
function localUrl(environment: Readonly<Record<string, string | undefined>>): string {
  const { LOGMILL_HOST: host = '', LOGMILL_PORT: port = '' } = environment;
  const name = anyAddress.includes(host)
    ? '127.0.0.1'
    : host.includes(':')
      ? `[${host.replace(/^\[|\]$/g, '')}]`
      : host;
  return `http://${name}:${/^[1-9]\d*$/.test(port) ? port : '4000'}`;
}

/** The address and token from the flags, else `serviceUrl` and `LOGMILL_TOKEN`. Throws a CliError if there is no token. */
export function serviceAddress(
  flags: { readonly url?: string | undefined; readonly token?: string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): ServiceAddress {
  const url = serviceUrl(flags.url, environment);
  const token = flags.token ?? environment.LOGMILL_TOKEN;
  if (token === undefined || token === '') {
    throw new CliError('A token is missing: give --token or set LOGMILL_TOKEN. "logmill tokens create" creates one.', {
      exitCode: 2,
    });
  }
  return { url, token };
}

export interface ServiceRequest {
  /** Default: POST. */
  readonly method?: 'GET' | 'PUT' | 'DELETE';
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * `none`: the request changes nothing, as does each GET. `repeatable`: a second one changes nothing more, as does each PUT.
   * By default, each request of another method may make a change of its own.
   */
  readonly effect?: 'none' | 'repeatable';
}

/** The service answered with a problem. */
export class RefusedCall extends CliError {
  readonly problem: ProblemDocument;

  constructor(problem: ProblemDocument, query: string | undefined) {
    super(renderProblem(problem, query), { details: problem });
    this.problem = problem;
  }
}

/** The service did not answer. */
export class UnreachableService extends CliError {
  /** Whether the service cannot have received the request. */
  readonly isUnsent: boolean;

  constructor(
    { url }: ServiceAddress,
    request: ServiceRequest,
    { reason, isUnsent }: Omit<Extract<ServiceAnswer, { readonly kind: 'unreachable' }>, 'kind'>,
  ) {
    super(
      isUnsent
        ? `${url} cannot be reached: ${reason}. Check that the service runs ("logmill serve" starts it), or give another address with --url or LOGMILL_URL.`
        : `The connection to ${url} ended before the answer came: ${reason}.${unknownOutcome(request)}`,
    );
    this.isUnsent = isUnsent;
  }
}

/** The connection ended before the end of an answer. */
export class BrokenAnswer extends CliError {
  /** `what` was cut off; `reason`: what the system says of the connection. */
  constructor(what: string, reason: string | null, requestId: string | null, advice = '') {
    const why = [
      ...(reason === null ? [] : [reason]),
      requestId === null
        ? 'the log of the service may have the reason'
        : `the log of the service has the reason under the request ID ${requestId}`,
    ];
    super(`${what} was cut off before its end, so what arrived is not complete (${why.join('; ')}).${advice}`, {
      details: requestId === null ? {} : { request_id: requestId },
    });
  }
}

/** What to do about a change whose answer is missing: the service may have made it before it ended. Empty for a read. */
function unknownOutcome({ method, effect }: ServiceRequest): string {
  if (method === 'GET' || effect === 'none') return '';
  return method === 'PUT' || effect === 'repeatable'
    ? ' The service may have made the change. Run the command again: what is done already stays as it is.'
    : ' The service may have made the change. Check before you repeat it.';
}

/** The error of a call without a whole answer. */
export function missingAnswer(
  address: ServiceAddress,
  request: ServiceRequest,
  answer: Extract<ServiceAnswer, { readonly kind: 'unreachable' | 'broken' }>,
): CliError {
  if (answer.kind === 'unreachable') return new UnreachableService(address, request, answer);
  return new BrokenAnswer('The answer', answer.reason, answer.requestId, unknownOutcome(request));
}

/** The ID of the request in the log of the service. */
export const requestIdOf = (headers: Headers): string | null => headers.get('x-request-id');

/** Calls the service and returns the body of its answer; throws a CliError otherwise. `query`: the text that places in errors refer to. */
export async function answerOf(
  address: ServiceAddress,
  path: string,
  request: ServiceRequest,
  query?: string,
): Promise<string> {
  return (await wholeAnswerOf(address, path, request, query)).body;
}

/** Like `answerOf`, with headers, and the body as it was sent. */
export async function wholeAnswerOf(
  address: ServiceAddress,
  path: string,
  request: ServiceRequest,
  query?: string,
): Promise<Extract<ServiceAnswer, { readonly kind: 'success' }>> {
  const answer = await callService(address, path, request);
  if (answer.kind === 'success') return answer;
  if (answer.kind === 'problem') throw new RefusedCall(answer.problem, query);
  throw missingAnswer(address, request, answer);
}

/** Like `wholeAnswerOf`, but the body of the response is still to be read. */
export async function openAnswerOf(
  address: ServiceAddress,
  path: string,
  request: ServiceRequest,
  query?: string,
): Promise<Response> {
  const response = await respond(address, path, request);
  if (response.ok) return response;
  throw new RefusedCall(await problemOf(address, response), query);
}

/** The response of the service, whatever its status. Throws a CliError if there is none. */
export async function respond(address: ServiceAddress, path: string, request: ServiceRequest): Promise<Response> {
  requireSegments(path);
  return await send(address, path, request).catch((error: unknown) => {
    throw new UnreachableService(address, request, { reason: reasonOf(error), isUnsent: isUnsent(error) });
  });
}

/** Calls the service once. Throws a CliError if the answer is not from Logmill. */
export async function callService(
  address: ServiceAddress,
  path: string,
  request: ServiceRequest,
): Promise<ServiceAnswer> {
  requireSegments(path);
  let response: Response;
  let bytes: Buffer;
  try {
    response = await send(address, path, request);
  } catch (error) {
    return { kind: 'unreachable', reason: reasonOf(error), isUnsent: isUnsent(error) };
  }
  try {
    bytes = Buffer.from(await response.arrayBuffer());
  } catch (error) {
    return { kind: 'broken', reason: reasonOf(error), requestId: requestIdOf(response.headers) };
  }
  const body = bytes.toString();
  if (response.ok) return { kind: 'success', body, bytes, headers: response.headers };
  const problem = problemIn(address, response, body);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  return { kind: 'problem', status: response.status, problem, retryAfterMs };
}

async function send(address: ServiceAddress, path: string, request: ServiceRequest): Promise<Response> {
  return await fetch(`${address.url}${path}`, {
    method: request.method ?? 'POST',
    headers: { 'x-api-key': address.token, ...request.headers },
    ...(request.body === undefined ? {} : { body: request.body }),
  });
}

/** Reads the problem of a response. Throws a CliError if it is not from Logmill. */
export async function problemOf(address: ServiceAddress, response: Response): Promise<ProblemDocument> {
  const body = await response.text().catch((error: unknown) => {
    throw new BrokenAnswer('The answer', reasonOf(error), requestIdOf(response.headers));
  });
  return problemIn(address, response, body);
}

function problemIn({ url }: ServiceAddress, { status }: Response, body: string): ProblemDocument {
  const problem = problemSchema.safeParse(parsed(body));
  if (problem.success) return problem.data;
  throw new CliError(
    `${url} answered ${status}, but the answer is not from Logmill. Check the address (--url or LOGMILL_URL).`,
  );
}

/** Refuses segments such as `..`, which a URL resolves, so that the path would name something else. */
function requireSegments(path: string): void {
  const [beforeQuery = ''] = path.split('?');
  const [, ...segments] = beforeQuery.split('/');
  const wrong = segments.find((segment) => ['', '.', '..'].includes(segment));
  if (wrong !== undefined) throw new CliError(`"${wrong}" cannot be used as a name or an ID.`, { exitCode: 2 });
}

function parsed(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    // The caller reports that the answer is not from Logmill.
    return undefined;
  }
}

/** Codes of connections that ended after they had been made. Other errors come before a request is sent. */
const lostCodes: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'ECONNRESET', 'EPIPE']);

function isUnsent(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error && 'code' in cause)) return true;
  const isConnecting = 'syscall' in cause && cause.syscall === 'connect';
  return !(lostCodes.has(cause.code) || (cause.code === 'ETIMEDOUT' && !isConnecting));
}

/** Why a call failed, such as `connection refused (ECONNREFUSED)`. */
export function reasonOf(error: unknown): string {
  return systemReason(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
