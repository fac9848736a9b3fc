import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { systemReason } from '../core/systemReason.ts';
import { syncPath, writeSynced } from '../files/durableFiles.ts';
import { FileRefusal } from '../files/fileRefusal.ts';
import { readRegularFile } from '../files/readFolderFile.ts';
import { backupContentsSchema, backupFileSchema } from './backupContents.ts';
import { BackupError, codeOf } from './backupError.ts';

export const manifestName = 'manifest.json';

/** A manifest has a few hundred bytes for each file of the backup. */
const manifestBytesMax = 256 * 2 ** 20;

const storedFileSchema = backupFileSchema
  .and(
    z.object({
      /** Path of the file below the folder of the backup. */
      path: z.string(),
      /** Checksum of the file, in hex digits. */
      sha256: z.string().regex(/^[0-9a-f]{64}$/, 'is no SHA-256'),
    }),
  )
  .refine((file) => isPathOf(file), 'has a path that no file of its name has');

/** A sealed segment has a unique name in `sealed`; the other files are together in the folder of their snapshot. */
const sealedPath = /^sealed\/(sealed-\d+)-\d+-[0-9a-f]{8}(\.duckdb)$/;
const snapshotPath = /^(snapshot-[0-9A-Za-z]+-[0-9a-f]{8})\/([\w.-]+)$/;

function isPathOf({
  name,
  kind,
  path,
}: {
  readonly name: string;
  readonly kind: string;
  readonly path: string;
}): boolean {
  if (kind !== 'sealed') return snapshotPath.exec(path)?.[2] === name;
  const [, stem, ending] = sealedPath.exec(path) ?? [];
  return stem !== undefined && `${stem}${ending}` === name;
}

type Files = readonly Readonly<z.infer<typeof storedFileSchema>>[];

const isInOneSnapshot = (files: Files): boolean =>
  new Set(files.flatMap(({ path }) => snapshotPath.exec(path)?.[1] ?? [])).size === 1;

/** A log alone would become the log of whatever file the service makes next under that name. */
const hasFileOfEachLog = (files: Files): boolean => {
  const names = new Set(files.map(({ name }) => name));
  return files.every(({ kind, name }) => kind !== 'log' || names.has(name.replace(/\.wal$/, '')));
};

const manifestSchema = backupContentsSchema.omit({ files: true }).extend({
  product: z.literal('logmill'),
  /** Format of this file and of the folder. */
  format: z.literal(1),
  files: z
    .array(storedFileSchema)
    .refine((files) => files.filter(({ kind }) => kind === 'store').length === 1, 'have one store')
    .refine((files) => new Set(files.map(({ name }) => name)).size === files.length, 'have each name once')
    .refine(isInOneSnapshot, 'have one snapshot')
    .refine(hasFileOfEachLog, 'have a log without its segment'),
});

/** The list of files of a backup, with their checksums. */
export type BackupManifest = Readonly<z.infer<typeof manifestSchema>>;
export type StoredFile = BackupManifest['files'][number];

/** Reads the manifest of a folder; null if there is none. Throws a BackupError if it cannot be read or is invalid. */
export async function readManifest(folder: string): Promise<BackupManifest | null> {
  return manifestIn(folder);
}

/** When the backup in a folder was made; null if it has no complete one. For messages, so it never fails. */
export function backedUpAt(folder: string): string | null {
  try {
    return manifestIn(folder)?.created_at ?? null;
  } catch {
    return null;
  }
}

/** What a folder contains after a backup to it has ended early. */
export function leftIn(folder: string): string {
  const at = backedUpAt(folder);
  return at === null ? 'no backup' : `only the backup of ${at}`;
}

function manifestIn(folder: string): BackupManifest | null {
  const path = join(folder, manifestName);
  let text: string;
  try {
    text = readRegularFile(path, manifestBytesMax).toString('utf8');
  } catch (cause) {
    if (cause instanceof FileRefusal) throw new BackupError(`${path} ${cause.message}.`, { cause });
    if (codeOf(cause) === 'ENOENT' || codeOf(cause) === 'ENOTDIR') return null;
    throw new BackupError(`${path} cannot be read: ${systemReason(cause)}.`, { cause });
  }
  const parsed = manifestSchema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  throw new BackupError(`${path} cannot be understood: it is damaged, or a newer version of Logmill wrote it.`, {
    cause: parsed.error,
  });
}

/** Replaces the manifest atomically: readers see the earlier backup or the new one. */
export async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  const path = join(folder, manifestName);
  await writeSynced(`${path}.part`, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(`${path}.part`, path);
  await syncPath(folder);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema rejects undefined.
    return undefined;
  }
}
