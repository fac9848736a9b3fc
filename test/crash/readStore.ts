import type { FoundStore, KnownStore } from './knownStore.ts';

/** Makes a call with a token; `body` is sent as JSON. Rejects if no answer comes, as when the service is killed. */
export async function callService(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, never>> }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'x-api-key': token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}

/** Whether a token is live, according to the answer of a call that needs one. */
export async function stateOfToken(url: string, text: string): Promise<'live' | 'revoked'> {
  const { status } = await callService(url, text, 'GET', '/api/queries');
  if (status === 200) return 'live';
  if (status === 401) return 'revoked';
  throw new Error(`a call with a token was answered with ${status}`);
}

async function everyPage(
  url: string,
  admin: string,
  path: string,
): Promise<readonly Readonly<Record<string, never>>[]> {
  const all: Readonly<Record<string, never>>[] = [];
  for (let cursor: string | null = null; ; ) {
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await callService(url, admin, 'GET', `${path}?limit=100${next}`);
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${JSON.stringify(body)}`);
    all.push(...(body.result as unknown as typeof all));
    cursor = body.next ?? null;
    if (cursor === null) return all;
  }
}

/** Reads the known parts of the store from a running service. */
export async function readStore(url: string, admin: string, known: KnownStore): Promise<FoundStore> {
  const tokens = new Map<string, 'live' | 'revoked'>();
  for (const [id, { text }] of known.tokens) tokens.set(id, await stateOfToken(url, text));
  const endpoints = (await everyPage(url, admin, '/api/endpoints')).map(({ id, description }): [string, string] => [
    String(id),
    String(description),
  ]);
  const { body } = await callService(url, admin, 'GET', '/api/sources');
  const sources = new Set((body.sources as unknown as readonly { name: string }[]).map(({ name }) => name));
  const retention = new Map<string, number | null>();
  for (const source of known.retention.keys()) {
    const answer = await callService(url, admin, 'GET', `/api/sources/${source}/retention`);
    retention.set(source, answer.status === 200 ? (answer.body.days ?? null) : null);
  }
  const audit = new Map<string, number>();
  for (const { action, target } of await everyPage(url, admin, '/api/audit')) {
    const entry = `${String(action)} ${String(target)}`;
    audit.set(entry, (audit.get(entry) ?? 0) + 1);
  }
  return { tokens, endpoints: new Map(endpoints), sources, retention, audit };
}
