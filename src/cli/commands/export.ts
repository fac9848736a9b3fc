import { Command, Option } from 'commander';
import { exportFormats } from '../../exports/exportRecord.ts';
import { type ResultFormat, resultFormat } from '../../formats/resultFormat.ts';
import { addCallOptions, type CallOptions, callParameters } from '../callOptions.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { ExportFile } from '../exporting/exportFile.ts';
import { beginExport, removeExport } from '../exporting/serviceExport.ts';
import {
  type ReadExport,
  readExportInto,
  readExportOut,
  tellRead,
  type WantedExport,
} from '../exporting/takeExport.ts';
import { addFormatFlags, type FormatFlags, formatParameters } from '../formatFlags.ts';
import { addOutOption, type OutOptions, outOf, refuseBinary } from '../intoOutput.ts';
import { serviceAddress, urlOptionText } from '../serviceClient.ts';

interface ExportOptions extends CallOptions, OutOptions, FormatFlags {
  readonly format: ResultFormat['name'];
  readonly restart?: boolean;
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** `logmill export NAME -o FILE`: writes all rows of a query into a file. */
export function exportCommand(context: CliContext): Command {
  const command = new Command('export').description(
    'write all rows of a query into a file, far more than one answer has; the same command goes on after an interruption',
  );
  addCallOptions(command).addOption(
    new Option('--format <format>', 'format of the file').choices(exportFormats).default('ndjson'),
  );
  addFormatFlags(command);
  addOutOption(command, 'file to write; it must not exist; - is standard output');
  return command
    .option('--restart', 'drop an unfinished export into the same file, and begin a new one')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope query (default: LOGMILL_TOKEN)')
    .option('--json', 'print JSON')
    .action((endpoint: string, options: ExportOptions) => exportRows(endpoint, options, context));
}

async function exportRows(endpoint: string, options: ExportOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const data = formatParameters(options.format, options);
  const parameters = new URLSearchParams([...callParameters(options), ...data]);
  const path = `/api/endpoints/query/${encodeURIComponent(endpoint)}`;
  const begin = () => beginExport(address, path, parameters, options.sql ?? options.lql);
  const read = await readInto({ address, data, origin: { begin } }, `${path}?${sorted(parameters)}`, options, context);
  // The rows are there. Otherwise it would take a place for an hour.
  if (!(await removeExport(address, read.id)))
    context.err(`The service could not remove the export ${read.id}, and does so itself one hour after its end.\n`);
}

/** The order of parameters with different names does not matter. */
function sorted(parameters: URLSearchParams): string {
  const copy = new URLSearchParams(parameters);
  copy.sort();
  return copy.toString();
}

interface ReadOptions extends OutOptions {
  readonly format: ResultFormat['name'];
  readonly restart?: boolean;
  readonly json?: boolean;
}

/**
 * Reads an export into the file that the options name, and says what it has.
 *
 * @param call what the file is the result of
 */
export async function readInto(
  wanted: WantedExport,
  call: string,
  options: ReadOptions,
  context: CliContext,
): Promise<ReadExport> {
  const file = outOf(options);
  if (file === undefined) {
    throw new CliError('The file to write is missing: give --out FILE, or --out - for standard output.', {
      exitCode: 2,
    });
  }
  const isJson = options.json === true;
  if (file === '-') {
    if (isJson) throw new CliError('--json describes a file, so it does not take --out -.', { exitCode: 2 });
    if (resultFormat(options.format).isBinary) refuseBinary(options.format, context);
    const read = await readExportOut(wanted, context);
    tellRead(read, undefined, context);
    return read;
  }
  const taken = ExportFile.take(file, { service: wanted.address.url, call }, options.restart === true);
  const tell = (sentence: string) => {
    if (!isJson) context.err(`${sentence}\n`);
  };
  const read = await readExportInto(taken, wanted, context, tell);
  const { rows, truncatedBy, notices } = read;
  if (isJson) context.out(`${JSON.stringify({ file, rows, truncated_by: truncatedBy, notices }, undefined, 2)}\n`);
  else tellRead(read, file, context);
  return read;
}
