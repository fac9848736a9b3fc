import type { Semaphore } from '../core/concurrency/semaphore.ts';
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
import { untilItPasses, waitAfter } from './untilItPasses.ts';

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
   * Writes what is left after the first part, each part in a place. The rows are durable when it resolves.
   *
   * @throws the errors of a call, `auth.invalid` if the token was revoked meanwhile, `export.endpoint_changed`, and the
   *   reason of the job's signal
   */
  async complete(first: Promise<ExportRest>): Promise<ExportResult> {
    try {
      let rest = await first;
      while (rest.kind === 'next') rest = await this.#inPlace(rest.cursor);
      await this.#rows?.complete();
      return this.#joined.result(this.#call.requestId, rest.cutBy);
    } finally {
      await this.#rows?.abandon();
    }
  }

  /** Writes a part in a place of its own, because an export may have thousands of them, and others wait. */
  async #inPlace(cursor: string): Promise<ExportRest> {
    const job = this.#job;
    job.enters('waiting');
    const release = await this.#services.places.acquire({ owner: job.record.placeOwner, signal: job.abort.signal });
    try {
      job.enters('running');
      return await this.write(await this.#part(cursor));
    } finally {
      release();
    }
  }

  #limitReached(): TruncatedBy | null {
    const { rowsMax, bytesMax } = this.#services.limits;
    if (this.#joined.rows >= rowsMax) return 'export_rows';
    return this.#joined.bytes >= bytesMax ? 'export_bytes' : null;
  }

  /** Writes the first part after it has failed with an error that may pass; rejects with other errors. */
  async writeAfter(error: unknown): Promise<ExportRest> {
    await waitAfter(error, this.#services.timer, this.#job.abort.signal);
    return await this.write(await this.#part(null));
  }

  async #part(cursor: string | null): Promise<InvokeAnswer> {
    const { isLive, invoke, limits, timer } = this.#services;
    const { signal } = this.#job.abort;
    const part = { cursor, rowsMax: limits.rowsMax - this.#joined.rows, checked: () => {} };
    const read = async () => {
      if (!(await isLive(this.#job.record.tokenId))) {
        throw new ServiceError('auth.invalid', 'The token of the export was revoked or has expired.');
      }
      return await invoke({ ...this.#call, facts: noFacts(), signal, part, hold: ignored });
    };
    try {
      return await untilItPasses(read, timer, signal);
    } catch (error) {
      // The export made the cursor itself, so the endpoint is no longer the one that it was made for.
      const isOther = error instanceof ServiceError && ['page.cursor', 'endpoint.unknown'].includes(error.code);
      throw cursor !== null && isOther ? endpointChanged() : error;
    }
  }
}
