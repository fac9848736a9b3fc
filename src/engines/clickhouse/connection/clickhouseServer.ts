import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { systemTimer, type Timer } from '../../../core/timer.ts';
import { answeredFailure, ClickHouseFailure, unansweredFailure } from './failure.ts';
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
const connectionsMax = 64;
/** Longer than any deadline; each request has its own signal. */
const idleMs = 3_600_000;

/** One server, as one user. The client library is loaded by the first request. */
export class ClickHouseServer {
  readonly url: string;
  readonly #user: ClickHouseUser;
  readonly #watch: ServerWatch;
  #client: Promise<ClickHouseClient> | null = null;

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
    const { statement, settings = {}, queryId, body } = request;
    this.#client ??= this.#connect();
    const client = await this.#client;
    // The client would miss that it was aborted meanwhile, and wait for an answer that nobody wants.
    signal.throwIfAborted();
    const params = {
      query: statement,
      clickhouse_settings: settings,
      abort_signal: signal,
      ignore_error_response: true,
      ...(queryId === undefined ? {} : { query_id: queryId }),
    };
    const sent = body === undefined ? client.exec(params) : client.exec({ ...params, values: oneChunk(body) });
    const { stream, response_headers: headers, http_status_code: status = 0 } = await sent;
    const code = headerNumber(headers['x-clickhouse-exception-code']);
    if (status !== 200 || code !== null) {
      throw answeredFailure(status, code, await textOf(stream, signal).catch(() => ''));
    }
    return { body: stream, headers };
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
    await (await this.#client)?.close();
  }

  async #connect(): Promise<ClickHouseClient> {
    const { createClient, ClickHouseLogLevel } = await import('./clientLibrary.ts');
    return createClient({
      url: this.url,
      username: this.#user.name,
      password: this.#user.password,
      application: 'logmill',
      request_timeout: idleMs,
      max_open_connections: connectionsMax,
      keep_alive: { enabled: true, eagerly_destroy_stale_sockets: true },
      // Its messages would contain statements, and so values of calls.
      log: { level: ClickHouseLogLevel.OFF },
    });
  }
}

/** On a connection of its own, because those of requests may be dead or all in use. */
async function ping(url: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(new URL('/ping', url), { signal, headers: { connection: 'close' } });
  const text = await response.text();
  if (!response.ok) throw new Error(`the server answered ${response.status}: ${text.slice(0, 100)}`);
}

function oneChunk(body: Uint8Array): Readable {
  return Readable.from([body], { objectMode: false });
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
