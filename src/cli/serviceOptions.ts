import type { Command } from 'commander';
import { urlOptionText } from './serviceClient.ts';

/** Values of the flags that `addServiceOptions` declares. */
export interface ServiceOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** Declares the flags of a command that calls a running service. `scopes`: those that its token needs. */
export function addServiceOptions(command: Command, ...scopes: readonly string[]): Command {
  return command
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option(
      '--token <token>',
      `token with the ${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.join(' and ')} (default: LOGMILL_TOKEN)`,
    );
}
