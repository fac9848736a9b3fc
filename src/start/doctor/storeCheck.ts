import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type Database from 'libsql';
import * as z from 'zod';
import { migrations } from '../../stores/sqlite/migrations/index.ts';
import { readStoreFile } from '../../stores/sqlite/storeFile.ts';
import { pathOfStore } from '../../stores/sqlite/storeFileNames.ts';
import { lockFileNames } from '../folderLock.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

/** A sealed file as the store lists it. */
export interface ListedFile {
  readonly number: number;
  readonly bytes: number;
  readonly events: number;
  readonly sealedMicros: number;
  /** Time of its newest event. */
  readonly lastMicros: number;
  /** How it is damaged; null if it is not. */
  readonly damage: { readonly file: string; readonly reason: string } | null;
}

export interface StoreReport {
  readonly findings: readonly Finding[];
  /** Null if the store could not be read. */
  readonly files: readonly ListedFile[] | null;
}

const damageSchema = z.object({ file: z.string(), reason: z.string() });
const rowSchema = z.object({
  number: z.number(),
  bytes: z.number(),
  events: z.number(),
  sealed_at: z.number(),
  damage: z.string().nullable(),
});
const lastSchema = z.object({ lastMicros: z.array(z.number()) });

/** How long to wait for a process that holds the store exclusively for a moment. */
const waitMs = 5_000;

/** Reads the store without changing it, even while a service runs on it. */
export function checkStore(dataDir: string): StoreReport {
  const path = pathOfStore(dataDir);
  if (!existsSync(path)) return { findings: [missing(dataDir, path)], files: null };
  try {
    return readStoreFile(dataDir, waitMs, (database) => {
      const findings = [integrity(database, path), version(database)];
      const isReadable = findings.every(({ status }) => status !== 'fail');
      return { findings, files: isReadable ? listedFiles(database) : null };
    });
  } catch (error) {
    return { findings: [unreadable(path, error)], files: null };
  }
}

function missing(dataDir: string, path: string): Finding {
  if (readdirSync(dataDir).every((name) => lockFileNames.includes(name))) {
    return warn(
      'store',
      `${resolve(dataDir)} is empty: no service has used it yet.`,
      'Start the service, or name its folder with --data-dir or LOGMILL_DATA_DIR.',
    );
  }
  return fail(
    'store',
    `${path} is missing: this is not the data folder of a service, or it has lost its store.`,
    'Name another folder with --data-dir. If the store is lost, restore a backup into another folder ("logmill restore") before you start a service here.',
  );
}

function integrity(database: Database.Database, path: string): Finding {
  const rows = database.prepare('pragma integrity_check').all() as readonly Record<string, unknown>[];
  const problems = rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok');
  if (problems.length === 0) return ok('store', 'The store is undamaged.');
  return fail(
    'store',
    `${path} is damaged: ${problems[0]}${problems.length > 1 ? `, and ${problems.length - 1} more` : ''}.`,
    'Stop the service, keep the file, and restore a backup into another folder ("logmill restore").',
  );
}

function version(database: Database.Database): Finding {
  const known = Object.keys(migrations);
  const rows = database.prepare('select name from kysely_migration order by name').all() as readonly { name: string }[];
  const newer = rows.map(({ name }) => name).filter((name) => !known.includes(name));
  if (newer.length > 0) {
    return fail(
      'store version',
      'The store was written by a newer version of Logmill.',
      'Start that version, or use another data folder.',
    );
  }
  const isOlder = rows.length < known.length;
  return ok(
    'store version',
    isOlder ? 'An older version wrote the store; the next start upgrades it.' : 'This version wrote the store.',
  );
}

function listedFiles(database: Database.Database): readonly ListedFile[] {
  const columns = database.prepare("select name from pragma_table_info('event_files')").all() as { name: string }[];
  // An older store has no such column until its next start.
  const damage = columns.some(({ name }) => name === 'damage') ? 'damage' : 'null as damage';
  const last = new Map<number, number>();
  const sources = database.prepare('select number, projects from event_file_sources').all() as {
    number: number;
    projects: string;
  }[];
  for (const { number, projects } of sources) {
    const { lastMicros } = lastSchema.parse(JSON.parse(projects));
    last.set(
      number,
      lastMicros.reduce((a, b) => Math.max(a, b), last.get(number) ?? Number.NEGATIVE_INFINITY),
    );
  }
  const rows = database
    .prepare(`select number, bytes, events, sealed_at, ${damage} from event_files order by number`)
    .all();
  return z
    .array(rowSchema)
    .parse(rows)
    .map((row) => ({
      number: row.number,
      bytes: row.bytes,
      events: row.events,
      sealedMicros: row.sealed_at,
      lastMicros: last.get(row.number) ?? 0,
      damage: row.damage === null ? null : damageSchema.parse(JSON.parse(row.damage)),
    }));
}

function unreadable(path: string, error: unknown): Finding {
  return fail(
    'store',
    `${path} cannot be read: ${reasonOf(error)}.`,
    'Check its permissions. If the file itself is damaged, restore a backup into another folder ("logmill restore").',
  );
}
