import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { FileRefusal } from '../files/fileRefusal.ts';
import { readRegularFile } from '../files/readFolderFile.ts';
import { backupContentsSchema, backupFileSchema } from './backupContents.ts';
import { BackupError, reasonOf } from './backupError.ts';
import { syncFolder, writeSynced } from './durableFiles.ts';

export const manifestName = 'manifest.json';

/** Some hundred bytes for each file of a backup. */
const manifestBytesMax = 256 * 2 ** 20;

const storedFileSchema = backupFileSchema.and(
  z.object({
    /** Where the file lies in the folder of the backup: never outside it. */
    path: z.string().regex(/^(?:sealed|snapshot-[\w-]+)\/[\w-]+(?:\.[\w-]+)*$/, 'is no path of a file in a backup'),
    /** Of its bytes, as hex digits. */
    sha256: z.string().regex(/^[0-9a-f]{64}$/, 'is no SHA-256'),
  }),
);

const manifestSchema = backupContentsSchema.omit({ files: true }).extend({
  product: z.literal('logmill'),
  /** Of this file and the folder around it. */
  format: z.literal(1),
  files: z
    .array(storedFileSchema)
    .refine((files) => files.filter(({ kind }) => kind === 'store').length === 1, 'have one store')
    .refine((files) => new Set(files.map(({ name }) => name)).size === files.length, 'have each name once'),
});

/** What a folder holds as a backup, and by what each file of it is known to be whole. */
export type BackupManifest = Readonly<z.infer<typeof manifestSchema>>;
export type StoredFile = BackupManifest['files'][number];

/** The manifest of a folder; null where there is none. @throws BackupError where it cannot be read or is none of ours. */
export async function readManifest(folder: string): Promise<BackupManifest | null> {
  const path = join(folder, manifestName);
  let text: string;
  try {
    text = readRegularFile(path, manifestBytesMax).toString('utf8');
  } catch (cause) {
    if (cause instanceof FileRefusal) throw new BackupError(`${path} ${cause.message}.`, { cause });
    if (reasonOf(cause) === 'ENOENT' || reasonOf(cause) === 'ENOTDIR') return null;
    throw new BackupError(`${path} cannot be read (${reasonOf(cause)}).`, { cause });
  }
  const parsed = manifestSchema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  throw new BackupError(
    `${path} is no manifest that this version understands: it is damaged, or a newer version of Logmill wrote it.`,
    { cause: parsed.error },
  );
}

/** Puts the manifest in place in one step: whoever reads the folder sees the state before or the one after. */
export async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  const path = join(folder, manifestName);
  await writeSynced(`${path}.part`, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(`${path}.part`, path);
  await syncFolder(folder);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema says that this is no manifest.
    return undefined;
  }
}
