import { expect } from 'vitest';
import { type TailFormat, tailFormats } from '../../src/invoke/tail/tailFormat.ts';
import { engineUnderTest } from './enginesUnderTest.ts';

/** The forms of tails, if the engine has them. */
export const everyTail = engineUnderTest.states.tails ? (Object.keys(tailFormats) as TailFormat[]) : [];

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
  /** The same, with headers. */
  readonly shown: string;
  rows(): readonly Readonly<Record<string, unknown>>[];
  /** The last ID; undefined before the first part. */
  readonly lastId: string | undefined;
  /** Resolves when the service has ended the tail, or the connection is gone. */
  readonly ended: Promise<void>;
  leave(): void;
}

/** Opens a tail, by default in NDJSON, and reads it until it ends. Rejects if it does not begin. */
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
  let shown = [...response.headers].map((header) => header.join(': ')).join('\n');
  const isSse = response.headers.get('content-type') === tailFormats.sse.mediaType;
  const reading = read(response.body, isSse ? '\n\n' : '\n', (text) => {
    shown += `\n${text}`;
    if (!text.startsWith('retry:')) parts.push(isSse ? ofSse(text) : (JSON.parse(text) as TailPart));
  }).catch((error: unknown) => {
    // A service that is killed breaks the connection.
    if (!leaving.signal.aborted && !(error instanceof TypeError)) throw error;
  });
  await expect.poll(() => parts.length).toBeGreaterThan(0);
  return {
    parts,
    get shown() {
      return shown;
    },
    rows: () => parts.filter(({ event }) => event === 'row').map(({ data }) => data),
    get lastId() {
      return parts.findLast(({ id }) => id !== undefined)?.id;
    },
    ended: reading,
    leave: () => leaving.abort(),
  };
}

async function read(body: ReadableStream<Uint8Array>, end: string, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const texts = `${rest}${decoder.decode(bytes, { stream: true })}`.split(end);
    rest = texts.pop() ?? '';
    for (const text of texts) take(text);
  }
}

function ofSse(text: string): TailPart {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const id = fields.get('id');
  return {
    event: (fields.get('event') ?? 'row') as TailPart['event'],
    ...(id === undefined ? {} : { id }),
    data: JSON.parse(fields.get('data') ?? ''),
  };
}
