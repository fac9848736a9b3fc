import { Command } from 'commander';
import { BackupError } from '../../backup/backupError.ts';
import { abandonRestore, checkBackup, restoreBackup } from '../../backup/restoreBackup.ts';
import { counted } from '../../core/counted.ts';
import { readSettings } from '../../start/readSettings.ts';
import { backupProgress, sizeText } from '../backupProgress.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { addSettingOptions, type SettingFlags, settingFlags } from '../settingOptions.ts';

interface RestoreFlags extends SettingFlags {
  readonly check?: boolean;
  readonly json?: boolean;
}

/** `logmill restore FOLDER`: restores a backup to a new data folder. */
export function restoreCommand(context: CliContext): Command {
  const command = new Command('restore')
    .description('restore a backup to a new data folder, and verify the checksum of every file')
    .argument('<folder>', 'folder that "logmill backup" wrote')
    .option('--check', 'only verify the checksums of the backup')
    .option('--json', 'print JSON');
  return addSettingOptions(command, ['dataDir']).action(
    async (folder: string, options: RestoreFlags) => await restore(folder, options, context),
  );
}

async function restore(folder: string, options: RestoreFlags, context: CliContext): Promise<void> {
  const { settings } = readSettings({
    environment: context.environment,
    flags: settingFlags(options),
    configFile: options.config,
  });
  const { dataDir } = settings;
  const isCheck = options.check === true;
  let unfinished: string | undefined;
  const done = context.onInterrupt(() => {
    if (isCheck) return '\nInterrupted.\n';
    const isRestored = unfinished !== undefined && abandonRestore(unfinished, dataDir);
    return isRestored
      ? `\nInterrupted after the restore was complete. ${dataDir} holds the whole backup.\n`
      : `\nInterrupted. Nothing was restored to ${dataDir}.\n`;
  });
  try {
    const { files, ...manifest } = isCheck
      ? await checkBackup(folder, backupProgress('checking', context))
      : await restoreBackup({
          folder,
          dataDir,
          randomness: context.randomness,
          begun: (path) => {
            unfinished = path;
          },
          progress: backupProgress('copying', context),
        });
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (options.json === true) {
      const result = { folder, ...(isCheck ? {} : { data_dir: dataDir }), ...manifest, files: files.length, bytes };
      context.out(`${JSON.stringify(result)}\n`);
      return;
    }
    const what = `${counted(manifest.events, 'event')} in ${counted(files.length, 'file')} (${sizeText(bytes)}), backed up ${manifest.created_at}`;
    context.out(
      isCheck
        ? `${folder} is intact: ${what}.\n`
        : `Restored to ${dataDir}: ${what}.\nThe tokens of the backup are valid. To create another, run "logmill tokens create --data-dir ${dataDir}".\n`,
    );
  } catch (error) {
    throw error instanceof BackupError ? new CliError(error.message, { cause: error }) : error;
  } finally {
    done();
  }
}
