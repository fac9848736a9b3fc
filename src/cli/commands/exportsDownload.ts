import { Command, Option } from 'commander';
import { exportFormats } from '../../exports/exportRecord.ts';
import type { FormatName } from '../../formats/resultFormat.ts';
import type { CliContext } from '../cliContext.ts';
import { exportPath, exportStatus } from '../exporting/serviceExport.ts';
import { addFormatFlags, type FormatFlags, formatParameters } from '../formatFlags.ts';
import { addOutOption, type OutOptions } from '../intoOutput.ts';
import { serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';
import { readInto } from './export.ts';

interface DownloadOptions extends ServiceOptions, OutOptions, FormatFlags {
  readonly format?: FormatName;
  readonly restart?: boolean;
}

/** `logmill exports download EXPORT -o FILE`: writes the rows of an export that was started before into a file. */
export function exportsDownloadCommand(context: CliContext): Command {
  const command = new Command('download')
    .description(
      'wait for an export, and write its rows into a file; the same command goes on after an interruption, and the service keeps the export',
    )
    .argument('<export>', 'ID of the export, as "logmill exports list" shows it')
    .addOption(
      new Option('--format <format>', 'format of the file (default: that of the export)').choices(exportFormats),
    );
  addFormatFlags(command);
  addOutOption(command, 'file to write; it must not exist; - is standard output').option(
    '--restart',
    'drop an unfinished download into the same file, and begin again',
  );
  return addServiceOptions(command, 'query').action((id: string, options: DownloadOptions) =>
    download(id, options, context),
  );
}

async function download(id: string, options: DownloadOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const format = options.format ?? (await exportStatus(address, id, context)).format;
  const data = formatParameters(format, options);
  await readInto(
    { address, data, origin: { id } },
    `${exportPath(id)}/data?${data.toString()}`,
    { ...options, format },
    context,
  );
}
