import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { systemTimer, type Timer } from '../../../core/timer.ts';
import { answeredFailure, ClickHouseFailure, unansweredFailure } from './failure.ts';
import type { ServerPool } from './serverPool.ts';
import { ServerWatch, type WatchTimes } from './serverWatch.ts';

/** The account that a connection uses. */
export interface ClickHouseUser {
  readonly name: string;
  readonly password: string;
}

/** Settings of a request, as ClickHouse reads them in a URL. */
export type RequestSettings = Readonly<Record<string, string | number>>;

export interface ServerRequest {
  readonly statement: string;
  readonly settings?: RequestSettings;
  /** Identifies the query on the server. Random if absent. */
  readonly queryId?: string;
  /** Rows of an INSERT, in the format that the statement names. */
  readonly body?: Uint8Array;
}

export interface ServerAnswer {
  /** Must be read to its end or destroyed. */
  readonly body: Readable;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Resolves when the server of this URL has answered a request that needs no work. Rejects otherwise, or when aborted. */
export type PingsUrl = (url: string, signal: AbortSignal) => Promise<void>;

/** Bytes of an answer that is kept as text. */
const textBytesMax = 16 * 2 ** 20;

/** One server, as one user. The library of connections is loaded by the first request. */
export class ClickHouseServer {
  readonly url: string;
  readonly #user: ClickHouseUser;
  readonly #watch: ServerWatch;
  #pool: Promise<ServerPool> | null = null;

  constructor(
    url: string,
    user: ClickHouseUser,
    timer: Timer = systemTimer,
    pings: PingsUrl = ping,
    watchTimes?: WatchTimes,
  ) {
    this.url = url;
    this.#user = user;
    this.#watch = new ServerWatch(async (signal) => await pings(url, signal), timer, watchTimes);
  }

  /** Whether the server can be reached within this time. Never rejects. */
  async answers(withinMs: number): Promise<boolean> {
    return await this.#watch.answers(withinMs);
  }

  /**
   * Sends a request. Rejects with a ClickHouseFailure unless the server answers 200 and reports no error, and if it cannot be
   * reached any more before the answer begins. If that happens later, the body fails.
   */
  async send(request: ServerRequest, signal: AbortSignal): Promise<ServerAnswer> {
    signal.throwIfAborted();
    const either = new AbortController();
    const stop = () => either.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const lost: { body?: Readable; failure?: ClickHouseFailure } = {};
    const end = this.#watch.during((failure) => {
      lost.failure = failure;
      either.abort(failure);
      lost.body?.destroy(failure);
    });
    try {
      const answer = await this.#send(request, either.signal);
      lost.body = answer.body.once('close', end);
      return answer;
    } catch (error) {
      end();
      signal.throwIfAborted();
      throw lost.failure ?? unansweredFailure(error);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #send(request: ServerRequest, signal: AbortSignal): Promise<ServerAnswer> {
    const { statement, settings = {}, queryId = randomUUID(), body } = request;
    this.#pool ??= this.#connect();
    const pool = await this.#pool;
    signal.throwIfAborted();
    const parameters = new URLSearchParams({ query_id: queryId });
    // Rows need the body.
    if (body !== undefined) parameters.set('query', statement);
    for (const [name, value] of Object.entries(settings)) parameters.set(name, String(value));
    const { status, headers, body: answer } = await pool.post({ parameters, body: body ?? statement, signal });
    const code = headerNumber(headers['x-clickhouse-exception-code']);
    if (status !== 200 || code !== null) {
      throw answeredFailure(status, code, await textOf(answer, signal).catch(() => ''));
    }
    const coding = headers['content-encoding'] ?? 'identity';
    if (coding !== 'identity') {
      answer.destroy();
      throw new ClickHouseFailure('damaged', `an answer is compressed as ${String(coding)}, which was not asked for`);
    }
    return { body: answer, headers };
  }

  /** Sends a request and returns its answer as text. */
  async text(request: ServerRequest, signal: AbortSignal): Promise<string> {
    const { body, headers } = await this.send(request, signal);
    const text = await textOf(body, signal);
    const tag = headers['x-clickhouse-exception-tag'];
    if (typeof tag === 'string' && text.includes(`__exception__\r\n${tag}`)) {
      throw answeredFailure(200, null, text.slice(text.lastIndexOf('Code: ')));
    }
    return text;
  }

  async close(): Promise<void> {
    await (await this.#pool)?.close();
  }

  async #connect(): Promise<ServerPool> {
    const { openPool } = await import('./serverPool.ts');
    const { name, password } = this.#user;
    return openPool(this.url, {
      Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
      'Accept-Encoding': 'identity',
      'User-Agent': 'logmill',
    });
  }
}

/** On a connection of its own, because those of requests may be dead or all in use. */
async function ping(url: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(new URL('/ping', url), { signal, headers: { connection: 'close' } });
  const text = await response.text();
  if (!response.ok) throw new Error(`the server answered ${response.status}: ${text.slice(0, 100)}`);
}

/** Reads an answer as text. Rejects with a ClickHouseFailure if the connection breaks or the answer is too long. */
async function textOf(body: Readable, signal: AbortSignal): Promise<string> {
  const stop = () => body.destroy(new Error('the request was given up'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > textBytesMax) throw new ClickHouseFailure('damaged', 'an answer is longer than expected');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } catch (error) {
    signal.throwIfAborted();
    throw unansweredFailure(error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A header that is a number; null if it is absent or another text. */
export function headerNumber(value: string | string[] | undefined): number | null {
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : null;
}
