import { Command } from 'commander';
import * as z from 'zod';
import type { CliContext } from '../cliContext.ts';
import { askJson, endpointId } from '../managedEndpoints.ts';
import { serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

interface DeleteOptions extends ServiceOptions {
  readonly dryRun?: boolean;
  readonly allowBreaking?: boolean;
}

const deletedSchema = z.looseObject({ name: z.string(), version: z.number() });

/** `logmill endpoints delete NAME`: deletes an endpoint; `restore` can bring it back. */
export function endpointsDeleteCommand(context: CliContext): Command {
  const command = new Command('delete')
    .description('delete an endpoint; "logmill endpoints restore" brings it back')
    .argument('<endpoint>', 'name or ID of the endpoint')
    .option('--dry-run', 'show what would be deleted, without deleting it')
    .option(
      '--allow-breaking',
      'confirm that callers lose the endpoint; without this, the command fails and lists the recent callers',
    );
  return addServiceOptions(command, 'manage').action((endpoint: string, options: DeleteOptions) =>
    remove(endpoint, options, context),
  );
}

async function remove(endpoint: string, options: DeleteOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const id = await endpointId(address, endpoint);
  const query = new URLSearchParams();
  if (options.dryRun === true) query.set('dry_run', 'true');
  if (options.allowBreaking === true) query.set('allow_breaking', 'true');
  const path = `/api/endpoints/${id}${query.size === 0 ? '' : `?${query.toString()}`}`;
  const deleted = await askJson(address, path, deletedSchema, {
    method: 'DELETE',
    ...(options.dryRun === true ? { effect: 'none' } : {}),
  });
  if (options.json === true) {
    context.out(`${JSON.stringify(deleted, undefined, 2)}\n`);
    return;
  }
  const { name, version } = deleted;
  if (options.dryRun === true) {
    context.out(`would be deleted: ${name} (${id}), version ${version}\n`);
    context.err('Dry run: nothing was changed.\n');
    return;
  }
  context.out(`deleted ${name} (${id}), version ${version}\n`);
  context.err(`"logmill endpoints restore ${id}" brings it back.\n`);
}
