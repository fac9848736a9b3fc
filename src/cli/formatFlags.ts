import type { Command } from 'commander';
import type { FormatName } from '../formats/resultFormat.ts';
import { formatOptions } from '../invoke/formatOptions.ts';
import { CliError } from './cliError.ts';

/** Values of the flags that `addFormatFlags` declares. */
export interface FormatFlags {
  readonly csvGuard?: boolean;
  readonly bom?: boolean;
}

/** Declares the flags for the options that formats have over HTTP. */
export function addFormatFlags(command: Command): Command {
  return command
    .option('--csv-guard', "for csv and tsv: write ' before texts that a spreadsheet could run as a formula")
    .option('--bom', 'for csv and tsv: begin with a byte order mark, which some spreadsheets need to read UTF-8');
}

/** The flags, and the parameters that they are over HTTP. */
const flags = [
  ['--csv-guard', 'csvGuard', 'csv_guard'],
  ['--bom', 'bom', 'bom'],
] as const;

/** The parameters of a request for the format. Throws a CliError if the format has no such option. */
export function formatParameters(format: FormatName | undefined, given: FormatFlags): URLSearchParams {
  const parameters = new URLSearchParams(format === undefined ? {} : { format });
  for (const [flag, member, parameter] of flags) {
    if (given[member] !== true) continue;
    const allowed = formatOptions[parameter];
    if (format === undefined || !allowed.includes(format)) {
      throw new CliError(`${flag} is for --format ${allowed.join(' or ')}.`, { exitCode: 2 });
    }
    parameters.append(parameter, 'true');
  }
  return parameters;
}
