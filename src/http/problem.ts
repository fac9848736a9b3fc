import { errorCatalogue } from '../core/errorCatalogue.ts';
import type { ServiceError } from '../core/errors.ts';

/** An error as an HTTP answer: status, its own headers, body. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const typePrefix = 'https://logmill.dev/errors/';

/**
 * Renders an error as a problem document (RFC 9457; contract, section 1, "Errors"). The error's cause is not shown. `statusOf`
 * changes the status of the catalogue for protocols that need another one.
 */
export function renderProblem(
  error: ServiceError,
  requestId: string,
  { statusOf = (status: number): number => status } = {},
): Problem {
  const { title, ...entry } = errorCatalogue[error.code];
  const status = statusOf(entry.status);
  const headers: Record<string, string> = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-request-id': requestId,
  };
  const retryAfterSeconds = error.retryAfterSeconds ?? (status === 503 ? 1 : undefined);
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds)));
  if (error.lengthBytes !== undefined) headers['content-range'] = `bytes */${error.lengthBytes}`;
  if (error.code === 'auth.missing' || error.code.startsWith('session.'))
    headers['www-authenticate'] = 'Bearer realm="logmill"';
  if (error.code === 'auth.invalid') headers['www-authenticate'] = 'Bearer realm="logmill", error="invalid_token"';
  const body = JSON.stringify({
    type: `${typePrefix}${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    errors: error.errors,
    error: { message: error.message, code: error.code },
  });
  return { status, headers, body };
}
