import type { Readable } from 'node:stream';
import * as z from 'zod';

/**
 * Kinds of files in a backup. `sealed`: a segment that never changes; `active`: the segment that receives events; `log`:
 * its write-ahead log, whose first `bytes` belong to the backup; `store`: definitions, tokens, audit trail, manifest.
 */
export type BackupFileKind = 'sealed' | 'active' | 'log' | 'store';

/** The only names of data folder files that a backup contains. */
const names: Readonly<Record<BackupFileKind, RegExp>> = {
  sealed: /^sealed-[1-9]\d{0,14}\.duckdb$/,
  active: /^active-[1-9]\d{0,14}\.duckdb$/,
  log: /^active-[1-9]\d{0,14}\.duckdb\.wal$/,
  store: /^store\.sqlite$/,
};

export const backupFileSchema = z
  .strictObject({
    name: z.string(),
    kind: z.enum(['sealed', 'active', 'log', 'store']),
    /** At least 1. */
    bytes: z.int().min(1),
    /** Last change of the file, milliseconds since 1970. */
    modified_ms: z.int().min(0),
  })
  .refine(({ name, kind }) => names[kind].test(name), 'has a name that no file of its kind has');

export type BackupFile = Readonly<z.infer<typeof backupFileSchema>>;

/** A state of a data folder: everything that was acknowledged before it was taken; of each batch, all or nothing. */
export const backupContentsSchema = z.strictObject({
  /** RFC 3339, UTC. */
  created_at: z.iso.datetime(),
  /** Version of Logmill that made it. */
  version: z.string(),
  events: z.int().min(0),
  files: z.array(backupFileSchema),
});

export type BackupContents = Readonly<z.infer<typeof backupContentsSchema>>;

/** Reads a state of a data folder. The state remains until it is closed, also while the folder changes. */
export interface BackupReader {
  readonly contents: BackupContents;
  /** Opens the first `bytes` of a file. Rejects if it cannot be read. */
  open(file: BackupFile): Promise<Readable>;
  /** Releases the state. */
  close(): Promise<void>;
}

/** The kind of a segment file by its name; null for other files. */
export function eventFileKind(name: string): Exclude<BackupFileKind, 'store'> | null {
  return (['sealed', 'active', 'log'] as const).find((kind) => names[kind].test(name)) ?? null;
}
