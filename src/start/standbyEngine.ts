import { type FolderOpening, findEvents, openAhead } from '../engines/duckdb/files/folderOpening.ts';
import { EngineConnection } from '../engines/duckdb/host/engineConnection.ts';
import type { DuckDbSettings } from '../engines/duckdb/settings.ts';
import type { Settings } from './settings.ts';

/**
 * An engine process that starts before the service, so that both load at the same time (decision 41). It receives nothing,
 * not even a data folder, before the folder is locked. The process ends with this one, or with `kill()`.
 */
export class StandbyEngine {
  readonly process: EngineConnection;
  #opening: FolderOpening | undefined;

  constructor({ queryConcurrency }: Pick<Settings, 'queryConcurrency'>) {
    this.process = new EngineConnection(queryConcurrency);
  }

  /** What it was told to open; undefined if nothing. */
  get opening(): FolderOpening | undefined {
    return this.#opening;
  }

  /** Has the process open the events of a locked folder, and does not wait until it has (decision 128). */
  async openAhead(dataDir: string, settings: Partial<DuckDbSettings>): Promise<void> {
    const opening = await findEvents(dataDir, settings);
    openAhead(this.process, opening);
    this.#opening = opening;
  }

  kill(): void {
    this.process.kill();
  }
}
