import { Command } from 'commander';
import { z } from 'zod';
import type { CliContext } from '../cliContext.ts';
import { askJson } from '../managedEndpoints.ts';
import { serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

const changedSchema = z.looseObject({
  endpoint: z.looseObject({ id: z.string(), name: z.string(), primary: z.boolean() }),
});

/** `logmill endpoints primary ID`: switches which of several endpoints of one name answers by it. */
export function endpointsPrimaryCommand(context: CliContext): Command {
  const command = new Command('primary')
    .description('make an endpoint the one that answers by its name, where several share it')
    .argument('<id>', 'id of the endpoint; "logmill endpoints list --name NAME" shows those of a name');
  return addServiceOptions(command, 'manage').action((id: string, options: ServiceOptions) =>
    makePrimary(id, options, context),
  );
}

async function makePrimary(id: string, options: ServiceOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const changed = await askJson(address, `/api/endpoints/${encodeURIComponent(id)}/primary`, changedSchema, {});
  if (options.json === true) context.out(`${JSON.stringify(changed, undefined, 2)}\n`);
  else context.out(`${changed.endpoint.name} is answered by ${changed.endpoint.id} now.\n`);
}
