import { Command } from 'commander';
import * as z from 'zod';
import type { CliContext } from '../cliContext.ts';
import { askPages, deletedEndpointId, endpointId } from '../managedEndpoints.ts';
import { plainTable } from '../plainTable.ts';
import { serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

const versionSchema = z.looseObject({
  version: z.number(),
  created_at: z.string(),
  author: z.string().nullable(),
  note: z.string(),
});

interface VersionsOptions extends ServiceOptions {
  readonly deleted?: boolean;
}

/** `logmill endpoints versions NAME`: lists the versions of an endpoint, newest first. */
export function endpointsVersionsCommand(context: CliContext): Command {
  const command = new Command('versions')
    .description('list the versions of an endpoint, newest first: time, author and note')
    .argument('<endpoint>', 'name or ID of the endpoint')
    .option('--deleted', 'list the versions of a deleted endpoint');
  return addServiceOptions(command, 'manage').action((endpoint: string, options: VersionsOptions) =>
    versions(endpoint, options, context),
  );
}

async function versions(endpoint: string, options: VersionsOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const isDeleted = options.deleted === true;
  const id = await (isDeleted ? deletedEndpointId : endpointId)(address, endpoint);
  const path = `/api/endpoints/${id}/versions${isDeleted ? '?deleted=true' : ''}`;
  const found = await askPages(address, path, versionSchema);
  if (options.json === true) {
    context.out(`${JSON.stringify(found, undefined, 2)}\n`);
    return;
  }
  const rows = found.map(({ version, created_at, author, note }) => [String(version), created_at, author ?? '', note]);
  context.out(plainTable(['version', 'created', 'author', 'note'], rows));
}
