import { Command } from 'commander';
import type { BackupReader } from '../../backup/backupContents.ts';
import { BackupError } from '../../backup/backupError.ts';
import type { WrittenBackup } from '../../backup/writeBackup.ts';
import { counted } from '../../core/counted.ts';
import { backupProgress, sizeText } from '../backupProgress.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { takeServiceBackup } from '../serviceBackup.ts';
import { reasonOf, serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

interface BackupOptions extends ServiceOptions {
  readonly dataDir?: string;
}

/** `logmill backup FOLDER`: backs up a running service, or the data folder of a stopped one. */
export function backupCommand(context: CliContext): Command {
  const command = new Command('backup')
    .description('back up a running service, or, with --data-dir, the data folder of a stopped one')
    .argument('<folder>', 'target folder: empty, or an earlier backup, whose unchanged files are reused')
    .option('--data-dir <folder>', 'data folder of a stopped service');
  return addServiceOptions(command, 'manage', 'query').action(
    async (folder: string, options: BackupOptions) => await backup(folder, options, context),
  );
}

async function backup(folder: string, options: BackupOptions, context: CliContext): Promise<void> {
  // Loaded here, because it loads the library of the store, which other commands do not need.
  const { writeBackup } = await import('../../backup/writeBackup.ts');
  const { backedUpAt, leftIn } = await import('../../backup/backupManifest.ts');
  let reader: BackupReader | undefined;
  let written: WrittenBackup;
  const done = context.onInterrupt(() => {
    const isComplete = reader !== undefined && backedUpAt(folder) === reader.contents.created_at;
    return isComplete
      ? `\nInterrupted after the backup was complete. ${folder} contains the backup of ${reader?.contents.created_at}.\n`
      : `\nInterrupted. ${folder} contains ${leftIn(folder)}. The next backup to this folder removes what this one wrote.\n`;
  });
  try {
    written = await writeBackup({
      take: async () => {
        reader = await takeState(options, context);
        return reader;
      },
      folder,
      randomness: context.randomness,
      progress: backupProgress('copying', context),
      checking: backupProgress('checking', context),
    });
  } catch (error) {
    throw error instanceof BackupError ? new CliError(error.message, { cause: error }) : error;
  } finally {
    done();
    // The copy does not depend on this call: the service releases an unused backup by itself.
    await reader
      ?.close()
      .catch((error: unknown) => context.err(`The service could not release the backup: ${reasonOf(error)}\n`));
  }
  const { manifest, reusedFiles, reusedBytes } = written;
  if (options.json === true) {
    const { files, ...others } = manifest;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const result = {
      folder,
      ...others,
      files: files.length,
      bytes,
      reused_files: reusedFiles,
      reused_bytes: reusedBytes,
    };
    context.out(`${JSON.stringify(result)}\n`);
    return;
  }
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  const kept = reusedFiles === 0 ? '' : `; reused ${counted(reusedFiles, 'unchanged file')} (${sizeText(reusedBytes)})`;
  context.out(
    `Backed up ${counted(manifest.events, 'event')} in ${counted(manifest.files.length, 'file')} (${sizeText(bytes)}) to ${folder}${kept}.\n`,
  );
}

async function takeState(options: BackupOptions, context: CliContext): Promise<BackupReader> {
  if (options.dataDir === undefined) return await takeServiceBackup(serviceAddress(options, context.environment));
  if (options.url !== undefined) {
    throw new CliError('--data-dir is for a stopped service, --url for a running one. Give only one of them.', {
      exitCode: 2,
    });
  }
  // Loaded here because a backup of a running service does not need it.
  const { takeStoppedBackup } = await import('../../start/stoppedBackup.ts');
  try {
    return await takeStoppedBackup(options.dataDir, context.clock, context.randomness);
  } catch (error) {
    throw error instanceof BackupError ? new CliError(error.message, { cause: error }) : error;
  }
}
