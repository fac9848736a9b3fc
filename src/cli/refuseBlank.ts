import { type Command, Option } from 'commander';
import { isBlank } from '../core/isBlank.ts';
import { CliError } from './cliError.ts';

/** An option that says the same when it is blank as when it is left out (contract, section 1, "sql / lql"). */
export class OptionOrBlank extends Option {}

/**
 * Refuses a command whose arguments or options are blank: a name that is empty takes something else, and a bound that
 * is empty is no bound. Throws a CliError that names the first.
 */
export function refuseBlank(command: Command): void {
  for (const [index, argument] of command.registeredArguments.entries()) {
    const given: unknown = command.processedArgs[index];
    if (holdsBlank(given)) throw refusal(argument.required ? `<${argument.name()}>` : `[${argument.name()}]`);
  }
  for (const option of command.options) {
    if (option instanceof OptionOrBlank || command.getOptionValueSource(option.attributeName()) !== 'cli') continue;
    if (holdsBlank(command.getOptionValue(option.attributeName()))) throw refusal(option.long ?? option.flags);
  }
}

function holdsBlank(given: unknown): boolean {
  return Array.isArray(given) ? given.some(holdsBlank) : typeof given === 'string' && isBlank(given);
}

function refusal(name: string): CliError {
  return new CliError(`${name} is empty. Give it a value, or leave it out.`, { exitCode: 2 });
}
