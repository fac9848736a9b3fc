import { Option } from 'commander';
import { CliError } from './cliError.ts';

/** `-p name=value`, which may be repeated. */
export function parameterOption(): Option {
  return new Option('-p, --param <name=value>', 'parameter of the endpoint; may be repeated')
    .argParser((value: string, before: readonly string[]) => [...before, value])
    .default([], 'none');
}

/** The names and values. Throws a CliError if one has no name. */
export function parametersOf(given: readonly string[]): [string, string][] {
  return given.map((text) => {
    const at = text.indexOf('=');
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
    throw new CliError(`--param is "${text}"; write name=value.`, { exitCode: 2 });
  });
}
