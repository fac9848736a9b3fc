import { Command } from 'commander';
import { z } from 'zod';
import { isUuid } from '../../core/ids.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { renderDiff } from '../endpointDiff.ts';
import {
  askJson,
  callersSchema,
  deletedEndpointId,
  diffSchema,
  endpointId,
  listEndpoints,
  outcomeText,
} from '../managedEndpoints.ts';
import { type ServiceAddress, serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

interface RestoreOptions extends ServiceOptions {
  readonly dryRun?: boolean;
  readonly allowBreaking?: boolean;
  readonly note?: string;
  readonly primary?: boolean;
}

const changedSchema = z.looseObject({
  outcome: z.string(),
  endpoint: z.looseObject({ id: z.string(), name: z.string(), version: z.number(), primary: z.boolean() }),
  diff: diffSchema.nullable(),
  callers: callersSchema,
});

/** `logmill endpoints restore NAME [VERSION]`: makes a new version that is like an old one, and brings back what was deleted. */
export function endpointsRestoreCommand(context: CliContext): Command {
  const command = new Command('restore')
    .description('make a new version of an endpoint that is like an old one, or bring back one that was deleted')
    .argument('<endpoint>', 'name or id of the endpoint')
    .argument('[version]', 'number of the old version; of a deleted endpoint the last one where it is left out')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--allow-breaking', 'also where it takes away what callers may rely on')
    .option('--note <text>', 'what to keep with the new version')
    .option('--primary', 'if another endpoint has the name: take the name over')
    .option('--no-primary', 'if another endpoint has the name: share it, and be called by the id');
  return addServiceOptions(command, 'manage').action(
    (endpoint: string, version: string | undefined, options: RestoreOptions) =>
      restore(endpoint, version, options, context),
  );
}

async function restore(
  endpoint: string,
  version: string | undefined,
  options: RestoreOptions,
  context: CliContext,
): Promise<void> {
  if (version !== undefined && !/^[1-9]\d{0,8}$/.test(version)) {
    throw new CliError(`The version is "${version}"; versions are numbered from 1.`, { exitCode: 2 });
  }
  const address = serviceAddress(options, context.environment);
  const query = new URLSearchParams();
  if (options.dryRun === true) query.set('dry_run', 'true');
  if (options.allowBreaking === true) query.set('allow_breaking', 'true');
  if (options.note !== undefined) query.set('note', options.note);
  const id = await idOf(address, endpoint);
  const changed = await askJson(address, `/api/endpoints/${id}/restore?${query.toString()}`, changedSchema, {
    body: { version: version === undefined ? undefined : Number(version), primary: options.primary },
  });
  if (options.json === true) {
    context.out(`${JSON.stringify(changed, undefined, 2)}\n`);
    return;
  }
  const { outcome, endpoint: now, diff, callers } = changed;
  context.out(`${outcomeText(outcome, options.dryRun === true)} ${now.name} (${now.id}), version ${now.version}\n`);
  const text = diff === null ? '' : renderDiff(diff, callers);
  if (text !== '') context.out(`${text}\n`);
  if (!now.primary) {
    context.err(
      `Another endpoint answers by the name ${now.name}, so this one is called by its id; "logmill endpoints primary ${now.id}" gives it the name.\n`,
    );
  }
  if (options.dryRun === true) context.err('This was a dry run, nothing was done.\n');
}

/** Of the endpoint that answers by a name; where none does, of the one of this name that was deleted. */
async function idOf(address: ServiceAddress, idOrName: string): Promise<string> {
  const isThere = isUuid(idOrName) || (await listEndpoints(address, idOrName)).length > 0;
  return await (isThere ? endpointId : deletedEndpointId)(address, idOrName);
}
