import { closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { lockFileNames } from './folderLock.ts';
import { StartError } from './startError.ts';

const stateSchema = z.strictObject({
  /** Sample events before this moment are there. Microseconds since 1970. */
  filled_to_micros: z.number().int(),
  /** End of the piece that was being written, or null between pieces. */
  pending_to_micros: z.number().int().nullable(),
});

/** How far a folder is filled with sample data; the mark of a folder that was filled by us. */
export interface DemoState {
  readonly filledToMicros: number;
  readonly pendingToMicros: number | null;
}

const markName = 'demo.json';

/** What stands for it in a data folder. */
export const demoFileNames: readonly string[] = [markName, `${markName}.tmp`];

/** What an otherwise empty folder may hold: our lock, and what file systems and version control put there. */
const ignoredNames: ReadonlySet<string> = new Set([
  ...lockFileNames,
  `${markName}.tmp`,
  'lost+found',
  '.gitkeep',
  '.DS_Store',
]);

/**
 * Whether sample data may be put into a data folder: how far it is filled, or undefined for a folder
 * with data of its own. An empty folder is marked at once, before anything else is made in it, so that
 * it stays ours whatever happens to the first start; its sample data begins at `beginMicros`.
 */
export function claimForDemo(dataDir: string, beginMicros: number): DemoState | undefined {
  const mark = join(dataDir, markName);
  if (existsSync(mark)) return readState(mark);
  if (!readdirSync(dataDir).every((name) => ignoredNames.has(name))) return undefined;
  const state: DemoState = { filledToMicros: beginMicros, pendingToMicros: null };
  writeDemoState(dataDir, state);
  return state;
}

function readState(mark: string): DemoState {
  try {
    const state = stateSchema.parse(JSON.parse(readFileSync(mark, 'utf8')));
    return { filledToMicros: state.filled_to_micros, pendingToMicros: state.pending_to_micros };
  } catch (error) {
    throw new StartError(
      `${mark}, which says how far sample data reaches, cannot be read. Start without sample data (npm run serve), or remove the file to keep the folder as it is.`,
      { cause: error },
    );
  }
}

/** Replaces the mark, durably: it is the old one or the new one whatever happens. */
export function writeDemoState(dataDir: string, state: DemoState): void {
  const mark = join(dataDir, markName);
  const file = openSync(`${mark}.tmp`, 'w', 0o600);
  writeSync(
    file,
    `${JSON.stringify({ filled_to_micros: state.filledToMicros, pending_to_micros: state.pendingToMicros })}\n`,
  );
  fsyncSync(file);
  closeSync(file);
  renameSync(`${mark}.tmp`, mark);
}
