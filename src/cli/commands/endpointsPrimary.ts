import { Command } from 'commander';
import * as z from 'zod';
import type { CliContext } from '../cliContext.ts';
import { askJson, sharingEndpointId } from '../managedEndpoints.ts';
import { serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

const changedSchema = z.looseObject({
  endpoint: z.looseObject({ id: z.string(), name: z.string(), primary: z.boolean() }),
});

/** `logmill endpoints primary ENDPOINT`: chooses which of several endpoints with one name answers calls by name. */
export function endpointsPrimaryCommand(context: CliContext): Command {
  const command = new Command('primary')
    .description('make an endpoint answer calls by name, if several endpoints share its name')
    .argument('<endpoint>', 'ID of the endpoint, or its name if only one other endpoint shares it');
  return addServiceOptions(command, 'manage').action((idOrName: string, options: ServiceOptions) =>
    makePrimary(idOrName, options, context),
  );
}

async function makePrimary(idOrName: string, options: ServiceOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const id = await sharingEndpointId(address, idOrName);
  const changed = await askJson(address, `/api/endpoints/${id}/primary`, changedSchema, { effect: 'repeatable' });
  if (options.json === true) context.out(`${JSON.stringify(changed, undefined, 2)}\n`);
  else context.out(`Calls of ${changed.endpoint.name} now go to ${changed.endpoint.id}.\n`);
}
