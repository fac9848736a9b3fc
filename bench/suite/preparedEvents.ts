import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { openDatabase } from '../../src/stores/sqlite/database.ts';
import { SqliteFileManifest } from '../../src/stores/sqlite/sqliteFileManifest.ts';
import { loadSealedFiles } from '../loadSealedFiles.ts';
import { sealEverything } from '../sealEverything.ts';
import { setPresent } from './shiftedClock.mjs';

/** End of the measured events. Everything measured on them uses it as the current time. */
export const presentMs = Date.UTC(2026, 4, 1, 12, 30, 5);

const root = join(import.meta.dirname, '..', '..');
/** Sources that determine the contents of a prepared folder. */
const decisive: DecisiveSources = {
  folders: ['src/engines/duckdb', 'src/sources', 'src/ingest', 'src/stores/sqlite'],
  benchFiles: ['loadSealedFiles.ts', 'syntheticEvent.ts', 'projects.ts', 'generateEvents.ts'],
};

export interface DecisiveSources {
  /** All their files but tests. */
  readonly folders: readonly string[];
  /** Of `bench/`. */
  readonly benchFiles: readonly string[];
}

export interface PreparedEvents {
  readonly events: number;
  /** A read-only data folder; see `workingCopy`. */
  readonly path: string;
  /** Seconds that loading and compaction took when the folder was made. */
  readonly loadSeconds: number;
  readonly mergeSeconds: number;
}

/**
 * Makes a data folder with this many events in sealed and compacted segments, which takes about a minute per million, or
 * finds the one of an earlier run. Its name contains a digest of the sources that determine its contents. Older folders of
 * the same size are removed.
 */
export async function prepareEvents(
  parent: string,
  events: number,
  say: (text: string) => void,
): Promise<PreparedEvents> {
  const path = join(parent, `events-${events}-${sourcesDigest(decisive)}`);
  const note = join(path, 'prepared.json');
  if (existsSync(note)) {
    say(`${events} events were prepared before`);
    return {
      events,
      path,
      ...(JSON.parse(readFileSync(note, 'utf8')) as Pick<PreparedEvents, 'loadSeconds' | 'mergeSeconds'>),
    };
  }
  for (const name of readdirSync(parent).filter((each) => new RegExp(`^events-${events}-[0-9a-f]+$`).test(each)))
    rmSync(join(parent, name), { recursive: true });
  say(`filling a folder with ${events} events`);
  setPresent(presentMs);
  const making = `${path}-making-${process.pid}`;
  try {
    const loadSeconds = await secondsOf(async () => {
      const database = await openDatabase(making);
      await loadSealedFiles(making, new SqliteFileManifest(database), events, presentMs * 1000);
      await database.destroy();
    });
    const mergeSeconds = await secondsOf(() => sealEverything(making));
    writeFileSync(join(making, basename(note)), JSON.stringify({ loadSeconds, mergeSeconds }));
    renameSync(making, path);
    return { events, path, loadSeconds, mergeSeconds };
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** Makes a writable data folder. It shares the sealed segments, which never change, with the prepared folder. */
export function workingCopy({ path }: PreparedEvents, to: string): string {
  cpSync(path, to, { recursive: true, filter: (each) => !/sealed-\d+\.duckdb$/.test(each) });
  mkdirSync(join(to, 'events'), { recursive: true });
  for (const name of sealedFiles(path)) linkSync(join(path, 'events', name), join(to, 'events', name));
  return to;
}

/** Names of the sealed segments in a data folder. */
export function sealedFiles(dataDir: string): readonly string[] {
  return readdirSync(join(dataDir, 'events')).filter((name) => /^sealed-\d+\.duckdb$/.test(name));
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1000;
}

/** A digest of sources and of the time that measured events end at. */
export function sourcesDigest({ folders, benchFiles }: DecisiveSources): string {
  const hash = createHash('sha256').update(String(presentMs));
  const add = (folder: string, names: readonly string[]) => {
    for (const name of names.toSorted()) hash.update(name).update(readFileSync(join(root, folder, name)));
  };
  add('bench', benchFiles);
  for (const folder of folders) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    add(
      folder,
      names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')),
    );
  }
  return hash.digest('hex').slice(0, 12);
}
