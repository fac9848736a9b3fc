import { expect } from 'vitest';

/** A part of a tail in NDJSON. */
export interface TailPart {
  readonly event: 'start' | 'row' | 'mark' | 'gap' | 'dropped' | 'end';
  readonly id?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A tail that a test reads. */
export interface Tailing {
  /** Everything received so far. */
  readonly parts: readonly TailPart[];
  rows(): readonly Readonly<Record<string, unknown>>[];
  /** The last ID; undefined before the first part. */
  readonly lastId: string | undefined;
  /** Resolves when the service has ended the tail, or the connection is gone. */
  readonly ended: Promise<void>;
  leave(): void;
}

/** Opens a tail in NDJSON, and reads it until it ends. Rejects if it does not begin. */
export async function tailOf(
  url: string,
  idOrName: string,
  token: string,
  parameters: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Tailing> {
  const leaving = new AbortController();
  const query = new URLSearchParams({ format: 'ndjson', ...parameters });
  const response = await fetch(`${url}/api/endpoints/tail/${encodeURIComponent(idOrName)}?${query}`, {
    headers: { 'x-api-key': token, ...headers },
    signal: leaving.signal,
  });
  if (response.status !== 200 || response.body === null) {
    throw new Error(`the tail did not begin: ${response.status} ${await response.text()}`);
  }
  const parts: TailPart[] = [];
  const reading = read(response.body, parts).catch((error: unknown) => {
    // A service that is killed breaks the connection.
    if (!leaving.signal.aborted && !(error instanceof TypeError)) throw error;
  });
  await expect.poll(() => parts.length).toBeGreaterThan(0);
  return {
    parts,
    rows: () => parts.filter(({ event }) => event === 'row').map(({ data }) => data),
    get lastId() {
      return parts.findLast(({ id }) => id !== undefined)?.id;
    },
    ended: reading,
    leave: () => leaving.abort(),
  };
}

async function read(body: ReadableStream<Uint8Array>, parts: TailPart[]): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) parts.push(JSON.parse(line) as TailPart);
  }
}
