import type { Readable } from 'node:stream';
import { z } from 'zod';

/**
 * What a backup is made of. `sealed`: a file of events that never changes; `active`: one that receives events, with
 * its `log`, the write-ahead log of which the first `bytes` belong to the backup; `store`: definitions, tokens,
 * audit trail, the list of sealed files.
 */
export type BackupFileKind = 'sealed' | 'active' | 'log' | 'store';

/** The names that files of a data folder have in a backup. Nothing else is ever read from or written by one. */
const names: Readonly<Record<BackupFileKind, RegExp>> = {
  sealed: /^sealed-\d{1,15}\.duckdb$/,
  active: /^active-\d{1,15}\.duckdb$/,
  log: /^active-\d{1,15}\.duckdb\.wal$/,
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

/** A state of a data folder: everything that was acknowledged before it was taken, and no part of any batch. */
export const backupContentsSchema = z.strictObject({
  /** RFC 3339, UTC. */
  created_at: z.iso.datetime(),
  /** Version of the product that made it. */
  version: z.string(),
  events: z.int().min(0),
  files: z.array(backupFileSchema),
});

export type BackupContents = Readonly<z.infer<typeof backupContentsSchema>>;

/** A state of a data folder that is kept until it is closed, also while the folder changes. */
export interface BackupReader {
  readonly contents: BackupContents;
  /** Exactly the file's `bytes`. Rejects where it cannot be read. */
  open(file: BackupFile): Promise<Readable>;
  /** Lets go of what was kept. */
  close(): Promise<void>;
}

/** The kind of an event file by its name; null for any other. */
export function eventFileKind(name: string): Exclude<BackupFileKind, 'store'> | null {
  return (['sealed', 'active', 'log'] as const).find((kind) => names[kind].test(name)) ?? null;
}
