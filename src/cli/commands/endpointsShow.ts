import { Command } from 'commander';
import { definitionYaml } from '../../endpoints/definitionYaml.ts';
import type { CliContext } from '../cliContext.ts';
import { deletedEndpointId, endpointId, readEndpoint } from '../managedEndpoints.ts';
import { serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

interface ShowOptions extends ServiceOptions {
  readonly at?: string;
  readonly deleted?: boolean;
}

/** `logmill endpoints show NAME`: prints a definition in the form of a definition file, and its query. */
export function endpointsShowCommand(context: CliContext): Command {
  const command = new Command('show')
    .description('print the definition of an endpoint in the form of a definition file, and its query')
    .argument('<endpoint>', 'name or ID of the endpoint')
    .option('--at <version>', 'number of an old version (default: the current one)')
    .option('--deleted', 'show a deleted endpoint');
  return addServiceOptions(command, 'manage').action((endpoint: string, options: ShowOptions) =>
    show(endpoint, options, context),
  );
}

async function show(endpoint: string, options: ShowOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const isDeleted = options.deleted === true;
  const id = await (isDeleted ? deletedEndpointId : endpointId)(address, endpoint);
  const fields = await readEndpoint(address, id, options.at, isDeleted);
  if (options.json === true) {
    context.out(`${JSON.stringify(fields, undefined, 2)}\n`);
    return;
  }
  context.out(`${definitionYaml(fields)}\n${String(fields.query).trimEnd()}\n`);
  context.err(
    `version ${String(fields.version)}, created ${String(fields.updated_at)}${isDeleted ? ', of a deleted endpoint' : ''}\n`,
  );
}
