import type { WholeService } from '../../support/wholeService.ts';

/** An answer of the management API, parsed. */
export interface Managed {
  readonly status: number;
  readonly headers: Headers;
  /** What is in it is what the tests look at. */
  readonly body: ReturnType<typeof JSON.parse>;
}

export interface ManagingCall {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
}

/** Calls an operation of the management API, as the administrator unless another token is given. */
export async function manage(service: WholeService, path: string, call: ManagingCall = {}): Promise<Managed> {
  const { method = 'GET', token = service.adminToken, body } = call;
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { 'x-api-key': token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** The text of a new token with these restrictions, made over HTTP. */
export async function tokenWith(
  service: WholeService,
  restrictions: Readonly<Record<string, unknown>>,
  scopes: readonly string[] = ['query'],
): Promise<string> {
  const { status, body } = await manage(service, '/api/tokens', { method: 'POST', body: { scopes, restrictions } });
  if (status !== 201) throw new Error(`no token was made: ${JSON.stringify(body)}`);
  return body.token;
}
