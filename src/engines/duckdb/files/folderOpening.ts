import type { EngineConnection } from '../host/engineConnection.ts';
import { attachedActive } from '../log/activeFile.ts';
import type { EngineOptions } from '../process/protocol.ts';
import { type DuckDbSettings, defaultDuckDbSettings } from '../settings.ts';
import { EventFilePaths, type FolderContents } from './eventFilePaths.ts';

/** The events of a data folder as a start finds them. */
export interface FolderOpening {
  readonly folder: EventFilePaths;
  readonly found: FolderContents;
  readonly settings: DuckDbSettings;
  /** What the engine process is opened with. */
  readonly engine: EngineOptions;
}

/** A process that was started ahead. */
export interface StandbyProcess {
  readonly process: EngineConnection;
  /** What `openAhead` has told it to open; undefined if it has received nothing. */
  readonly opening: FolderOpening | undefined;
}

/** Finds the events of a data folder, whose lock the caller holds, and empties its spill folders. */
export async function findEvents(dataDir: string, given: Partial<DuckDbSettings> = {}): Promise<FolderOpening> {
  const settings = { ...defaultDuckDbSettings, ...given };
  const folder = new EventFilePaths(dataDir);
  await folder.create();
  const engine = { ...settings, eventsDir: folder.path, spillDir: folder.spillPath, hasScripted: false };
  return { folder, found: await folder.read(), settings, engine };
}

/**
 * Has a new engine process open its engine and the active segments, whose logs it replays after a crash. Nothing waits for
 * that: the same calls get the replies later, and `withdraw` takes back a segment that is not to be opened.
 */
export function openAhead(process: EngineConnection, { folder, found, engine }: FolderOpening): void {
  process.sendAhead('open', engine);
  for (const number of found.active) process.sendAhead('attach', attachedActive(number, folder.activePath(number)));
}
