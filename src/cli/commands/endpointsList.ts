import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { listEndpoints } from '../managedEndpoints.ts';
import { plainTable } from '../plainTable.ts';
import { serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

interface ListOptions extends ServiceOptions {
  readonly name?: string;
  readonly deleted?: boolean;
}

/** `logmill endpoints list`: lists the endpoints. */
export function endpointsListCommand(context: CliContext): Command {
  const command = new Command('list')
    .description('list the endpoints: name, id, version, time and author of the last change')
    .option('--name <name>', 'only endpoints of this name')
    .option('--deleted', 'list deleted endpoints; "logmill endpoints restore" brings one back');
  return addServiceOptions(command, 'manage').action((options: ListOptions) => list(options, context));
}

async function list(options: ListOptions, context: CliContext): Promise<void> {
  const endpoints = await listEndpoints(
    serviceAddress(options, context.environment),
    options.name,
    options.deleted === true,
  );
  if (options.json === true) {
    context.out(`${JSON.stringify(endpoints, undefined, 2)}\n`);
    return;
  }
  const rows = endpoints.map(({ name, id, version, primary, updated_at, author, deleted_at: deletedAt }) => [
    name,
    id,
    String(version),
    deletedAt ?? (primary ? 'yes' : 'no'),
    updated_at,
    author ?? '',
  ]);
  context.out(
    plainTable(
      ['name', 'id', 'version', ...(options.deleted === true ? ['deleted'] : ['primary']), 'changed', 'author'],
      rows,
    ),
  );
}
