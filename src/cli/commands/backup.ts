import { Command } from 'commander';
import type { BackupReader } from '../../backup/backupContents.ts';
import { BackupError } from '../../backup/backupError.ts';
import { type WrittenBackup, writeBackup } from '../../backup/writeBackup.ts';
import { backupProgress, counted, sizeText } from '../backupProgress.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { takeServiceBackup } from '../serviceBackup.ts';
import { serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

interface BackupOptions extends ServiceOptions {
  readonly dataDir?: string;
}

/** `logmill backup FOLDER`: copies everything that a service keeps, while it runs or from its folder. */
export function backupCommand(context: CliContext): Command {
  const command = new Command('backup')
    .description(
      'copy everything that a running service keeps into a folder, or, with --data-dir, that of a stopped one',
    )
    .argument('<folder>', 'where to; empty, or with an earlier backup, of which what has not changed is kept')
    .option('--data-dir <folder>', 'data folder of a service that is not running');
  return addServiceOptions(command, 'manage and query').action(
    async (folder: string, options: BackupOptions) => await backup(folder, options, context),
  );
}

async function backup(folder: string, options: BackupOptions, context: CliContext): Promise<void> {
  const reader = await takeState(options, context);
  let written: WrittenBackup;
  try {
    const progress = backupProgress('copying', context);
    written = await writeBackup({ reader, folder, randomness: context.randomness, progress });
  } catch (error) {
    throw error instanceof BackupError ? new CliError(error.message, { cause: error }) : error;
  } finally {
    // What the service keeps for it is given up by itself where this does not arrive.
    await reader.close().catch((error: unknown) => context.err(`The backup could not be ended: ${String(error)}\n`));
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
  const kept =
    reusedFiles === 0 ? '' : `, of which ${counted(reusedFiles, 'file')} (${sizeText(reusedBytes)}) were there already`;
  context.out(
    `${folder} holds a backup of ${counted(manifest.events, 'event')} in ${counted(manifest.files.length, 'file')} (${sizeText(bytes)})${kept}.\n`,
  );
}

async function takeState(options: BackupOptions, context: CliContext): Promise<BackupReader> {
  if (options.dataDir === undefined) return await takeServiceBackup(serviceAddress(options, context.environment));
  if (options.url !== undefined) {
    throw new CliError('--data-dir is for a service that is not running, --url for one that is; give one of them.', {
      exitCode: 2,
    });
  }
  // Loaded only here: with a running service nothing is opened.
  const { takeStoppedBackup } = await import('../../start/stoppedBackup.ts');
  try {
    return await takeStoppedBackup(options.dataDir, context.clock, context.randomness);
  } catch (error) {
    throw error instanceof BackupError ? new CliError(error.message, { cause: error }) : error;
  }
}
