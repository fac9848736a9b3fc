import type { Command } from 'commander';
import { parameterOption, parametersOf } from './parameterOption.ts';
import { OptionOrBlank } from './refuseBlank.ts';

/** Options of a command that calls an endpoint. */
export interface CallOptions {
  readonly param: readonly string[];
  readonly sql?: string;
  readonly lql?: string;
}

/** Adds the endpoint and the options of a call to a command. */
export function addCallOptions(command: Command, lqlExample = 'f:edge_logs timeout t:last@1h'): Command {
  return command
    .argument('<endpoint>', 'name or ID of the endpoint, such as logs.all')
    .addOption(parameterOption())
    .addOption(new OptionOrBlank('--sql <query>', 'your own SQL query over the tables of the endpoint'))
    .addOption(new OptionOrBlank('--lql <query>', `your own query in LQL, such as "${lqlExample}"`));
}

/** The parameters of the call. Throws a CliError if one has no name. */
export function callParameters({ param, sql, lql }: CallOptions): URLSearchParams {
  const parameters = new URLSearchParams(parametersOf(param));
  if (sql !== undefined) parameters.append('sql', sql);
  if (lql !== undefined) parameters.append('lql', lql);
  return parameters;
}
