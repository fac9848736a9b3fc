import { ApiError, serviceBase } from './callApi.ts';
import type { Json } from './losslessJson.ts';
import type { RowsOfCall, RowsRequest, RowsResponse } from './rowsProtocol.ts';

export interface RowsCall {
  readonly path: string;
  readonly body: Json;
  /** Longest text of a value; longer ones are cut. Absent: whole values. */
  readonly charsMax?: number;
  readonly isFresh?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Calls that return rows. A worker parses the answers, so that a large one does not stop the page. */
export class RowsCalls {
  /** Starts with the page, because every search needs it. Null after it has failed. */
  #worker: Worker | null = this.#startWorker();
  readonly #waiting = new Map<number, (response: RowsResponse) => void>();
  #last = 0;

  /** Throws an ApiError, or the reason of the signal. An aborted call is stopped on the service too. */
  call({ path, body, charsMax, isFresh = false, signal }: RowsCall): Promise<RowsOfCall> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.delete(id);
        this.#send({ id, kind: 'abort' });
        reject(signal?.reason);
      };
      if (signal?.aborted === true) return reject(signal.reason);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.set(id, (response) => {
        this.#waiting.delete(id);
        signal?.removeEventListener('abort', abort);
        if (response.kind === 'rows') resolve({ ...response.answer, path, body });
        else reject(new ApiError(response.status, response.message, response.problem, response.retryAfter));
      });
      this.#send({ id, kind: 'call', base: serviceBase(), path, body, charsMax: charsMax ?? null, isFresh });
    });
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./rowsWorker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<RowsResponse>) => this.#waiting.get(data.id)?.(data);
    // Its file could not be loaded. The next call tries again.
    worker.onerror = () => {
      worker.terminate();
      this.#worker = null;
      const message = 'The service does not answer with the files of the console. Is it running?';
      const failed = { kind: 'failed', status: 0, message, problem: {}, retryAfter: null } as const;
      for (const [id, answer] of this.#waiting) answer({ ...failed, id });
    };
    return worker;
  }

  #send(request: RowsRequest): void {
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage(request);
  }
}
