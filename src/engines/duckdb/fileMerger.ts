import { basename } from 'node:path';
import type { SealedFileRecord } from '../ports/fileCatalogue.ts';
import type { EngineSupervisor } from './engineSupervisor.ts';
import type { EventFileStoreOptions } from './eventFileStore.ts';
import { mergedRecord } from './mergedRecord.ts';
import { chooseMerge } from './mergePolicy.ts';
import { portionEventsMax } from './portion.ts';
import type { SealedFile } from './sealedFile.ts';

/** What merging needs of the store of files. */
export interface MergedFiles {
  sealedFiles(): readonly SealedFile[];
  /** A number for a new file, given once only. */
  takeNumber(): number;
  /** Puts a rewritten file in the place of its inputs. */
  takeOver(inputs: readonly SealedFile[], record: SealedFileRecord): Promise<SealedFile>;
}

/** The pause after a failure doubles each time, up to so many times the first one. */
const retryPausesMax = 600;
/** Room on the device that merging leaves to everything else. */
const spareBytes = 256 * 1024 * 1024;

/** Merges small sealed files in the background, one merge at a time, while nothing else wants the engine. */
export class FileMerger {
  readonly #options: EventFileStoreOptions;
  readonly #supervisor: EngineSupervisor;
  readonly #files: MergedFiles;
  #merging: Promise<void> | null = null;
  #runningCall: number | null = null;
  #failures = 0;
  #isClosing = false;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: EventFileStoreOptions, supervisor: EngineSupervisor, files: MergedFiles) {
    this.#options = options;
    this.#supervisor = supervisor;
    this.#files = files;
  }

  /** Looks for files to merge; to be called whenever there are new ones. */
  start(): void {
    if (this.#merging !== null || this.#retry !== null || this.#isClosing) return;
    this.#merging = this.#mergeAll().finally(() => {
      this.#merging = null;
    });
  }

  /** Resolves when no merge runs; one that failed may still be tried again later. */
  async settled(): Promise<void> {
    while (this.#merging !== null) await this.#merging;
  }

  /** Stops a running merge; its files stay as they are. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    const { engine } = this.#supervisor;
    if (this.#runningCall !== null && engine !== null) {
      await engine.call('cancel', { target: this.#runningCall }).catch(() => {
        // The process has ended, and the merge with it.
      });
    }
    await this.settled();
  }

  async #mergeAll(): Promise<void> {
    const { settings, observe } = this.#options;
    while (!this.#isClosing) {
      const inputs = chooseMerge(this.#files.sealedFiles(), settings);
      if (inputs === null) return;
      try {
        await this.#refuseWithoutRoom(inputs);
        await this.#merge(inputs);
        this.#failures = 0;
      } catch (cause) {
        if (this.#isClosing) return;
        const names = inputs.map(({ attached }) => basename(attached.path)).join(', ');
        observe({ kind: 'warning', message: `${names} could not be merged yet`, cause });
        this.#tryAgainLater();
        return;
      }
    }
  }

  #tryAgainLater(): void {
    const pauseMs = this.#options.settings.mergeRetryMs * Math.min(retryPausesMax, 2 ** this.#failures++);
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.start();
    }, pauseMs);
    this.#retry.unref();
  }

  /** For a while both the inputs and what they are merged into lie on the device. */
  async #refuseWithoutRoom(inputs: readonly SealedFile[]): Promise<void> {
    const needed = inputs.reduce((sum, { bytes }) => sum + bytes, spareBytes);
    if (!(await this.#options.space.hasRoom(needed))) {
      throw new Error(`merging needs ${needed} free bytes; the device has ${this.#options.space.freeBytes}`);
    }
  }

  async #merge(inputs: readonly SealedFile[]): Promise<void> {
    const { folder, layouts, clock, settings, observe } = this.#options;
    const startedAt = performance.now();
    const number = this.#files.takeNumber();
    const engine = await this.#supervisor.ready();
    if (this.#isClosing) throw new Error('the service is closing');
    const call = engine.start('rewrite', {
      inputs: inputs.map(({ alias }) => alias),
      outputAlias: `sealing_${number}`,
      temporaryPath: folder.temporaryPath(number),
      tables: layouts,
      // Where it failed before, memory may have been the reason.
      portionEventsMax: Math.max(1, Math.floor(portionEventsMax(settings) / 2 ** this.#failures)),
      isInBackground: true,
    });
    this.#runningCall = call.id;
    try {
      const { gives } = await call.reply;
      const record = mergedRecord(number, inputs, gives, clock.nowMicros());
      const merged = await this.#files.takeOver(inputs, record);
      observe({
        kind: 'file.merged',
        file: basename(merged.attached.path),
        files: inputs.length,
        events: record.events,
        bytes: record.bytes,
        elapsedMs: performance.now() - startedAt,
      });
    } catch (error) {
      await folder.removeTemporary(number);
      throw error;
    } finally {
      this.#runningCall = null;
    }
  }
}
