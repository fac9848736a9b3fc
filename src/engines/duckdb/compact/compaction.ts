import { basename } from 'node:path';
import { RareReports } from '../../../core/rareReports.ts';
import type { SealedFileRecord } from '../../../ports/fileManifest.ts';
import { isDamage } from '../damage/fileDamage.ts';
import type { EventFileStoreOptions } from '../files/eventFileStoreOptions.ts';
import { isLackOfRoom } from '../files/freeSpace.ts';
import type { RemovalNow } from '../files/manifestChanges.ts';
import type { SealedFile } from '../files/sealedFile.ts';
import type { EngineSupervisor } from '../host/engineSupervisor.ts';
import {
  countDropped,
  KeptAgain,
  planRemoval,
  type RemovalPlan,
  removalDue,
  removalOf,
  removalOfAny,
  removalOfWhole,
} from '../removal/removalPlan.ts';
import { batchEventsMax } from './batchSize.ts';
import { compactedRecord } from './compactedRecord.ts';
import { type CompactionBounds, chooseCompaction } from './compactionPolicy.ts';
import { beyondBudget, marksOfDropped } from './diskBudget.ts';

/** What compaction needs of the store of segments. */
export interface MergedFiles {
  sealedFiles(): readonly SealedFile[];
  /** Bytes of the segments that are not sealed yet. */
  activeBytes(): number;
  /** A number for a new segment, given only once. */
  takeNumber(): number;
  /** Replaces the inputs by a rewritten segment. */
  takeOver(
    inputs: readonly SealedFile[],
    record: SealedFileRecord,
    removalNow: RemovalNow<SealedFile>,
  ): Promise<SealedFile>;
  /** Drops segments with all their events. */
  drop(files: readonly SealedFile[], removalNow: RemovalNow<SealedFile>): Promise<unknown>;
  /** Quarantines the damaged segments among these. True if there were any. */
  examine(files: readonly SealedFile[]): Promise<boolean>;
}

/** `removed`: all events of the segments are removed. `budget`: they exceed the disk budget. */
interface Work {
  readonly inputs: readonly SealedFile[];
  readonly kind: 'removed' | 'budget' | 'rewrite';
}

/** The pause after a failure doubles each time, up to this many times the first pause. */
const retryPausesMax = 600;
/** The same for a lack of space, which is looked for without any work. */
const roomPausesMax = 10;
/** Free space on the device that compaction leaves to everything else. */
const spareBytes = 256 * 1024 * 1024;

/**
 * Rewrites sealed segments in the background, one piece of work at a time, while nothing else wants the engine. It
 * takes out removed events, and merges small segments.
 */
export class FileMerger {
  readonly #options: EventFileStoreOptions;
  readonly #supervisor: EngineSupervisor;
  readonly #files: MergedFiles;
  /** Of attempts without enough space. */
  readonly #reports: RareReports;
  #merging: Promise<void> | null = null;
  /** Whether there may be new work. */
  #isAsked = false;
  #runningCall: number | null = null;
  #failures = 0;
  /** Whether the last attempt failed with `KeptAgain`. */
  #wasKept = false;
  #isClosing = false;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: EventFileStoreOptions, supervisor: EngineSupervisor, files: MergedFiles) {
    this.#options = options;
    this.#supervisor = supervisor;
    this.#files = files;
    this.#reports = new RareReports(options.clock);
  }

  /**
   * Looks for segments to merge or to drop; call it whenever there may be some. While a failed attempt waits to be repeated,
   * only drops segments: that needs no space, and frees some.
   */
  start(): void {
    if (this.#isClosing) return;
    this.#isAsked = true;
    this.#merging ??= this.#mergeAll();
  }

  /** Tries a failed merge again now instead of later. Resolves when no merge runs. */
  async startNow(): Promise<void> {
    if (this.#retry !== null) {
      clearTimeout(this.#retry);
      this.#retry = null;
      this.start();
    }
    await this.settled();
  }

  /** Resolves when no merge runs; a failed merge may still be retried later. */
  async settled(): Promise<void> {
    while (this.#merging !== null) await this.#merging;
  }

  /** Stops a running merge; its segments stay unchanged. */
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
    try {
      while (this.#isAsked && !this.#isClosing) {
        this.#isAsked = false;
        await this.#mergeUntilNone();
      }
    } finally {
      // Synchronously after the last check, or a request made in between would wait for the next call.
      this.#merging = null;
    }
  }

  async #mergeUntilNone(): Promise<void> {
    const { settings, observe } = this.#options;
    while (!this.#isClosing) {
      const { inputs, kind } = await this.#nextWork(settings);
      if (inputs.length === 0 || (kind === 'rewrite' && this.#retry !== null)) return;
      try {
        if (kind !== 'rewrite') await this.#drop(inputs, kind);
        else {
          await this.#options.space.requireRoom(neededBytes(inputs), 'merging');
          await this.#merge(inputs);
        }
        this.#failures = 0;
        this.#wasKept = false;
      } catch (cause) {
        if (this.#isClosing) return;
        this.#wasKept = cause instanceof KeptAgain;
        const names = inputs.map(({ attached }) => basename(attached.path)).join(', ');
        if (isDamage(cause) && (await this.#files.examine(inputs))) continue;
        const lacksRoom = isLackOfRoom(cause);
        if (!lacksRoom || this.#reports.isDue('merge')) {
          const done = kind === 'rewrite' ? 'merged' : 'dropped';
          observe({ kind: 'warning', message: `${names} could not be ${done} yet`, cause });
        }
        this.#tryAgainLater(lacksRoom ? roomPausesMax : retryPausesMax);
        return;
      }
    }
  }

  /**
   * Dropping comes first, because it only frees space. Deletions and retention follow, unless there is no space for
   * them; then the budget, then merging.
   */
  async #nextWork(bounds: CompactionBounds): Promise<Work> {
    const { removals, clock, settings } = this.#options;
    const files = this.#files.sealedFiles();
    const excess = beyondBudget(files, this.#files.activeBytes(), settings.budgetBytes);
    if (!removals.isEmpty) {
      const nowMicros = clock.nowMicros();
      const due = files.map((file) => ({ file, what: removalDue(file, removals, nowMicros) }));
      const dropped = due.filter(({ what }) => what === 'drop').map(({ file }) => file);
      if (dropped.length > 0) return { inputs: dropped, kind: 'removed' };
      const rewritten = due.find(({ what }) => what === 'rewrite');
      if (
        rewritten !== undefined &&
        (excess.length === 0 || (await this.#options.space.hasRoom(neededBytes([rewritten.file]))))
      ) {
        return { inputs: [rewritten.file], kind: 'rewrite' };
      }
    }
    if (excess.length > 0) return { inputs: excess, kind: 'budget' };
    return { inputs: chooseCompaction(files, bounds) ?? [], kind: 'rewrite' };
  }

  async #drop(files: readonly SealedFile[], reason: 'removed' | 'budget'): Promise<void> {
    const { removals, observe, clock, reserve } = this.#options;
    const plan = planRemoval(files, removals, clock.nowMicros());
    const removed = await countDropped(files, plan, async (leftOut) => {
      return (await (await this.#supervisor.ready()).call('countRemoved', { leftOut })).gives.removed;
    });
    const removal: RemovalNow<SealedFile> = (present) => {
      if (reason === 'removed') return removalOfWhole(present, removed, removals, plan, clock.nowMicros());
      const { deleted, marks } = removalOfAny(present, removed, removals, plan, clock.nowMicros());
      return { deleted, marks: [...marks, ...marksOfDropped(present, removals)] };
    };
    await reserve.spend(async () => await this.#files.drop(files, removal));
    for (const { attached, events, bytes } of files) {
      observe({ kind: 'file.dropped', file: basename(attached.path), events, bytes, reason });
    }
  }

  #tryAgainLater(pausesMax: number): void {
    const pauseMs = this.#options.settings.mergeRetryMs * Math.min(pausesMax, 2 ** this.#failures++);
    if (this.#retry !== null) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.start();
    }, pauseMs);
    this.#retry.unref();
  }

  /**
   * Decides what to leave out. If rules changed during the last attempt, only deleted events, so that rules that change
   * again and again do not delay deletions.
   */
  #planFor(inputs: readonly SealedFile[]): RemovalPlan {
    const { removals, clock } = this.#options;
    const nowMicros = clock.nowMicros();
    const onRequest = planRemoval(inputs, removals, nowMicros, removals.onRequest);
    const isUseful = inputs.length > 1 || onRequest.leftOut.length > 0;
    return this.#wasKept && isUseful ? onRequest : planRemoval(inputs, removals, nowMicros);
  }

  async #merge(inputs: readonly SealedFile[]): Promise<void> {
    const { folder, manifest, layouts, clock, settings, observe, removals } = this.#options;
    const startedAt = performance.now();
    const number = this.#files.takeNumber();
    const engine = await this.#supervisor.ready();
    if (this.#isClosing) throw new Error('the service is closing');
    const plan = this.#planFor(inputs);
    await folder.requireSame();
    const call = engine.start('rewrite', {
      inputs: inputs.map(({ alias }) => alias),
      outputAlias: `sealing_${number}`,
      temporaryPath: folder.temporaryPath(number),
      tables: layouts,
      leftOut: plan.leftOut,
      // If an earlier attempt failed, memory may have been the reason.
      portionEventsMax: Math.max(1, Math.floor(batchEventsMax(settings) / 2 ** this.#failures)),
      isInBackground: true,
    });
    this.#runningCall = call.id;
    try {
      const { gives } = await call.reply;
      const record = compactedRecord(number, inputs, gives, clock.nowMicros(), plan);
      const removal = () => removalOf(inputs, gives.removed, removals, plan, clock.nowMicros());
      if (record.events === 0) {
        // Its last events passed their retention while it was rewritten.
        await this.#files.drop(inputs, removal);
        await folder.removeTemporary(number);
        return;
      }
      const merged = await this.#files.takeOver(inputs, record, removal);
      observe({
        kind: 'file.merged',
        file: basename(merged.attached.path),
        files: inputs.length,
        events: record.events,
        removed: gives.removed.reduce((sum, each) => sum + each.events, 0),
        bytes: record.bytes,
        elapsedMs: performance.now() - startedAt,
      });
    } catch (error) {
      // If it is committed but not named yet, it holds all events of its inputs, and the next start names it.
      const isCommitted = (await manifest.load()).some((record) => record.number === number);
      if (!isCommitted) await folder.removeTemporary(number);
      throw error;
    } finally {
      this.#runningCall = null;
    }
  }
}

/** For a while, both the inputs and the merged segment are on the device. */
function neededBytes(inputs: readonly SealedFile[]): number {
  return inputs.reduce((sum, { bytes }) => sum + bytes, spareBytes);
}
