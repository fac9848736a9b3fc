import { type Command, Option } from 'commander';
import { isBlank } from '../core/isBlank.ts';
import { CliError } from './cliError.ts';

/** An option for which blank means the same as absent (contract, section 1, "sql / lql"). */
export class OptionOrBlank extends Option {}

/**
 * Throws a CliError that names the first blank argument or option. A blank name would select something else, and a
 * blank limit would not limit anything.
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
  return new CliError(`${name} is empty. Give it a value or omit it.`, { exitCode: 2 });
}
