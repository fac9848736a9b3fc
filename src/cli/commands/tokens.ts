import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { tokensCreateCommand } from './tokensCreate.ts';
import { tokensExplainCommand } from './tokensExplain.ts';
import { tokensListCommand } from './tokensList.ts';
import { tokensRevokeCommand } from './tokensRevoke.ts';
import { tokensRotateCommand } from './tokensRotate.ts';

/** `logmill tokens …`: opens the store in the data folder, also while a service runs. */
export function tokensCommand(context: CliContext): Command {
  return new Command('tokens')
    .description('create, list, revoke, rotate and explain access tokens in the data folder')
    .addCommand(tokensCreateCommand(context))
    .addCommand(tokensListCommand(context))
    .addCommand(tokensRevokeCommand(context))
    .addCommand(tokensRotateCommand(context))
    .addCommand(tokensExplainCommand(context));
}
