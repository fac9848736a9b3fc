import type { Semaphore } from '../core/concurrency/semaphore.ts';
import { errorCatalogue } from '../core/errorCatalogue.ts';
import { ServiceError } from '../core/errors.ts';
import type { Timer } from '../core/timer.ts';
import { noFacts } from '../invoke/callFacts.ts';
import type { Invoke, InvokeAnswer, InvokeCall } from '../invoke/invoke.ts';
import type { TruncatedBy } from '../invoke/rowLimit.ts';
import { endpointChanged } from './exportErrors.ts';
import type { RowsFile } from './exportFiles.ts';
import type { ExportJob } from './exportJob.ts';
import type { ExportResult } from './exportRecord.ts';
import { JoinedParts } from './joinedParts.ts';

/** An export writes its rows to the disk, so it holds nothing of the budget of answers. */
export const ignored = (): void => {};

/** The call whose answer is exported. */
export type ExportCall = Omit<InvokeCall, 'part' | 'signal' | 'hold' | 'transport'>;

export interface ExportRunLimits {
  /** Rows of one export. */
  readonly rowsMax: number;
  /** Bytes of the rows of one export, as JSON. The last part may exceed them. */
  readonly bytesMax: number;
}

export interface ExportRunServices {
  readonly limits: ExportRunLimits;
  readonly timer: Timer;
  readonly isLive: (tokenId: string) => Promise<boolean>;
  readonly invoke: Invoke;
  readonly places: Semaphore;
  readonly openRows: () => Promise<RowsFile>;
  /** Counts bytes that go to the disk. */
  readonly hold: (bytes: number) => void;
}

/** How often a part is tried again after an error that may pass, and how long to wait before, if the error does not say. */
const attemptsMax = 5;
const retryAfterMs = 1_000;

/** What the parts that are written leave to do. */
export type ExportRest =
  | { readonly kind: 'next'; readonly cursor: string }
  | { readonly kind: 'end'; readonly cutBy: TruncatedBy | null };

/**
 * Writes the rows of an export: the parts of the answer, one after the other, each a page with all checks of a call. Holds
 * the rows of no part once it is written, because many exports may wait for a place.
 */
export class ExportRun {
  readonly #job: ExportJob;
  readonly #call: ExportCall;
  readonly #services: ExportRunServices;
  readonly #joined = new JoinedParts();
  #rows: RowsFile | null = null;

  constructor(job: ExportJob, call: ExportCall, services: ExportRunServices) {
    this.#job = job;
    this.#call = call;
    this.#services = services;
  }

  async write({ part, links }: InvokeAnswer): Promise<ExportRest> {
    const { hold, openRows } = this.#services;
    if (part === null) throw new Error('a part of an export has no rows');
    this.#job.abort.signal.throwIfAborted();
    this.#rows ??= await openRows();
    hold(part.rows.byteLength);
    await this.#rows.append(part.rows);
    this.#joined.add(part);
    this.#job.grows(this.#joined.rows, this.#joined.bytes);
    const cursor = links?.next ?? null;
    const cutBy = cursor === null ? null : this.#limitReached();
    return cursor === null || cutBy !== null ? { kind: 'end', cutBy } : { kind: 'next', cursor };
  }

  /**
   * Writes what is left after the first part, which needs a place. The rows are durable when it resolves.
   *
   * @throws the errors of a call, `auth.invalid` if the token was revoked meanwhile, `export.endpoint_changed`, and the
   *   reason of the job's signal
   */
  async complete(first: Promise<ExportRest>): Promise<ExportResult> {
    const job = this.#job;
    const { places } = this.#services;
    const { signal } = job.abort;
    let release: (() => void) | null = null;
    try {
      let rest = await first;
      if (rest.kind === 'next') {
        job.enters('waiting');
        release = await places.acquire({ owner: job.record.placeOwner, signal });
        job.enters('running');
      }
      while (rest.kind === 'next') rest = await this.write(await this.#part(rest.cursor));
      await this.#rows?.complete();
      return this.#joined.result(this.#call.requestId, rest.cutBy);
    } finally {
      release?.();
      await this.#rows?.abandon();
    }
  }

  #limitReached(): TruncatedBy | null {
    const { rowsMax, bytesMax } = this.#services.limits;
    if (this.#joined.rows >= rowsMax) return 'export_rows';
    return this.#joined.bytes >= bytesMax ? 'export_bytes' : null;
  }

  /** Writes the first part after it has failed with an error that may pass; rejects with other errors. */
  async writeAfter(error: unknown): Promise<ExportRest> {
    await this.#waitAfter(error);
    return await this.write(await this.#part(null));
  }

  async #part(cursor: string | null): Promise<InvokeAnswer> {
    const { isLive, invoke, limits } = this.#services;
    const { signal } = this.#job.abort;
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      if (!(await isLive(this.#job.record.tokenId))) {
        throw new ServiceError('auth.invalid', 'The token of the export was revoked or has expired.');
      }
      try {
        const part = { cursor, rowsMax: limits.rowsMax - this.#joined.rows, checked: () => {} };
        return await invoke({ ...this.#call, facts: noFacts(), signal, part, hold: ignored });
      } catch (error) {
        // The export made the cursor itself, so the endpoint is no longer the one that it was made for.
        if (
          cursor !== null &&
          error instanceof ServiceError &&
          ['page.cursor', 'endpoint.unknown'].includes(error.code)
        )
          throw endpointChanged();
        if (attempt >= attemptsMax) throw error;
        await this.#waitAfter(error);
      }
    }
  }

  async #waitAfter(error: unknown): Promise<void> {
    const { signal } = this.#job.abort;
    signal.throwIfAborted();
    if (!mayPass(error)) throw error;
    const seconds = error.retryAfterSeconds;
    await wait(seconds === undefined ? retryAfterMs : seconds * 1000, this.#services.timer, signal);
  }
}

function mayPass(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 503 && errorCatalogue[error.code].retryable;
}

function wait(ms: number, timer: Timer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timer.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
