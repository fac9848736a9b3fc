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

/** When the measured events end: the present of everything that is measured on them. */
export const presentMs = Date.UTC(2026, 4, 1, 12, 30, 5);

const root = join(import.meta.dirname, '..', '..');
/** Whatever decides what lies in a prepared folder. */
const decisive = ['bench', 'src/engines/duckdb', 'src/sources', 'src/ingest', 'src/stores/sqlite'];

export interface PreparedEvents {
  readonly events: number;
  /** A data folder that nothing writes to: see `workingCopy`. */
  readonly path: string;
  /** Seconds that filling and merging took, when it was made. */
  readonly loadSeconds: number;
  readonly mergeSeconds: number;
}

/**
 * A data folder with so many events in sealed and merged files, made in a minute or so per million, or found where an
 * earlier run left it. Its name holds a digest of the sources that decide its contents; older ones of the same size are
 * removed.
 */
export async function prepareEvents(
  parent: string,
  events: number,
  say: (text: string) => void,
): Promise<PreparedEvents> {
  const path = join(parent, `events-${events}-${sourcesDigest()}`);
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

/** A data folder to serve and to write to. Sealed files never change, so they are shared with the prepared folder. */
export function workingCopy({ path }: PreparedEvents, to: string): string {
  cpSync(path, to, { recursive: true, filter: (each) => !/sealed-\d+\.duckdb$/.test(each) });
  mkdirSync(join(to, 'events'), { recursive: true });
  for (const name of sealedFiles(path)) linkSync(join(path, 'events', name), join(to, 'events', name));
  return to;
}

/** Names of the sealed files of a data folder. */
export function sealedFiles(dataDir: string): readonly string[] {
  return readdirSync(join(dataDir, 'events')).filter((name) => /^sealed-\d+\.duckdb$/.test(name));
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1000;
}

function sourcesDigest(): string {
  const hash = createHash('sha256').update(String(presentMs));
  for (const folder of decisive) {
    const isBench = folder === 'bench';
    const names = isBench
      ? ['loadSealedFiles.ts', 'syntheticEvent.ts', 'projects.ts', 'generateEvents.ts']
      : readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
          (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
        );
    for (const name of names.toSorted()) hash.update(name).update(readFileSync(join(root, folder, name)));
  }
  return hash.digest('hex').slice(0, 12);
}
