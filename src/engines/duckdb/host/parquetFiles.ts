import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Semaphore } from '../../../core/concurrency/semaphore.ts';
import { ServiceError } from '../../../core/errors.ts';
import { readRows } from '../../../formats/rowReader.ts';
import type { ParquetCall, ParquetTable, ParquetWriter } from '../../../ports/parquetWriter.ts';
import type { EngineConnection } from './engineConnection.ts';
import { EngineDied, statementError } from './engineFailure.ts';
import type { EngineSupervisor } from './engineSupervisor.ts';
import { parquetSelect } from './parquetColumns.ts';
import { TextColumns } from './textColumns.ts';

export interface ParquetFilesOptions {
  readonly supervisor: Pick<EngineSupervisor, 'readyWithin'>;
  /** A folder that the engine process may write to, and that is emptied at each start. */
  readonly folder: string;
  /** How long to wait for a process that is being restarted, milliseconds. */
  readonly restartWaitMs: number;
}

/** Files that are written at a time; each holds its rows in the memory of the engine. */
const filesAtOnce = 2;
/** Bytes that are sent at a time. */
const sentBytes = 4 * 1024 * 1024;

/** Has an engine process write Parquet files, from rows that it is sent as columns of texts. */
export class ParquetFiles implements ParquetWriter {
  readonly #options: ParquetFilesOptions;
  readonly #places = new Semaphore(filesAtOnce);
  #last = 0;

  constructor(options: ParquetFilesOptions) {
    this.#options = options;
  }

  async write<T>(table: ParquetTable, call: ParquetCall, use: (path: string) => Promise<T>): Promise<T> {
    const { owner, signal } = call;
    return await this.#places.run(async () => await this.#write(table, call, use), { owner, signal });
  }

  async #write<T>(table: ParquetTable, call: ParquetCall, use: (path: string) => Promise<T>): Promise<T> {
    const { signal } = call;
    const { supervisor, folder, restartWaitMs } = this.#options;
    const engine = await supervisor.readyWithin(restartWaitMs, signal);
    const file = ++this.#last;
    const path = join(folder, `parquet-${file}.tmp`);
    try {
      await engineWork(signal, () => engine.call('openParquet', { file, columns: table.columns.length }));
      await this.#send(engine, file, table, call);
      await this.#finish(engine, file, path, table, signal);
      return await use(path);
    } finally {
      // A process that has ended holds no rows any more.
      await engine.call('dropParquet', { file }).catch(() => undefined);
      await rm(path, { force: true });
    }
  }

  async #send(engine: EngineConnection, file: number, table: ParquetTable, { signal, pause }: ParquetCall) {
    const columns = new TextColumns(table.columns.map(({ type }) => type));
    const send = async (isLast: boolean) => {
      const { batches, payload } = await columns.take(isLast, pause);
      if (batches.length > 0) await engineWork(signal, () => engine.call('addToParquet', { file, batches }, payload));
    };
    for await (const rows of table.parts) {
      const steps = readRows(rows, columns);
      for (let step = steps.next(); step.done !== true; step = steps.next()) {
        signal.throwIfAborted();
        if (columns.batchedBytes >= sentBytes) await send(false);
        await pause.takeIfOver();
      }
    }
    await send(true);
  }

  async #finish(engine: EngineConnection, file: number, path: string, table: ParquetTable, signal: AbortSignal) {
    signal.throwIfAborted();
    const takes = { file, path, select: parquetSelect(table.columns), metadata: [...table.metadata()] };
    const { id, reply } = engine.start('finishParquet', takes);
    const onAbort = () => {
      void engine.call('cancel', { target: id }).catch(() => {
        // The process has ended, and the work with it.
      });
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await engineWork(signal, () => reply);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

async function engineWork(signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  signal.throwIfAborted();
  try {
    await work();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EngineDied)) throw statementError(error);
    throw new ServiceError(
      'engine.restarting',
      'The query engine was restarted while it wrote the Parquet file. Send the call again.',
      { retryAfterSeconds: 5, cause: error },
    );
  }
}
