import { basename } from 'node:path';
import { Mutex } from '../../../core/concurrency/mutex.ts';
import type { Observe } from '../../../core/observation.ts';
import {
  type FileDamage,
  type FileManifest,
  nothingTakenOut,
  type RemovalOfCommit,
  type SealedFileRecord,
} from '../../../ports/fileManifest.ts';
import type { Source } from '../../../sources/source.ts';
import { EngineDied } from '../host/engineFailure.ts';
import type { EngineSupervisor } from '../host/engineSupervisor.ts';
import type { ActiveFile } from '../log/activeFile.ts';
import type { AttachedFile } from '../process/protocol.ts';
import type { EventFilePaths } from './eventFilePaths.ts';
import type { FileRegistry } from './fileRegistry.ts';
import { SealedFile } from './sealedFile.ts';

export interface ManifestChangesOptions {
  readonly folder: EventFilePaths;
  readonly manifest: FileManifest;
  /** The sources declared now. */
  readonly sources: readonly Source[];
  readonly observe: Observe;
}

const retryPauseMs = 1_000;

/**
 * Returns what a change removes. It is called when the change is made, so nothing can happen between the two.
 * Throws if the change would remove events that must now be kept; the change is not made then.
 */
export type RemovalNow<File> = (files: readonly File[]) => RemovalOfCommit;

/**
 * Changes which segments hold the events: replaces segments by a rewritten one, or drops segments with all their
 * events. The commit to the manifest makes the change; the next start completes it if a crash comes before or after
 * (recoverFiles.ts). Changes run one after another, so no segment is used twice. Running statements keep the segments
 * that they read, which stay on the device until then.
 */
export class ManifestChanges {
  readonly #options: ManifestChangesOptions;
  readonly #supervisor: EngineSupervisor;
  readonly #registry: FileRegistry<ActiveFile | SealedFile>;
  readonly #lane = new Mutex();
  readonly #leaving = new Set<ActiveFile | SealedFile>();
  readonly #onGone: () => void;
  #isClosing = false;

  /** `onGone` is called whenever a segment has left the device. */
  constructor(
    options: ManifestChangesOptions,
    supervisor: EngineSupervisor,
    registry: FileRegistry<ActiveFile | SealedFile>,
    onGone: () => void = () => {},
  ) {
    this.#options = options;
    this.#supervisor = supervisor;
    this.#registry = registry;
    this.#onGone = onGone;
  }

  /** Segments that were replaced or dropped and are still on the device. */
  get leaving(): ReadonlySet<ActiveFile | SealedFile> {
    return this.#leaving;
  }

  /**
   * Replaces the inputs by a file that is complete under its temporary name.
   *
   * @throws Error if an input is no longer among the segments, because its events must not return; and the errors of
   * `removalNow`
   */
  async replace<File extends ActiveFile | SealedFile>(
    inputs: readonly File[],
    record: SealedFileRecord,
    removalNow: RemovalNow<File> = () => nothingTakenOut,
  ): Promise<SealedFile> {
    return await this.#lane.run(async () => {
      const { folder, sources } = this.#options;
      const lost = inputs.find((file) => !this.#registry.files.includes(file));
      if (lost !== undefined) throw new Error(`${lost.alias} was dropped while it was rewritten`);
      const removal = removalNow(inputs);
      await this.#commit(record, sealedNumbers(inputs), removal);
      this.#registry.removals.mark(removal.marks);
      const file = new SealedFile(record, folder.sealedPath(record.number), sources);
      // Past this point the change must be completed: a repetition would commit the same events twice.
      await this.#insist(`${basename(file.attached.path)} cannot be put in its place yet`, async () => {
        await folder.publish(record.number);
      });
      await this.#insist(`${basename(file.attached.path)} cannot be opened yet`, async () => {
        await this.#attach(file.attached);
      });
      this.#take(inputs, file);
      return file;
    });
  }

  /**
   * Removes segments with all their events in one durable change. Statements that begin afterwards do not see them, and
   * they leave the device when the last statement that reads them has ended. Skips those that are no longer among the
   * segments. Returns the dropped ones. Must not be called for the active segment. Throws the errors of `removalNow`.
   */
  async drop<File extends ActiveFile | SealedFile>(
    files: readonly File[],
    removalNow: RemovalNow<File> = () => nothingTakenOut,
  ): Promise<readonly File[]> {
    return await this.#lane.run(async () => {
      const present = files.filter((file) => this.#registry.files.includes(file));
      if (present.length === 0) return present;
      const removal = removalNow(present);
      const numbers = present.map(({ number }) => number);
      await this.#commit(null, numbers, removal);
      this.#registry.removals.mark(removal.marks);
      this.#take(present, null);
      return present;
    });
  }

  /**
   * Quarantines a damaged segment, durably. Statements that begin afterwards do not see it, and its file is moved when
   * the last statement that reads it has ended. False if it is no longer among the segments. `record`: the contents of
   * an active segment, for the manifest.
   */
  async quarantine(
    file: ActiveFile | SealedFile,
    damage: FileDamage,
    record: SealedFileRecord | null,
  ): Promise<boolean> {
    return await this.#lane.run(async () => {
      if (!this.#registry.files.includes(file)) return false;
      if (record === null) await this.#options.manifest.mark(file.number, damage);
      else await this.#commit({ ...record, damage }, [], nothingTakenOut);
      this.#leaving.add(file);
      this.#registry.replace([file], null, (gone) => void this.#moveToQuarantine(gone));
      return true;
    });
  }

  /**
   * Runs the work between two changes, so the segments match the manifest until it ends. The work is not run if `patience`
   * is aborted before.
   */
  async between<T>(work: () => Promise<T>, patience?: AbortSignal): Promise<T> {
    return await this.#lane.run(work, { signal: patience });
  }

  /** Removes an active segment that holds no event. */
  discardEmpty(file: ActiveFile): void {
    this.#take([file], null);
  }

  /** From now on, unfinished changes are left to the next start. */
  close(): void {
    this.#isClosing = true;
  }

  /**
   * Commits a change to the manifest. If that fails, asks the manifest until it answers whether the change is there:
   * repeating the change with another file number would store the same events twice.
   */
  async #commit(added: SealedFileRecord | null, replaced: readonly number[], removal: RemovalOfCommit): Promise<void> {
    const { manifest } = this.#options;
    try {
      await manifest.commit(added, replaced, removal);
    } catch (cause) {
      let isThere = false;
      await this.#insist('it cannot be found out yet whether a change of the files is stored', async () => {
        isThere = added === null ? await this.#areDropped(replaced) : await this.#isRecorded(added);
      });
      if (!isThere) throw cause;
      this.#options.observe({
        kind: 'warning',
        message: 'a change of the segments reported an error, but is stored',
        cause,
      });
    }
  }

  async #isRecorded({ number, damage }: SealedFileRecord): Promise<boolean> {
    const found = (await this.#options.manifest.load()).find((record) => record.number === number);
    return found !== undefined && (found.damage === undefined) === (damage === undefined);
  }

  async #areDropped(numbers: readonly number[]): Promise<boolean> {
    const dropped = await this.#options.manifest.loadDropped();
    return numbers.every((number) => dropped.includes(number));
  }

  #take(inputs: readonly (ActiveFile | SealedFile)[], file: SealedFile | null): void {
    for (const input of inputs) this.#leaving.add(input);
    this.#registry.replace(inputs, file, (gone) => void this.#dispose(gone));
  }

  /** Repeats work until it succeeds; if the service stops first, the next start does it. */
  async #insist(problem: string, work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await work();
        return;
      } catch (cause) {
        if (this.#isClosing) throw cause;
        this.#options.observe({ kind: 'warning', message: problem, cause });
        await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
      }
    }
  }

  async #attach(file: AttachedFile): Promise<void> {
    for (;;) {
      const engine = await this.#supervisor.ready();
      try {
        await engine.call('attach', file);
        return;
      } catch (error) {
        if (!(error instanceof EngineDied)) throw error;
        await engine.ended;
      }
    }
  }

  async #detach(file: ActiveFile | SealedFile): Promise<void> {
    try {
      await this.#supervisor.engine?.call('detach', { alias: file.alias });
    } catch (cause) {
      // If the process ended, the next one does not attach the file.
      if (!(cause instanceof EngineDied)) {
        this.#options.observe({ kind: 'warning', message: `${file.alias} could not be detached`, cause });
      }
    }
  }

  async #moveToQuarantine(file: ActiveFile | SealedFile): Promise<void> {
    await this.#detach(file);
    try {
      await this.#options.folder.quarantine(file.attached.path);
    } catch (cause) {
      // The next start moves it, because the segment is marked.
      this.#options.observe({ kind: 'warning', message: `${file.attached.path} could not be moved away yet`, cause });
    }
    this.#leaving.delete(file);
    this.#onGone();
  }

  /** Removes the file of a segment that nothing reads any more. */
  async #dispose(file: ActiveFile | SealedFile): Promise<void> {
    await this.#detach(file);
    try {
      await this.#options.folder.remove(file.attached.path);
    } catch (cause) {
      this.#options.observe({ kind: 'warning', message: `${file.attached.path} could not be removed`, cause });
      return;
    }
    this.#leaving.delete(file);
    this.#options.observe({ kind: 'file.cleaned', file: basename(file.attached.path), reason: 'replaced' });
    this.#onGone();
  }
}

function sealedNumbers(files: readonly (ActiveFile | SealedFile)[]): readonly number[] {
  return files.flatMap((file) => (file.kind === 'sealed' ? [file.number] : []));
}
