import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { exportsDeleteCommand } from './exportsDelete.ts';
import { exportsDownloadCommand } from './exportsDownload.ts';
import { exportsListCommand } from './exportsList.ts';

/** `logmill exports …`: lists, downloads and deletes the exports of a token. */
export function exportsCommand(context: CliContext): Command {
  return new Command('exports')
    .description('list, download and delete the exports that a token has started')
    .addCommand(exportsListCommand(context))
    .addCommand(exportsDownloadCommand(context))
    .addCommand(exportsDeleteCommand(context));
}
