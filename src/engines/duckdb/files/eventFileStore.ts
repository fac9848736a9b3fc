import { basename } from 'node:path';
import type { Clock } from '../../../core/clock.ts';
import type { Mutex } from '../../../core/concurrency/mutex.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { Observe } from '../../../core/observation.ts';
import type { FileManifest } from '../../../ports/fileManifest.ts';
import type { StorageSnapshot } from '../../../ports/storageEngine.ts';
import type { DeletionToken, EventDeletion } from '../../../retention/eventDeletion.ts';
import type { Removals } from '../../../retention/removals.ts';
import type { Source } from '../../../sources/source.ts';
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
import type { ActiveFiles } from '../log/duckdbEventLog.ts';
import type { IdentityMemory } from '../log/idempotency.ts';
import type { ActiveContents } from '../process/protocol.ts';
import { DeletionProgress } from '../removal/deletionProgress.ts';
import { countDropped, planRemoval, removalDue, removalOf, removalOfWhole } from '../removal/removalPlan.ts';
import type { DuckDbSettings } from '../settings.ts';
import type { EventFilePaths } from './eventFilePaths.ts';
import { FileRegistry } from './fileRegistry.ts';
import { snapshotFiles } from './filesSnapshot.ts';
import type { FreeSpace } from './freeSpace.ts';
import { ManifestChanges } from './manifestChanges.ts';
import type { SealedFile } from './sealedFile.ts';
import { sealedRecord } from './sealedRecord.ts';
import type { TableLayout } from './tableLayout.ts';

export interface EventFileStoreOptions {
  readonly folder: EventFilePaths;
  readonly catalogue: FileManifest;
  readonly identities: IdentityMemory;
  readonly sources: readonly Source[];
  readonly layouts: readonly TableLayout[];
  readonly clock: Clock;
  readonly observe: Observe;
  readonly settings: DuckDbSettings;
  readonly space: FreeSpace;
  readonly removals: Removals;
  /** Those that were not carried out when the files were opened. */
  readonly openDeletions: readonly EventDeletion[];
  /** What runs one after another with the commits of events. */
  readonly commits: Mutex;
  /** Notes that no event of the deletion is in any file any more. */
  readonly deletionDone: (deletion: EventDeletion) => Promise<void>;
  /** Notes that some are again. */
  readonly deletionReopened: (deletion: EventDeletion) => Promise<void>;
}

const retryPauseMs = 1_000;

/** How long a stop waits for files to be sealed that are not in the folder any more. */
const missingWaitMs = 10_000;

/** Which event files there are: creates active ones, has full ones sealed, removes what was replaced. */
export class EventFileStore implements ActiveFiles {
  readonly registry: FileRegistry<ActiveFile | SealedFile>;
  readonly damaged: Quarantine<ActiveFile | SealedFile>;
  readonly deletions: DeletionProgress;
  readonly #options: EventFileStoreOptions;
  readonly #merger: FileMerger;
  readonly #swaps: ManifestChanges;
  readonly #supervisor: EngineSupervisor;
  readonly #missing: MissingFiles;
  #current: ActiveFile | null = null;
  /** Active files that the engine's process does not have: they were gone, or lacked events, when it was started. */
  readonly #lost = new Set<ActiveFile>();
  /** Active files that wait to be sealed, oldest first. */
  #frozen: readonly ActiveFile[] = [];
  #nextNumber: number;
  #sealing: Promise<void> | null = null;
  #rewriteId: number | null = null;
  #isClosing = false;

  constructor(options: EventFileStoreOptions, supervisor: EngineSupervisor, nextNumber: number) {
    this.#options = options;
    this.#supervisor = supervisor;
    this.#nextNumber = nextNumber;
    this.#missing = new MissingFiles(options.folder);
    this.damaged = new Quarantine({
      supervisor,
      setAside: async (file, reason, cause) => await this.#setAside(file, reason, cause),
      fileOf: (alias) => this.registry.files.find((file) => file.alias === alias) ?? null,
      warn: (message, cause) => options.observe({ kind: 'warning', message, cause }),
    });
    this.registry = new FileRegistry(options.removals, this.damaged);
    this.#swaps = new ManifestChanges(options, supervisor, this.registry, () => void this.deletions.settle());
    this.deletions = new DeletionProgress({
      ...options,
      served: () => [...this.registry.files, ...this.#swaps.leaving],
      damaged: () => this.damaged.files,
    });
    this.#merger = new FileMerger(options, supervisor, {
      sealedFiles: () => this.registry.files.filter((file) => file.kind === 'sealed'),
      activeBytes: () => this.registry.files.reduce((sum, file) => sum + (file.kind === 'active' ? file.bytes : 0), 0),
      takeNumber: () => this.#nextNumber++,
      takeOver: async (inputs, record, removalNow) => await this.#swaps.replace(inputs, record, removalNow),
      drop: async (files, removalNow) => await this.#swaps.drop(files, removalNow),
      examine: async (files) => await this.damaged.examine(files),
    });
  }

  get isBehind(): boolean {
    return this.#frozen.length >= this.#options.settings.frozenFilesMax;
  }

  /** Takes over files that are attached already; the last active one goes on receiving events. */
  adopt(sealed: readonly SealedFile[], active: readonly ActiveFile[]): void {
    for (const file of [...sealed, ...active]) this.registry.add(file);
    const newest = active.at(-1);
    // A deletion hides what is in files whose numbers are below its token: none of them may receive events any more.
    const isBefore = newest !== undefined && newest.number < this.#options.removals.lastToken;
    this.#current = newest === undefined || newest.isOutdated || isBefore ? null : newest;
    this.#frozen = active.filter((file) => file !== this.#current);
    this.#startSealing();
    this.#merger.start();
    void this.deletions.settle();
  }

  /** Attaches all files in a fresh process. */
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
        // A commit that has the turn of those that would take it out learns by this that the file is none any more.
        if (known.kind === 'active') this.#lost.add(known);
        // Not waited for: what takes it out may wait for this process.
        void this.damaged.found(known, error);
      }
    }
  }

  /** A log that was removed, or a file that is an older copy, opens without a word. */
  async #refuseLess(engine: EngineConnection, file: ActiveFile): Promise<void> {
    const gives = await this.#contentsOf(engine, file);
    if (gives === null) return;
    const held = gives.sources.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0);
    if (gives.isComplete && held >= file.events) return;
    await engine.call('detach', { alias: file.alias });
    throw new LessEvents(`it holds ${held} of the ${file.events} events that were stored in it`);
  }

  /** Null where that cannot be told, as where memory is short: no reason to go without an engine. */
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
   * A new file takes over from one that was removed from the folder or replaced in it. As long as the engine's process has it open it can
   * be read: what it holds is sealed into a file that is there.
   */
  async #replaceMissing(missing: ActiveFile): Promise<ActiveFile> {
    const file = await this.rotate();
    this.#options.observe({ kind: 'file.missing', file: basename(missing.attached.path), events: missing.events });
    return file;
  }

  /** Looks whether the file that receives events is still there, also where none come. Not beside a commit. */
  async replaceIfMissing(): Promise<void> {
    const file = this.#current;
    if (file === null || this.#lost.has(file)) return;
    if (await this.#missing.has(file)) await this.#replaceMissing(file);
  }

  /** A new file takes over; the old one is frozen and sealed in the background. Not beside a commit. */
  async rotate(): Promise<ActiveFile> {
    const old = this.#current;
    const file = await this.#create();
    if (old !== null) {
      this.#frozen = [...this.#frozen, old];
      this.#options.observe({ kind: 'file.rotated', file: basename(old.attached.path), events: old.events });
      this.#startSealing();
    }
    return file;
  }

  /**
   * A new file takes over that has the table of a new source, which those before it do not get. Not beside
   * a commit. Throws `ingest.overloaded` where one more file to be sealed would keep events out.
   */
  async addTable(layout: TableLayout): Promise<void> {
    if (this.#frozen.length + 1 >= this.#options.settings.frozenFilesMax) {
      throw new ServiceError(
        'ingest.overloaded',
        'A new source needs a new file, and files before it still wait to be sealed. Ask again in a second.',
        { retryAfterSeconds: 1 },
      );
    }
    for (const file of this.registry.files) if (file.kind === 'active') file.lackTable(layout.table);
    await this.rotate();
  }

  /** Resolves when nothing waits to be sealed any more. */
  async sealed(): Promise<void> {
    while (this.#sealing !== null) await this.#sealing;
  }

  /** Resolves when no sealed files are to be merged any more. */
  async merged(): Promise<void> {
    await this.#merger.settled();
  }

  /**
   * Deletes events of the past (retention/eventDeletion.ts): `register` makes the deletion of that token durable,
   * and from then on no statement that begins sees them. Not beside a commit. Throws `ingest.overloaded` where one
   * more file to be sealed would keep events out, and what `register` throws; nothing is deleted then.
   */
  async deleteEvents(register: (token: DeletionToken) => Promise<EventDeletion>): Promise<EventDeletion> {
    if (this.#frozen.length + 1 >= this.#options.settings.frozenFilesMax) {
      throw new ServiceError(
        'ingest.overloaded',
        'A deletion needs a new file, and files before it still wait to be sealed. Ask again in a second.',
        { retryAfterSeconds: 1 },
      );
    }
    const file = await this.rotate();
    const deletion = await register(file.number);
    this.deletions.add(deletion);
    this.#merger.start();
    void this.deletions.settle();
    return deletion;
  }

  /**
   * Has what is past its retention taken out of the files, in the background. True where that needs the file that
   * receives events to be rotated.
   */
  enforceRetention(): boolean {
    const { removals, clock, settings } = this.#options;
    if (settings.budgetBytes > 0) this.#merger.start();
    void this.deletions.settle();
    if (removals.isEmpty) return false;
    this.#merger.start();
    return this.#current !== null && removalDue(this.#current, removals, clock.nowMicros()) !== null;
  }

  /** Rotates the file that receives events where its events are to be taken out. Not beside a commit. */
  async rotateForRemoval(): Promise<void> {
    const { removals, clock } = this.#options;
    if (this.#current === null || this.isBehind || this.#isClosing) return;
    if (removalDue(this.#current, removals, clock.nowMicros()) !== null) await this.rotate();
  }

  /**
   * Drops sealed files with all their events, in one durable change (fileSwaps.ts); not those that have been
   * replaced or dropped meanwhile. A merge of one of them comes to nothing and is done anew without it.
   */
  async dropSealed(files: readonly SealedFile[]): Promise<readonly SealedFile[]> {
    return await this.#swaps.drop(files);
  }

  /**
   * The files as they are between two commits of events, and `beside` what is done while they are those of the
   * catalogue (filesSnapshot.ts).
   */
  async snapshot(beside: () => Promise<void>): Promise<StorageSnapshot> {
    return await this.#swaps.between(async () => {
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

  /** Runs the work while no file changes (fileSwaps.ts). */
  async betweenRemovals<T>(work: () => Promise<T>, patience: AbortSignal): Promise<T> {
    return await this.#swaps.between(work, patience);
  }

  /** Stops sealing and merging; what is unfinished is done again after the next start. Returns the files to checkpoint. */
  async close(): Promise<readonly string[]> {
    await this.#sealMissing();
    this.#isClosing = true;
    this.#swaps.close();
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

  /** What the engine's process has of files that are gone ends with it: it is sealed before. */
  async #sealMissing(): Promise<void> {
    const { observe } = this.#options;
    try {
      await this.replaceIfMissing();
    } catch (cause) {
      observe({ kind: 'warning', message: 'a file that is missing could not be stored again', cause });
    }
    const isMissing = async (file: ActiveFile | SealedFile) =>
      file.kind === 'active' && file.events > 0 && (await this.#missing.has(file));
    const missing: string[] = [];
    for (const file of this.registry.files) if (await isMissing(file)) missing.push(file.alias);
    if (missing.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, missingWaitMs);
    });
    await Promise.race([this.sealed(), patience]);
    clearTimeout(timer);
    for (const { alias, attached } of this.registry.files) {
      if (!missing.includes(alias)) continue;
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
    for (;;) {
      // A number is never used twice, so what a failed attempt left behind cannot be mistaken for this file.
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
          identities: identities.rows(createdMicros),
        });
      } catch (error) {
        if (!(error instanceof EngineDied)) {
          await folder.remove(file.attached.path);
          throw error;
        }
        await engine.ended;
        await folder.remove(file.attached.path);
        continue;
      }
      // Learns what stands there from the beginning.
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
      // In the same turn as the last look, or a file that is frozen between would wait for the next one.
      this.#sealing = null;
    }
  }

  async #sealUntilNone(): Promise<void> {
    for (let file = this.#frozen[0]; file !== undefined && !this.#isClosing; file = this.#frozen[0]) {
      try {
        await this.#seal(file);
        const done = file;
        this.#frozen = this.#frozen.filter((other) => other !== done);
        this.#merger.start();
      } catch (cause) {
        if (this.#isClosing) return;
        this.#options.observe({ kind: 'warning', message: `${file.alias} could not be sealed yet`, cause });
        if (isDamage(cause) && (await this.damaged.examine([file]))) continue;
        await new Promise((resolve) => setTimeout(resolve, cause instanceof EngineDied ? 0 : retryPauseMs));
      }
    }
  }

  async #seal(file: ActiveFile): Promise<void> {
    const { folder, layouts, clock, observe, settings, removals } = this.#options;
    if (file.events === 0) {
      this.#swaps.discardEmpty(file);
      return;
    }
    await this.#refuseWithoutRoom(file);
    const startedAt = performance.now();
    const engine = await this.#supervisor.ready();
    const plan = planRemoval([file], removals, clock.nowMicros());
    if (removalDue(file, removals, clock.nowMicros()) === 'drop') {
      const removed = await countDropped([file], plan, async (leftOut) => {
        return (await engine.call('countRemoved', { leftOut })).gives.removed;
      });
      await this.#swaps.drop([file], (files) => removalOfWhole(files, removed, removals, plan, clock.nowMicros()));
      return;
    }
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
    const sealed = await this.#swaps.replace([file], record, (inputs) =>
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

  /** A sealed file is smaller than what it is written from; sealing makes room, so no more than that is asked for. */
  async #refuseWithoutRoom(file: ActiveFile): Promise<void> {
    const { space } = this.#options;
    if (await space.hasRoom(file.bytes)) return;
    throw new Error(`sealing needs ${file.bytes} free bytes; the device has ${space.freeBytes}`);
  }

  /** The file that receives events gives way to a new one first, so that no commit is sent to what is gone. */
  async #setAside(file: ActiveFile | SealedFile, reason: string, cause: unknown): Promise<boolean> {
    const { commits, clock, observe } = this.#options;
    await commits.run(async () => {
      if (this.#current === file) await (this.#lost.has(file) ? this.#create() : this.rotate());
    });
    const foundMicros = clock.nowMicros();
    const name = basename(file.attached.path);
    const record = file.kind === 'active' ? damagedRecord(file, foundMicros) : null;
    const isDone = await this.#swaps.setAside(file, { file: name, reason, foundMicros }, record);
    this.#frozen = this.#frozen.filter((other) => other !== file);
    if (isDone && file.kind === 'active') this.#lost.delete(file);
    if (isDone) observe({ kind: 'file.damaged', file: name, reason, cause });
    return isDone;
  }
}

/** An active file holds less than what was stored in it. */
class LessEvents extends Error {
  override readonly name = 'LessEvents';
}
