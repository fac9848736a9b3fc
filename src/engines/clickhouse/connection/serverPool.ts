import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { Semaphore } from '../../../core/concurrency/semaphore.ts';
import { untilAborted } from '../../../core/concurrency/untilAborted.ts';

/** The connections to one server. */
export interface ServerPool {
  /** Sends a POST and resolves when the headers of its answer have come, whatever its status is. */
  post(request: PoolRequest): Promise<PoolAnswer>;
  close(): Promise<void>;
}

export interface PoolRequest {
  /** Of the URL. */
  readonly parameters: URLSearchParams;
  readonly body: string | Uint8Array;
  /** Ends the request at any moment, also while it waits for a connection, and later its answer. */
  readonly signal: AbortSignal;
}

export interface PoolAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Must be read to its end or destroyed. */
  readonly body: Readable;
}

const connectionsMax = 64;
/** Longer than any deadline; each request has its own signal. */
const idleMs = 3_600_000;
/** Whatever the server announces: load balancers forget a connection that nobody used for a few minutes, often without a word. */
const unusedMs = 60_000;

/** `url` may have a path, such as that of a proxy. */
export function openPool(url: string, headers: Readonly<Record<string, string>>): ServerPool {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, {
    connections: connectionsMax,
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    keepAliveMaxTimeout: unusedMs,
  });
  // Not undici's own queue: there, a request that was given up waits on, with its body, and then ends a connection.
  const places = new Semaphore(connectionsMax);
  const send = async ({ parameters, body, signal }: PoolRequest, release: () => void): Promise<PoolAnswer> => {
    try {
      const path = `${pathname}?${parameters.toString()}`;
      const answer = await pool.request({ path, method: 'POST', headers, body, signal });
      // Whoever reads it learns of its failure; without a listener, the failure would end the process.
      answer.body.on('error', () => undefined).once('close', release);
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    } catch (error) {
      release();
      throw error;
    }
  };
  return {
    post: async (request) => {
      const release = await places.acquire({ signal: request.signal });
      // undici does not notice the signal before it has a connection.
      return await untilAborted(send(request, release), request.signal);
    },
    close: async () => await pool.destroy(),
  };
}
