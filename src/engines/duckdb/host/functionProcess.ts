import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Observe } from '../../../core/observation.ts';
import { systemTimer } from '../../../core/timer.ts';
import { makeOwnFolder } from '../../../files/ownFolder.ts';
import type { RunTime } from '../../../ports/queryEngine.ts';
import type { FreeSpace } from '../files/freeSpace.ts';
import type { ActiveFile } from '../log/activeFile.ts';
import type { AttachedFile, CopiedRows } from '../process/protocol.ts';
import { joinedParts, type TableRead } from '../query/tableRead.ts';
import { type DuckDbSettings, functionMemoryBytes } from '../settings.ts';
import type { EngineConnection } from './engineConnection.ts';
import { EngineDied, isOutOfMemory, noRoomError } from './engineFailure.ts';
import { EngineSupervisor } from './engineSupervisor.ts';
import { MemoryWait } from './memoryWait.ts';

export interface FunctionProcessOptions {
  readonly settings: DuckDbSettings;
  readonly eventsDir: string;
  /** Folder to which its sorts spill; emptied at its start. */
  readonly spillDir: string;
  /** Folder for copied rows, which the main process may be writing while this one restarts. */
  readonly copiesDir: string;
  readonly observe: Observe;
  /** The process that writes events. */
  readonly main: EngineSupervisor;
  /** Files that are attached in the main process. */
  readonly attached: () => readonly AttachedFile[];
  /** Those that receive events. */
  readonly activeFiles: () => readonly Pick<ActiveFile, 'alias' | 'bytes' | 'events' | 'stats'>[];
  readonly space: Pick<FreeSpace, 'hasRoom'>;
}

/** How often to release files that are gone from the store, milliseconds. */
const letGoEveryMs = 10_000;

/** How often to repeat a copy that an unexplained end of the main process interrupted. */
const copiesMax = 3;

/** A copy may take at most one part in this many of the device's free bytes. */
const roomShare = 2;

/**
 * An engine process for statements with functions written in JavaScript. It runs one at a time, so that its only thread
 * of JavaScript delays neither ingestion nor other statements (decision 57). It reads sealed segments itself. An active
 * segment can be open in one process only, so this one gets a copy of the rows that the statement may need. The first
 * such statement starts it, unless it was started ahead.
 */
export class FunctionProcess {
  readonly supervisor: EngineSupervisor;
  readonly #options: FunctionProcessOptions;
  readonly #sealed = new WeakMap<EngineConnection, Set<string>>();
  readonly #lettingGo: NodeJS.Timeout;
  #isReading = false;
  /** A release was due while a statement was reading; the next statement does it first. */
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
      sameAs: options.main,
    });
    this.#lettingGo = setInterval(() => {
      if (this.#isReading) this.#isLetGoDue = true;
      else void this.#letGo();
    }, letGoEveryMs);
    this.#lettingGo.unref();
  }

  /**
   * Makes the data that a statement reads available in the process, and pauses its time while it waits for memory. Call
   * the returned function once the statement has ended.
   */
  async provide(
    engine: EngineConnection,
    reads: readonly TableRead[],
    signal: AbortSignal,
    time: Pick<RunTime, 'pause' | 'resume'>,
  ): Promise<() => Promise<void>> {
    if (this.#isLetGoDue) await this.#letGo();
    this.#isReading = true;
    const copied: CopiedRows[] = [];
    const release = async () => {
      try {
        for (const copy of copied) {
          if (!engine.hasEnded) await engine.call('detach', { alias: copy.alias }).catch(unlessEnded);
          await removeCopy(copy);
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
        // No path is used twice, so that nothing that is remembered of a file is taken for the rows of another one.
        const pathOf = () => join(this.#options.copiesDir, `copy-${++this.#copies}.parquet`);
        const copy: CopiedRows = { alias, tables: parts.map((part) => ({ part, path: pathOf() })) };
        if (!(await this.#options.space.hasRoom(roomShare * this.#bytesOf(copy)))) throw noRoomError();
        try {
          await makeOwnFolder(this.#options.copiesDir);
          await this.#copy(copy, signal, time);
          await engine.call('attachCopied', copy);
        } catch (error) {
          await removeCopy(copy);
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
    // The file was quarantined meanwhile; the statement fails like one whose file was detached.
    if (file === undefined) return;
    await engine.call('attach', file);
    there.add(alias);
  }

  async #copy(takes: CopiedRows, signal: AbortSignal, time: Pick<RunTime, 'pause' | 'resume'>): Promise<void> {
    const { main, settings } = this.#options;
    const memory = new MemoryWait(settings.memoryWaitMs, signal, systemTimer);
    for (let left = copiesMax; ; ) {
      const engine = await main.readyWithin(settings.restartWaitMs, signal);
      const { id, reply } = engine.start('copyRows', takes);
      const onAbort = () => void engine.call('cancel', { target: id }).catch(unlessEnded);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        await reply;
        return;
      } catch (error) {
        await removeCopy(takes);
        if (isOutOfMemory(error) && memory.isLeft && !signal.aborted) {
          // Other queries can hold all memory of the main process for a moment. This one is not to blame for it.
          time.pause();
          try {
            await memory.untilOneEnds(engine.endsOfCalls());
          } finally {
            time.resume();
          }
          continue;
        }
        if (!(error instanceof EngineDied)) throw error;
        // The reason for a kill is known. The copy is repeated like a statement, as long as its caller waits.
        if (main.killReason(engine) === undefined && --left < 1) throw error;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    }
  }

  /** Approximate bytes of the rows, from what the file is known to hold. */
  #bytesOf({ alias, tables }: CopiedRows): number {
    const file = this.#options.activeFiles().find((each) => each.alias === alias);
    if (file === undefined || file.events === 0) return 0;
    let rows = 0;
    for (const { part } of tables) {
      for (const project of part.projects ?? [null]) rows += file.stats(part.table, project)?.count ?? 0;
    }
    return Math.ceil(file.bytes * Math.min(1, rows / file.events));
  }

  /** Releases sealed files that are gone from the store: they take disk space as long as they are open. */
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

async function removeCopy({ tables }: CopiedRows): Promise<void> {
  for (const { path } of tables) await rm(path, { force: true });
}

/** The end of the process has already had the intended effect. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof EngineDied)) throw error;
}
