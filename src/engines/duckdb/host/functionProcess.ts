import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Observe } from '../../../core/observation.ts';
import { makeOwnFolder } from '../../../files/ownFolder.ts';
import type { FreeSpace } from '../files/freeSpace.ts';
import type { ActiveFile } from '../log/activeFile.ts';
import type { AttachedFile, CopiedRows, TablePart } from '../process/protocol.ts';
import { joinedParts, type TableRead } from '../query/tableRead.ts';
import { type DuckDbSettings, functionMemoryBytes } from '../settings.ts';
import type { EngineConnection } from './engineConnection.ts';
import { EngineDied, noRoomError } from './engineFailure.ts';
import { EngineSupervisor } from './engineSupervisor.ts';

export interface FunctionProcessOptions {
  readonly settings: DuckDbSettings;
  readonly eventsDir: string;
  /** For what its sorts spill; emptied at its starts. */
  readonly spillDir: string;
  /** For copied rows, which the main process may be writing while this one starts anew. */
  readonly copiesDir: string;
  readonly observe: Observe;
  /** The process that writes events. */
  readonly main: EngineSupervisor;
  /** The files that are attached there. */
  readonly attached: () => readonly AttachedFile[];
  /** Those of them that are written to. */
  readonly activeFiles: () => readonly Pick<ActiveFile, 'alias' | 'bytes' | 'events' | 'stats'>[];
  readonly space: Pick<FreeSpace, 'hasRoom'>;
}

/** How often files are let go of that are gone from the store, milliseconds. */
const letGoEveryMs = 10_000;

/** Copies that an end of the main process undid that nothing explains are made again so often. */
const copiesMax = 3;

/** A copy takes no more than one part in so many of the free bytes of the device. */
const roomShare = 2;

/**
 * An engine process beside the one that has the events, for statements with functions that are worked out in JavaScript: it runs one at a time, and
 * what that one does with its only thread of JavaScript keeps neither ingestion nor any other statement waiting (decision
 * 57). Sealed files it reads itself. A file that is written to can be open in one process only; of that it is given a copy of
 * the rows that the statement can want. It is started by the first such statement.
 */
export class FunctionProcess {
  readonly supervisor: EngineSupervisor;
  readonly #options: FunctionProcessOptions;
  readonly #sealed = new WeakMap<EngineConnection, Set<string>>();
  readonly #lettingGo: NodeJS.Timeout;
  #isReading = false;
  /** It was reading when it was to be looked; whatever reads next looks first. */
  #isLetGoDue = false;
  #copies = 0;

  constructor(options: FunctionProcessOptions) {
    const { settings, eventsDir, spillDir, observe } = options;
    this.#options = options;
    this.supervisor = new EngineSupervisor({
      engine: {
        ...settings,
        eventsDir,
        spillDir,
        memoryBytesMax: functionMemoryBytes(settings.memoryBytesMax),
        statementsMax: 1,
        hasScripted: true,
      },
      processBytesMax: Math.ceil(settings.processBytesMax / 2),
      observe,
      prepare: async () => {},
      isStartedByUse: true,
      role: 'functions',
    });
    this.#lettingGo = setInterval(() => {
      if (this.#isReading) this.#isLetGoDue = true;
      else void this.#letGo();
    }, letGoEveryMs);
    this.#lettingGo.unref();
  }

  /** Has the process see what a statement reads; whoever calls it calls what it gives, once the statement has ended. */
  async provide(
    engine: EngineConnection,
    reads: readonly TableRead[],
    signal: AbortSignal,
  ): Promise<() => Promise<void>> {
    if (this.#isLetGoDue) await this.#letGo();
    this.#isReading = true;
    const copied: AttachedFile[] = [];
    const release = async () => {
      try {
        for (const { alias, path } of copied) {
          if (!engine.hasEnded) await engine.call('detach', { alias }).catch(unlessEnded);
          await rm(path, { force: true });
        }
      } finally {
        this.#isReading = false;
      }
    };
    try {
      for (const [alias, kind] of new Map(reads.map(({ file }) => [file.alias, file.kind]))) {
        signal.throwIfAborted();
        if (kind === 'sealed') {
          await this.#attachSealed(engine, alias);
          continue;
        }
        const parts = joinedParts(reads.filter(({ file }) => file.alias === alias).map(({ part }) => part));
        if (!(await this.#options.space.hasRoom(roomShare * this.#bytesOf(alias, parts)))) throw noRoomError();
        const path = join(this.#options.copiesDir, `copy-${++this.#copies}.duckdb`);
        const copy: AttachedFile = { alias, path, kind: 'sealed' };
        try {
          await makeOwnFolder(this.#options.copiesDir);
          await this.#copy({ alias, path, parts }, signal);
          await engine.call('attach', copy);
        } catch (error) {
          await rm(path, { force: true });
          throw error;
        }
        copied.push(copy);
      }
    } catch (error) {
      await release();
      throw error;
    }
    return release;
  }

  async close(): Promise<void> {
    clearInterval(this.#lettingGo);
    await this.supervisor.close([], 0);
  }

  async #attachSealed(engine: EngineConnection, alias: string): Promise<void> {
    const there = this.#sealed.get(engine) ?? new Set();
    this.#sealed.set(engine, there);
    if (there.has(alias)) return;
    const file = this.#options.attached().find((each) => each.alias === alias);
    // A file that was set aside meanwhile: the statement then fails as it does where it was detached under it.
    if (file === undefined) return;
    await engine.call('attach', file);
    there.add(alias);
  }

  async #copy(takes: CopiedRows, signal: AbortSignal): Promise<void> {
    const { main, settings } = this.#options;
    for (let left = copiesMax; ; ) {
      const engine = await main.readyWithin(settings.restartWaitMs, signal);
      const { id, reply } = engine.start('copyRows', takes);
      const onAbort = () => void engine.call('cancel', { target: id }).catch(unlessEnded);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        await reply;
        return;
      } catch (error) {
        await rm(takes.path, { force: true });
        await rm(`${takes.path}.wal`, { force: true });
        if (!(error instanceof EngineDied)) throw error;
        // One that was killed is told by whom; that is repeated as a statement is, for as long as its caller waits.
        if (main.killReason(engine) === undefined && --left < 1) throw error;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    }
  }

  /** About how many bytes the rows take, from what the file is known to hold. */
  #bytesOf(alias: string, parts: readonly TablePart[]): number {
    const file = this.#options.activeFiles().find((each) => each.alias === alias);
    if (file === undefined || file.events === 0) return 0;
    let rows = 0;
    for (const { table, projects } of parts) {
      for (const project of projects ?? [null]) rows += file.stats(table, project)?.count ?? 0;
    }
    return Math.ceil(file.bytes * Math.min(1, rows / file.events));
  }

  /** Sealed files that are gone from the store: as long as they are open, they take room on the device. */
  async #letGo(): Promise<void> {
    this.#isLetGoDue = false;
    const { engine } = this.supervisor;
    const there = engine === null ? undefined : this.#sealed.get(engine);
    if (engine === null || there === undefined || this.#isReading) return;
    const kept = new Set(this.#options.attached().map(({ alias }) => alias));
    for (const alias of [...there].filter((each) => !kept.has(each))) {
      there.delete(alias);
      await engine.call('detach', { alias }).catch(unlessEnded);
    }
  }
}

/** What a process that has ended was asked for has come about. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof EngineDied)) throw error;
}
