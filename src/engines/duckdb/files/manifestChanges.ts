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
  readonly catalogue: FileManifest;
  /** Those that are declared now. */
  readonly sources: readonly Source[];
  readonly observe: Observe;
}

const retryPauseMs = 1_000;

/**
 * What a change removes, asked for when its turn has come: nothing comes between that and the change. Throws where
 * what it would remove is to be kept by now; the change is not made then.
 */
export type RemovalNow<File> = (files: readonly File[]) => RemovalOfCommit;

/**
 * Changes which files hold the events: puts a rewritten file in the place of what it was written from, or
 * drops files with all their events. The commit of the catalogue is the switch; a crash on either side of
 * it is settled by the next start (openFiles.ts). One change after another, so that no file is taken twice.
 * Statements that are running keep the files that they read, which lie on the device until then.
 */
export class ManifestChanges {
  readonly #options: ManifestChangesOptions;
  readonly #supervisor: EngineSupervisor;
  readonly #registry: FileRegistry<ActiveFile | SealedFile>;
  readonly #lane = new Mutex();
  readonly #leaving = new Set<ActiveFile | SealedFile>();
  readonly #onGone: () => void;
  #isClosing = false;

  /** `onGone` is called whenever a file has left the device. */
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

  /** Files that were replaced or dropped and are still on the device. */
  get leaving(): ReadonlySet<ActiveFile | SealedFile> {
    return this.#leaving;
  }

  /**
   * Puts a file that is complete under its temporary name in the place of its inputs.
   *
   * @throws Error where an input is not among the files any more: its events must not come back; and what `removalNow`
   * throws.
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
      // There is no way back from here: done anew, the same events would be committed a second time.
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
   * Takes files away together with all their events, in one durable change: every statement from then on goes
   * without them, and they leave the device when the last one that reads them has ended. Those that are not
   * among the files any more are passed over. Gives what was dropped. Must not be asked for the file that
   * receives events. Throws what `removalNow` throws.
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
   * Takes a file away that is damaged, durably: statements that begin from then on go without it, and it is put with
   * the damaged ones when the last one that reads it has ended. False where it is not among the files any more.
   * `record`: what an active file held, which then stands in the catalogue.
   */
  async setAside(file: ActiveFile | SealedFile, damage: FileDamage, record: SealedFileRecord | null): Promise<boolean> {
    return await this.#lane.run(async () => {
      if (!this.#registry.files.includes(file)) return false;
      if (record === null) await this.#options.catalogue.mark(file.number, damage);
      else await this.#commit({ ...record, damage }, [], nothingTakenOut);
      this.#leaving.add(file);
      this.#registry.replace([file], null, (gone) => void this.#putAway(gone));
      return true;
    });
  }

  /** Runs the work between two changes: until it has ended, the files are those of the catalogue. `patience`: serialLane.ts. */
  async between<T>(work: () => Promise<T>, patience?: AbortSignal): Promise<T> {
    return await this.#lane.run(work, patience);
  }

  /** Takes an active file away that holds no event. */
  discardEmpty(file: ActiveFile): void {
    this.#take([file], null);
  }

  /** What must succeed and has not is left to the next start from now on. */
  close(): void {
    this.#isClosing = true;
  }

  /**
   * Commits a change to the catalogue. Where that fails, the catalogue is asked whether the change is there all the
   * same, for as long as it takes: made again, with a file of another number, it would store the same events twice.
   */
  async #commit(added: SealedFileRecord | null, replaced: readonly number[], removal: RemovalOfCommit): Promise<void> {
    const { catalogue } = this.#options;
    try {
      await catalogue.commit(added, replaced, removal);
    } catch (cause) {
      let isThere = false;
      await this.#insist('it cannot be found out yet whether a change of the files is stored', async () => {
        isThere = added === null ? await this.#areDropped(replaced) : await this.#isRecorded(added);
      });
      if (!isThere) throw cause;
      this.#options.observe({ kind: 'warning', message: 'a change of the files is stored, though it failed', cause });
    }
  }

  async #isRecorded({ number, damage }: SealedFileRecord): Promise<boolean> {
    const found = (await this.#options.catalogue.load()).find((record) => record.number === number);
    return found !== undefined && (found.damage === undefined) === (damage === undefined);
  }

  async #areDropped(numbers: readonly number[]): Promise<boolean> {
    const dropped = await this.#options.catalogue.loadDropped();
    return numbers.every((number) => dropped.includes(number));
  }

  #take(inputs: readonly (ActiveFile | SealedFile)[], file: SealedFile | null): void {
    for (const input of inputs) this.#leaving.add(input);
    this.#registry.replace(inputs, file, (gone) => void this.#dispose(gone));
  }

  /** Does what must succeed; it is done at the next start where the service stops before. */
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
      // Where the process ended, the next one does not attach the file.
      if (!(cause instanceof EngineDied)) {
        this.#options.observe({ kind: 'warning', message: `${file.alias} could not be detached`, cause });
      }
    }
  }

  async #putAway(file: ActiveFile | SealedFile): Promise<void> {
    await this.#detach(file);
    try {
      await this.#options.folder.setAside(file.attached.path);
    } catch (cause) {
      // The next start does it: the file is marked.
      this.#options.observe({ kind: 'warning', message: `${file.attached.path} could not be moved away yet`, cause });
    }
    this.#leaving.delete(file);
    this.#onGone();
  }

  /** Removes a file that nothing reads any more. */
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
