import type { Readable } from 'node:stream';
import type { ExportFailure, ExportRecord, ExportResult } from './exportRecord.ts';

/** An export in memory. */
export class ExportJob {
  /** Aborted when the export is removed, its time is over or the service ends: nothing of it may go on then. */
  readonly abort = new AbortController();
  /** Bytes that count as held on disk. */
  heldBytes = 0;
  /** Resolves when the files of a failed export are removed; null if the export has not failed. */
  cleaning: Promise<void> | null = null;
  /** Files of formats that are being written, by name. */
  readonly writing = new Map<string, Promise<void>>();
  readonly #readers = new Set<Readable>();
  #record: ExportRecord;
  #settle: () => void = () => {};
  /** Resolves when the export is complete, has failed or was removed. */
  readonly settled: Promise<void>;

  constructor(record: ExportRecord) {
    this.#record = record;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    if (this.hasEnded) this.#settle();
  }

  get record(): ExportRecord {
    return this.#record;
  }

  get hasEnded(): boolean {
    return this.#record.endedMicros !== null;
  }

  enters(state: 'waiting' | 'running'): void {
    this.#change({ state });
  }

  grows(rows: number, bytes: number): void {
    this.#change({ rows, bytes });
  }

  /** The record with the result, which `completes` takes over when it is stored. */
  recordWith(result: ExportResult, nowMicros: number): ExportRecord {
    return { ...this.#record, state: 'complete', result, endedMicros: nowMicros };
  }

  completes(record: ExportRecord): void {
    this.#record = record;
  }

  fails(failure: ExportFailure, nowMicros: number): void {
    this.#change({
      state: 'failed',
      failure,
      result: null,
      files: {},
      endedMicros: this.#record.endedMicros ?? nowMicros,
    });
  }

  hasFile(name: string, bytes: number, guardedCells: number): void {
    const { files, guardedCells: others = {} } = this.#record;
    this.#change({
      files: { ...files, [name]: bytes },
      ...(guardedCells === 0 ? {} : { guardedCells: { ...others, [name]: guardedCells } }),
    });
  }

  /** Call it when the record of its end is stored. */
  settle(): void {
    this.#settle();
  }

  /** Remembers a stream of its data, which `stopReaders` ends. */
  reads(stream: Readable): void {
    this.#readers.add(stream);
    // Whoever sends the stream handles its errors, but it may end before it is sent.
    stream.on('error', () => {});
    stream.once('close', () => this.#readers.delete(stream));
  }

  stopReaders(reason: Error): void {
    for (const stream of this.#readers) stream.destroy(reason);
  }

  #change(changes: Partial<ExportRecord>): void {
    this.#record = { ...this.#record, ...changes };
  }
}
