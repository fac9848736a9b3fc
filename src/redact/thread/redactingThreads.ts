import { Worker } from 'node:worker_threads';
import { Mutex } from '../../core/concurrency/mutex.ts';
import { Pause, type Turns } from '../../core/concurrency/turns.ts';
import type { ColumnOrigins } from '../createRedactor.ts';
import type { RedactionConfig } from '../redactionConfig.ts';
import type { ShownRows } from '../redactRows.ts';
import type { RedactingReply, RedactingRequest } from './protocol.ts';
import { redactingProgram } from './redactingProgram.ts';

/** Larger results take up to seconds, so they must not delay smaller ones. */
const smallBytesMax = 1024 * 1024;

/**
 * Bytes copied for a thread at once. The copy is new memory, and on a busy virtual machine each of its pages can take a tenth
 * of a millisecond.
 */
const partBytes = 256 * 1024;

/**
 * Redacts rows on two threads, one for small and one for large results. Each handles one call at a time and takes tokens in
 * turn, so that no token waits for all calls of another. Threads start when first needed, and do not keep the process alive.
 * Aborting a running call ends its thread, and the next call starts a new one.
 */
export class RedactingThreads {
  readonly #small: RedactingThread;
  readonly #large: RedactingThread;

  constructor(config: RedactionConfig, turns: Turns) {
    this.#small = new RedactingThread(config, turns);
    this.#large = new RedactingThread(config, turns);
  }

  /**
   * Like `redactRows`.
   *
   * @throws the reason of `signal` if it is aborted
   */
  redact(owner: string, rows: Uint8Array, origins: ColumnOrigins, signal: AbortSignal): Promise<ShownRows> {
    const thread = rows.byteLength <= smallBytesMax ? this.#small : this.#large;
    return thread.redact(owner, rows, origins, signal);
  }
}

class RedactingThread {
  readonly #config: RedactionConfig;
  readonly #turns: Turns;
  readonly #mutex = new Mutex();
  #worker: Worker | null = null;

  constructor(config: RedactionConfig, turns: Turns) {
    this.#config = config;
    this.#turns = turns;
  }

  redact(owner: string, rows: Uint8Array, origins: ColumnOrigins, signal: AbortSignal): Promise<ShownRows> {
    const redacted = this.#mutex.run(() => this.#redactNow(owner, rows, origins, signal), { owner });
    // A waiting call must also end at once when it is aborted.
    return settledOrAborted(redacted, signal);
  }

  async #redactNow(owner: string, rows: Uint8Array, origins: ColumnOrigins, signal: AbortSignal): Promise<ShownRows> {
    signal.throwIfAborted();
    this.#worker ??= this.#begin();
    const worker = this.#worker;
    const reply = replyOf(worker);
    try {
      await this.#send(owner, worker, rows, origins);
      return await settledOrAborted(reply, signal);
    } catch (error) {
      // No one waits for its result.
      this.#worker = null;
      reply.catch(() => undefined);
      await worker.terminate();
      throw error;
    }
  }

  async #send(owner: string, worker: Worker, rows: Uint8Array, origins: ColumnOrigins): Promise<void> {
    const post = (request: RedactingRequest, handedOver: readonly ArrayBuffer[] = []) =>
      worker.postMessage(request, [...handedOver]);
    const pause = new Pause(this.#turns.of(owner));
    for (let from = 0; from < rows.byteLength; from += partBytes) {
      const bytes = new Uint8Array(rows.subarray(from, from + partBytes));
      post({ kind: 'rows', bytes }, [bytes.buffer]);
      if (pause.isDue(bytes.byteLength)) await pause.take();
    }
    post({ kind: 'redact', origins });
  }

  #begin(): Worker {
    const { program, isText } = redactingProgram();
    const worker = new Worker(program, { workerData: this.#config, execArgv: [], eval: isText });
    worker.unref();
    worker.on('error', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }
}

/** The next message of the thread. */
function replyOf(worker: Worker): Promise<RedactingReply> {
  return new Promise((resolve, reject) => {
    const settle = (tell: () => void) => {
      worker.off('message', replied).off('error', failed).off('exit', ended);
      tell();
    };
    const replied = (reply: RedactingReply) => settle(() => resolve(reply));
    const failed = (error: unknown) => settle(() => reject(error));
    const ended = (code: number) => settle(() => reject(new Error(`a redaction thread ended with code ${code}`)));
    worker.on('message', replied).on('error', failed).on('exit', ended);
  });
}

async function settledOrAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let aborted: () => void = () => undefined;
  const givenUp = new Promise<never>((_, reject) => {
    aborted = () => reject(signal.reason);
    if (signal.aborted) aborted();
    else signal.addEventListener('abort', aborted, { once: true });
  });
  try {
    return await Promise.race([work, givenUp]);
  } catch (error) {
    work.catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', aborted);
  }
}
