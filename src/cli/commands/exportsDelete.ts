import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { exportPath } from '../exporting/serviceExport.ts';
import { answerOf, serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

/** `logmill exports delete EXPORT…`: stops exports and removes their rows. */
export function exportsDeleteCommand(context: CliContext): Command {
  const command = new Command('delete')
    .description('stop exports that run, and remove their rows from the service')
    .argument('<export...>', 'IDs of exports, as "logmill exports list" shows them');
  return addServiceOptions(command, 'query').action((ids: readonly string[], options: ServiceOptions) =>
    remove(ids, options, context),
  );
}

async function remove(ids: readonly string[], options: ServiceOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  for (const id of ids) {
    await answerOf(address, exportPath(id), { method: 'DELETE' });
    if (options.json !== true) context.out(`Deleted the export ${id}.\n`);
  }
  if (options.json === true) context.out(`${JSON.stringify({ deleted: ids }, undefined, 2)}\n`);
}
