import { parseJson } from '../core/losslessJson.ts';
import { CliError } from './cliError.ts';
import { type ProblemDocument, problemSchema, renderProblem } from './problemDocument.ts';

export interface ServiceAddress {
  /** Base URL without a slash at its end. */
  readonly url: string;
  readonly token: string;
}

export type ServiceAnswer =
  | { readonly kind: 'success'; readonly body: string }
  | {
      readonly kind: 'problem';
      readonly status: number;
      readonly problem: ProblemDocument;
      /** What `Retry-After` asks for, milliseconds. */
      readonly retryAfterMs: number | undefined;
    }
  /** No answer came: refused, reset, timed out. */
  | { readonly kind: 'unreachable'; readonly reason: string };

/**
 * Where the service is: the flag, else `LOGMILL_URL`, else the address that `logmill serve` listens on by default;
 * without a slash at its end.
 */
export function serviceUrl(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const url = flag ?? (environment.LOGMILL_URL || 'http://127.0.0.1:4000');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CliError(`The address of the service "${url}" is no http:// or https:// URL.`, { exitCode: 2 });
  }
  return url.replace(/\/+$/, '');
}

/** Where the service is and with which token: flags, else `serviceUrl` and `LOGMILL_TOKEN`. Throws a CliError where a token is missing. */
export function serviceAddress(
  flags: { readonly url?: string | undefined; readonly token?: string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): ServiceAddress {
  const url = serviceUrl(flags.url, environment);
  const token = flags.token ?? environment.LOGMILL_TOKEN;
  if (token === undefined || token === '') {
    throw new CliError('This needs a token: give --token or set LOGMILL_TOKEN. "logmill tokens create" makes one.', {
      exitCode: 2,
    });
  }
  return { url, token };
}

export interface ServiceRequest {
  /** POST where it is left out. */
  readonly method?: 'GET' | 'PUT' | 'DELETE';
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The service answered with a problem. */
export class RefusedCall extends CliError {
  readonly problem: ProblemDocument;

  constructor(problem: ProblemDocument, query: string | undefined) {
    const { code, status, errors = [], request_id } = problem;
    super(renderProblem(problem, query), { details: { code, status, errors, request_id } });
    this.problem = problem;
  }
}

/** The body of a success; throws a CliError that tells what else happened. `query`: the text that errors point into. */
export async function answerOf(
  address: ServiceAddress,
  path: string,
  request: ServiceRequest,
  query?: string,
): Promise<string> {
  const answer = await callService(address, path, request);
  if (answer.kind === 'success') return answer.body;
  if (answer.kind === 'problem') throw new RefusedCall(answer.problem, query);
  throw new CliError(
    `${address.url} cannot be reached (${answer.reason}). Is the service running there? --url or LOGMILL_URL names another address; "logmill serve" starts a service.`,
  );
}

/** One call of the service. Throws a CliError for an answer that no Logmill gives. */
export async function callService(
  address: ServiceAddress,
  path: string,
  request: ServiceRequest,
): Promise<ServiceAnswer> {
  requireSegments(path);
  let response: Response;
  let body: string;
  try {
    response = await fetch(`${address.url}${path}`, {
      method: request.method ?? 'POST',
      headers: { 'x-api-key': address.token, ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    body = await response.text();
  } catch (error) {
    return { kind: 'unreachable', reason: reasonOf(error) };
  }
  if (response.ok) return { kind: 'success', body };
  const problem = problemSchema.safeParse(parsed(body));
  if (!problem.success) {
    throw new CliError(
      `${address.url} answered ${response.status} with something that is not from Logmill; is the address right?`,
    );
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  return { kind: 'problem', status: response.status, problem: problem.data, retryAfterMs };
}

/** URLs have no way to write a segment `..`: it would take its part of the path away, and name something else. */
function requireSegments(path: string): void {
  const [beforeQuery = ''] = path.split('?');
  const [, ...segments] = beforeQuery.split('/');
  const wrong = segments.find((segment) => ['', '.', '..'].includes(segment));
  if (wrong !== undefined) throw new CliError(`"${wrong}" can be no name or id in an address.`, { exitCode: 2 });
}

function parsed(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    // Not JSON: the caller says that this is not a Logmill.
    return undefined;
  }
}

/** The code of what went wrong on the way (`ECONNREFUSED`), or its message. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.message : String(cause);
}
