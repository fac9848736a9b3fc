import { basename } from 'node:path';
import { isDoneWithin } from '../../../core/concurrency/isDoneWithin.ts';
import { ServiceError } from '../../../core/errors.ts';
import { RareReports } from '../../../core/rareReports.ts';
import type { StorageSnapshot } from '../../../ports/storageEngine.ts';
import type { Cutoffs } from '../../../retention/cutoffs.ts';
import type { DeletionToken, EventDeletion } from '../../../retention/eventDeletion.ts';
import { batchEventsMax } from '../compact/batchSize.ts';
import { FileMerger } from '../compact/compaction.ts';
import { isDamage } from '../damage/fileDamage.ts';
import { MissingFiles } from '../damage/missingFiles.ts';
import { Quarantine } from '../damage/quarantine.ts';
import { damagedRecord } from '../damage/quarantinedRecord.ts';
import type { EngineConnection } from '../host/engineConnection.ts';
import { EngineDied, EngineFailure } from '../host/engineFailure.ts';
import type { EngineSupervisor } from '../host/engineSupervisor.ts';
import { ActiveFile } from '../log/activeFile.ts';
import type { ActiveFiles } from '../log/groupCommit.ts';
import type { ActiveContents } from '../process/protocol.ts';
import { DeletionProgress } from '../removal/deletionProgress.ts';
import { countDropped, KeptAgain, planRemoval, removalDue, removalOf, removalOfWhole } from '../removal/removalPlan.ts';
import type { EventFileStoreOptions } from './eventFileStoreOptions.ts';
import { noSpaceForChange } from './fileChanges.ts';
import { FileRegistry } from './fileRegistry.ts';
import { snapshotFiles } from './filesSnapshot.ts';
import { isLackOfRoom } from './freeSpace.ts';
import { ManifestChanges, type RemovalNow } from './manifestChanges.ts';
import type { SealedFile } from './sealedFile.ts';
import { sealedRecord } from './sealedRecord.ts';
import type { TableLayout } from './tableLayout.ts';

const retryPauseMs = 1_000;

/** How long a stop waits for missing files to be sealed. */
const missingWaitMs = 10_000;

/** Owns the segments: creates active ones, seals full ones, removes replaced ones. */
export class EventFileStore implements ActiveFiles {
  readonly registry: FileRegistry<ActiveFile | SealedFile>;
  readonly damaged: Quarantine<ActiveFile | SealedFile>;
  readonly deletions: DeletionProgress;
  readonly #options: EventFileStoreOptions;
  readonly #merger: FileMerger;
  readonly #changes: ManifestChanges;
  readonly #supervisor: EngineSupervisor;
  readonly #missing: MissingFiles;
  #current: ActiveFile | null = null;
  /** Active segments that the engine process lacks: they were missing, or lacked events, when it started. */
  readonly #lost = new Set<ActiveFile>();
  /** Active segments that wait to be sealed, oldest first. */
  #frozen: readonly ActiveFile[] = [];
  #lacksRoom = false;
  /** Of attempts without enough space. */
  readonly #reports: RareReports;
  #nextNumber: number;
  #sealing: Promise<void> | null = null;
  #rewriteId: number | null = null;
  #isClosing = false;

  constructor(options: EventFileStoreOptions, supervisor: EngineSupervisor, nextNumber: number) {
    this.#options = options;
    this.#supervisor = supervisor;
    this.#nextNumber = nextNumber;
    this.#reports = new RareReports(options.clock);
    this.#missing = new MissingFiles(options.folder);
    this.damaged = new Quarantine({
      supervisor,
      putInQuarantine: async (file, reason, cause) => await this.#putInQuarantine(file, reason, cause),
      fileOf: (alias) => this.registry.files.find((file) => file.alias === alias) ?? null,
      warn: (message, cause) => options.observe({ kind: 'warning', message, cause }),
    });
    this.registry = new FileRegistry(options.removals, this.damaged);
    this.#changes = new ManifestChanges(options, supervisor, this.registry, () => void this.deletions.settle());
    this.deletions = new DeletionProgress({
      ...options,
      served: () => [...this.registry.files, ...this.#changes.leaving],
      damaged: () => this.damaged.files,
    });
    this.#merger = new FileMerger(options, supervisor, {
      sealedFiles: () => this.registry.files.filter((file) => file.kind === 'sealed'),
      activeBytes: () => this.registry.files.reduce((sum, file) => sum + (file.kind === 'active' ? file.bytes : 0), 0),
      takeNumber: () => this.#nextNumber++,
      takeOver: async (inputs, record, removalNow) => await this.#changes.replace(inputs, record, removalNow),
      drop: async (files, removalNow) => await this.#changes.drop(files, removalNow),
      examine: async (files) => await this.damaged.examine(files),
    });
  }

  get isBehind(): boolean {
    return this.#frozen.length >= this.#options.settings.frozenFilesMax;
  }

  get lacksRoom(): boolean {
    return this.#lacksRoom && this.#frozen.length > 0;
  }

  /** Takes over segments that are attached already; the last active one continues to receive events. */
  adopt(sealed: readonly SealedFile[], active: readonly ActiveFile[]): void {
    for (const file of [...sealed, ...active]) this.registry.add(file);
    const newest = active.at(-1);
    // A deletion hides events in segments with numbers below its token, so these must receive no more events.
    const isBefore = newest !== undefined && newest.number < this.#options.removals.lastToken;
    this.#current = newest === undefined || newest.isOutdated || isBefore ? null : newest;
    this.#frozen = active.filter((file) => file !== this.#current);
    this.#startSealing();
    this.#merger.start();
    void this.deletions.settle();
  }

  /** Attaches all segments in a new process. */
  async prepare(engine: EngineConnection): Promise<void> {
    for (const file of this.registry.attached) {
      const known = this.registry.files.find((other) => other.attached === file);
      try {
        if (known?.kind === 'active') await this.#missing.learn(known);
        await engine.call('attach', file);
        if (known?.kind === 'active') {
          this.#lost.delete(known);
          await this.#refuseLess(engine, known);
        }
      } catch (error) {
        if (!this.registry.attached.includes(file)) continue;
        if (!isDamage(error) && !(error instanceof LessEvents)) throw error;
        if (known === undefined) continue;
        // This tells a commit that holds the lock which the removal needs that the segment is gone.
        if (known.kind === 'active') this.#lost.add(known);
        // Not awaited, because taking the segment out may wait for this process.
        void this.damaged.found(known, error);
      }
    }
  }

  /** DuckDB silently opens a file without its log, or an older copy of a file. */
  async #refuseLess(engine: EngineConnection, file: ActiveFile): Promise<void> {
    const gives = await this.#contentsOf(engine, file);
    if (gives === null) return;
    const held = gives.sources.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0);
    if (gives.isComplete && held >= file.events) return;
    await engine.call('detach', { alias: file.alias });
    throw new LessEvents(`it holds ${held} of the ${file.events} events that were stored in it`);
  }

  /** Null if unknown, for example if memory is short, which is no reason to go without an engine. */
  async #contentsOf(engine: EngineConnection, file: ActiveFile): Promise<ActiveContents | null> {
    try {
      return (await engine.call('readActive', { alias: file.alias, tables: [] })).gives;
    } catch (error) {
      if (error instanceof EngineFailure && !isDamage(error)) return null;
      throw error;
    }
  }

  isCurrent(file: ActiveFile): boolean {
    return this.#current === file && !this.#lost.has(file);
  }

  async current(): Promise<ActiveFile> {
    const file = this.#current;
    if (file === null || this.#lost.has(file)) return await this.#create();
    if (await this.#missing.has(file)) return await this.#replaceMissing(file);
    if (!this.#isDue(file) || this.isBehind) return file;
    try {
      return await this.rotate();
    } catch (cause) {
      if (cause instanceof EngineDied) throw cause;
      this.#options.observe({ kind: 'warning', message: `no new file could be created after ${file.alias}`, cause });
      return file;
    }
  }

  /**
   * Replaces an active segment whose file was removed or replaced in the folder. While the engine process has the file
   * open, it can be read: its events are sealed into a file that exists.
   */
  async #replaceMissing(missing: ActiveFile): Promise<ActiveFile> {
    const file = await this.rotate();
    this.#options.observe({ kind: 'file.missing', file: basename(missing.attached.path), events: missing.events });
    return file;
  }

  /** Checks that the active segment's file still exists, even if no events arrive. Must not overlap with a commit. */
  async replaceIfMissing(): Promise<void> {
    const file = this.#current;
    if (file === null || this.#lost.has(file)) return;
    if (await this.#missing.has(file)) await this.#replaceMissing(file);
  }

  /**
   * Starts a new active segment; the old one is frozen and sealed in the background. Must not overlap with a commit.
   */
  async rotate(): Promise<ActiveFile> {
    return await this.#rotateAnd((file) => Promise.resolve(file));
  }

  /** Like `rotate`, with work on the new segment that must end before the old one is sealed. */
  async #rotateAnd<T>(work: (file: ActiveFile) => Promise<T>): Promise<T> {
    const old = this.#current;
    const file = await this.#create();
    try {
      return await work(file);
    } finally {
      // It may have been put in quarantine meanwhile.
      if (old !== null && this.registry.files.includes(old)) {
        this.#frozen = [...this.#frozen, old];
        this.#options.observe({ kind: 'file.rotated', file: basename(old.attached.path), events: old.events });
        this.#startSealing();
      }
    }
  }

  /**
   * Starts a new active segment with the table of a new source; older segments do not get the table. Must not overlap
   * with a commit. Throws `ingest.overloaded` or `service.disk_full` if one more segment to be sealed would block events.
   */
  async addTable(layout: TableLayout): Promise<void> {
    this.#requireFewFrozen('A new source');
    for (const file of this.registry.files) if (file.kind === 'active') file.lackTable(layout.table);
    await this.rotate();
  }

  /** Resolves when no segment waits to be sealed. */
  async sealed(): Promise<void> {
    while (this.#sealing !== null) await this.#sealing;
  }

  /** Resolves when no sealed segments wait to be merged, or merging them has failed once more. */
  async merged(): Promise<void> {
    await this.#merger.startNow();
  }

  /**
   * Deletes past events (retention/eventDeletion.ts). `register` makes the deletion of that token durable; no statement
   * that begins afterwards sees the events. Must not overlap with a commit. Throws `ingest.overloaded` or
   * `service.disk_full` if one more segment to be sealed would block events, and the errors of `register`; nothing is
   * deleted then.
   */
  async deleteEvents(register: (token: DeletionToken) => Promise<EventDeletion>): Promise<EventDeletion> {
    this.#requireFewFrozen('A deletion');
    // Sealed before, the old segment would lose events without counting those that the deletion takes.
    const deletion = await this.#rotateAnd(async (file) => {
      const registered = await register(file.number);
      this.deletions.add(registered);
      return registered;
    });
    this.#merger.start();
    void this.deletions.settle();
    return deletion;
  }

  /** Takes out events past their retention, in the background. True if the active segment must be rotated for that. */
  enforceRetention(): boolean {
    const { removals, clock, settings } = this.#options;
    if (settings.budgetBytes > 0) this.#merger.start();
    void this.deletions.settle();
    if (removals.isEmpty) return false;
    this.#merger.start();
    return this.#current !== null && removalDue(this.#current, removals, clock.nowMicros()) !== null;
  }

  /** Rotates the active segment if its events are to be taken out. Must not overlap with a commit. */
  async rotateForRemoval(): Promise<void> {
    const { removals, clock } = this.#options;
    if (this.#current === null || this.isBehind || this.#isClosing) return;
    if (removalDue(this.#current, removals, clock.nowMicros()) !== null) await this.rotate();
  }

  /**
   * Drops sealed segments with all their events in one durable change (manifestChanges.ts), except those already
   * replaced or dropped. A merge of a dropped segment fails and is repeated without it.
   */
  async dropSealed(files: readonly SealedFile[]): Promise<readonly SealedFile[]> {
    return await this.#changes.drop(files);
  }

  /**
   * Takes a snapshot of the segments between two commits of events. `beside` runs while they match the manifest
   * (filesSnapshot.ts).
   */
  async snapshot(beside: () => Promise<void>): Promise<StorageSnapshot> {
    return await this.#changes.between(async () => {
      const snapshot = await snapshotFiles(this.registry, this.#options.commits);
      try {
        await beside();
        return snapshot;
      } catch (error) {
        snapshot.release();
        throw error;
      }
    });
  }

  /** Runs `work` while no segment changes (manifestChanges.ts). */
  async betweenRemovals<T>(work: () => Promise<T>, patience: AbortSignal): Promise<T> {
    return await this.#changes.between(work, patience);
  }

  /** Stops sealing and merging; unfinished work is repeated after the next start. Returns the files to checkpoint. */
  async close(): Promise<readonly string[]> {
    await this.#sealMissing();
    this.#isClosing = true;
    this.#changes.close();
    const engine = this.#supervisor.engine;
    if (this.#rewriteId !== null && engine !== null) {
      await engine.call('cancel', { target: this.#rewriteId }).catch(() => {
        // The process has ended, and the rewriting with it.
      });
    }
    await this.#merger.close();
    await this.sealed();
    return this.registry.files.filter((file) => file.kind === 'active').map((file) => file.alias);
  }

  /** Seals missing files first, because their contents exist only as long as the engine process. */
  async #sealMissing(): Promise<void> {
    const { observe } = this.#options;
    try {
      await this.replaceIfMissing();
    } catch (cause) {
      observe({ kind: 'warning', message: 'the events of a missing file could not be stored again', cause });
    }
    const missing: ActiveFile[] = [];
    for (const file of this.registry.files) {
      if (file.kind === 'active' && file.events > 0 && (await this.#missing.has(file))) missing.push(file);
    }
    if (missing.length === 0) return;
    await isDoneWithin(missingWaitMs, this.sealed());
    for (const { attached } of missing.filter((file) => this.registry.files.includes(file))) {
      observe({ kind: 'file.damaged', file: basename(attached.path), reason: 'it is missing, and the service stops' });
    }
  }

  #isDue(file: ActiveFile): boolean {
    const { settings, clock } = this.#options;
    if (file.events === 0) return false;
    if (file.events >= settings.rotateEvents || file.bytes >= settings.rotateBytes) return true;
    return clock.nowMicros() - file.createdMicros >= settings.rotateAgeMs * 1000;
  }

  async #create(): Promise<ActiveFile> {
    const { folder, identities, clock, layouts } = this.#options;
    const before = this.#current;
    for (let carriesOver = before !== null && !this.#lost.has(before); ; ) {
      // Numbers are never reused, so the leftovers of a failed attempt cannot be mistaken for this file.
      const number = this.#nextNumber++;
      const createdMicros = clock.nowMicros();
      const file = new ActiveFile(number, folder.activePath(number), createdMicros);
      const engine = await this.#supervisor.ready();
      await folder.requireSame();
      try {
        await engine.call('createActive', {
          ...file.attached,
          tables: layouts,
          createdMicros,
          identities:
            carriesOver && before !== null
              ? identities.inFile(before.alias, createdMicros)
              : identities.rows(createdMicros),
        });
      } catch (error) {
        if (!(error instanceof EngineDied)) {
          await folder.remove(file.attached.path);
          if (!carriesOver) throw error;
          // The segment before may not be readable; what it holds is in memory too.
          carriesOver = false;
          continue;
        }
        await engine.ended;
        await folder.remove(file.attached.path);
        continue;
      }
      // Remembers the inodes from the beginning.
      await this.#missing.learn(file);
      this.registry.add(file);
      this.#current = file;
      return file;
    }
  }

  #startSealing(): void {
    if (this.#frozen.length > 0 && !this.#isClosing) this.#sealing ??= this.#sealAll();
  }

  async #sealAll(): Promise<void> {
    try {
      await this.#sealUntilNone();
    } finally {
      // Synchronously after the last check, or a segment that is frozen in between would wait for the next call.
      this.#sealing = null;
    }
  }

  async #sealUntilNone(): Promise<void> {
    const { removals } = this.#options;
    let cutoffs: Cutoffs = removals;
    for (let file = this.#frozen[0]; file !== undefined && !this.#isClosing; file = this.#frozen[0]) {
      try {
        await this.#seal(file, cutoffs);
        this.#lacksRoom = false;
        cutoffs = removals;
        const done = file;
        this.#frozen = this.#frozen.filter((other) => other !== done);
        this.#merger.start();
      } catch (cause) {
        if (this.#isClosing) return;
        if (cause instanceof KeptAgain && cutoffs === removals) {
          // Rules that change again and again must not delay sealing. Merging removes expired events later.
          cutoffs = removals.onRequest;
          continue;
        }
        this.#lacksRoom = isLackOfRoom(cause);
        if (!this.#lacksRoom || this.#reports.isDue('seal')) {
          this.#options.observe({ kind: 'warning', message: `${file.alias} could not be sealed yet`, cause });
        }
        if (isDamage(cause) && (await this.damaged.examine([file]))) continue;
        await new Promise((resolve) => setTimeout(resolve, cause instanceof EngineDied ? 0 : retryPauseMs));
      }
    }
  }

  /** `cutoffs`: which events are left out. */
  async #seal(file: ActiveFile, cutoffs: Cutoffs): Promise<void> {
    const { folder, layouts, clock, observe, settings, removals } = this.#options;
    if (file.events === 0) {
      this.#changes.discardEmpty(file);
      return;
    }
    const startedAt = performance.now();
    const engine = await this.#supervisor.ready();
    const plan = planRemoval([file], removals, clock.nowMicros(), cutoffs);
    if (removalDue(file, cutoffs, clock.nowMicros()) === 'drop') {
      const removed = await countDropped([file], plan, async (leftOut) => {
        return (await engine.call('countRemoved', { leftOut })).gives.removed;
      });
      const removal: RemovalNow<ActiveFile> = (files) =>
        removalOfWhole(files, removed, removals, plan, clock.nowMicros());
      await this.#options.reserve.spend(async () => await this.#changes.drop([file], removal));
      return;
    }
    // A sealed segment is smaller than its input, and sealing frees space.
    await this.#options.space.requireRoom(file.bytes, 'sealing');
    await folder.requireSame();
    const call = engine.start('rewrite', {
      inputs: [file.alias],
      outputAlias: `sealing_${file.number}`,
      temporaryPath: folder.temporaryPath(file.number),
      tables: layouts,
      leftOut: plan.leftOut,
      portionEventsMax: batchEventsMax(settings),
      isInBackground: false,
    });
    this.#rewriteId = call.id;
    const { gives } = await call.reply.finally(() => {
      this.#rewriteId = null;
    });
    const record = sealedRecord(file, gives, clock.nowMicros(), plan);
    const sealed = await this.#changes.replace([file], record, (inputs) =>
      removalOf(inputs, gives.removed, removals, plan, clock.nowMicros()),
    );
    observe({
      kind: 'file.sealed',
      file: basename(sealed.attached.path),
      events: record.events,
      bytes: record.bytes,
      elapsedMs: performance.now() - startedAt,
    });
  }

  #requireFewFrozen(change: string): void {
    if (this.#frozen.length + 1 < this.#options.settings.frozenFilesMax) return;
    if (this.lacksRoom) throw noSpaceForChange();
    throw new ServiceError(
      'ingest.overloaded',
      `${change} needs a new file, and files before it still wait to be sealed. Ask again in a second.`,
      { retryAfterSeconds: 1 },
    );
  }

  /** Rotates first if the segment is active, so that no commit goes to a file that is gone. */
  async #putInQuarantine(file: ActiveFile | SealedFile, reason: string, cause: unknown): Promise<boolean> {
    const { commits, clock, observe } = this.#options;
    await commits.run(async () => {
      if (this.#current === file) await (this.#lost.has(file) ? this.#create() : this.rotate());
    });
    const foundMicros = clock.nowMicros();
    const name = basename(file.attached.path);
    const record = file.kind === 'active' ? damagedRecord(file, foundMicros) : null;
    const isDone = await this.#changes.quarantine(file, { file: name, reason, foundMicros }, record);
    this.#frozen = this.#frozen.filter((other) => other !== file);
    if (isDone && file.kind === 'active') this.#lost.delete(file);
    if (isDone) observe({ kind: 'file.damaged', file: name, reason, cause });
    return isDone;
  }
}

/** An active segment holds fewer events than were stored in it. */
class LessEvents extends Error {
  override readonly name = 'LessEvents';
}
