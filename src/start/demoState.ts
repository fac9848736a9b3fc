import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { partOf, replaceFile } from '../files/replaceFile.ts';
import { lockFileNames } from './folderLock.ts';
import { StartError } from './startError.ts';

const stateSchema = z.strictObject({
  /** Sample events before this moment are there. Microseconds since 1970. */
  filled_to_micros: z.number().int(),
  /** End of the piece that was being written, or null between pieces. */
  pending_to_micros: z.number().int().nullable(),
});

/** How far a folder is filled with sample data. Its file marks a folder that Logmill filled. */
export interface DemoState {
  readonly filledToMicros: number;
  readonly pendingToMicros: number | null;
}

/** How much sample data an empty folder gets. */
export const demoDayMicros = 24 * 3_600_000_000;

const markName = 'demo.json';

/** Names of its files in a data folder. */
export const demoFileNames: readonly string[] = [markName, partOf(markName)];

/** Files that an empty folder may hold: our lock, and files of file systems and version control. */
const ignoredNames: ReadonlySet<string> = new Set([
  ...lockFileNames,
  partOf(markName),
  'lost+found',
  '.gitkeep',
  '.DS_Store',
]);

/**
 * Returns how far the folder is filled, or undefined if it holds other data and must get no sample data. Marks an empty
 * folder before anything else is made in it, so that a failed first start does not make it foreign; its sample data
 * begins at `beginMicros`.
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
      `${mark} cannot be read. It records how far the sample data reaches. Start without sample data (npm run serve), or remove the file to keep the folder as it is.`,
      { cause: error },
    );
  }
}

/** Replaces the file durably: after a crash it is the old one or the new one. */
export function writeDemoState(dataDir: string, state: DemoState): void {
  const text = JSON.stringify({ filled_to_micros: state.filledToMicros, pending_to_micros: state.pendingToMicros });
  replaceFile(join(dataDir, markName), `${text}\n`, 0o600);
}
