import { Command } from 'commander';
import * as z from 'zod';
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

/** `logmill endpoints restore NAME [VERSION]`: restores an old version as a new one, or a deleted endpoint. */
export function endpointsRestoreCommand(context: CliContext): Command {
  const command = new Command('restore')
    .description('restore an old version of an endpoint as a new version, or restore a deleted endpoint')
    .argument('<endpoint>', 'name or ID of the endpoint')
    .argument('[version]', 'number of the old version (default for a deleted endpoint: its last one)')
    .option('--dry-run', 'show what would change, without changing it')
    .option('--allow-breaking', 'restore the version even if that can break callers')
    .option('--note <text>', 'note to store with the new version')
    .option('--primary', 'if another endpoint answers by this name, take the name over')
    .option(
      '--no-primary',
      'if another endpoint answers by this name, let it keep the name; the restored one is called by ID',
    );
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
    throw new CliError(`The version is "${version}"; it must be a whole number, at least 1.`, { exitCode: 2 });
  }
  const address = serviceAddress(options, context.environment);
  const query = new URLSearchParams();
  if (options.dryRun === true) query.set('dry_run', 'true');
  if (options.allowBreaking === true) query.set('allow_breaking', 'true');
  if (options.note !== undefined) query.set('note', options.note);
  const id = await idOf(address, endpoint);
  if (version === undefined) await requireDeleted(address, endpoint, id);
  const changed = await askJson(address, `/api/endpoints/${id}/restore?${query.toString()}`, changedSchema, {
    body: { version: version === undefined ? undefined : Number(version), primary: options.primary },
    ...(options.dryRun === true ? { effect: 'none' } : {}),
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
      `Another endpoint answers calls of ${now.name}, so call this one by its ID. To give it the name, run "logmill endpoints primary ${now.id}".\n`,
    );
  }
  if (options.dryRun === true) context.err('Dry run: nothing was changed.\n');
}

/** The last version of an endpoint that is not deleted is there already. */
async function requireDeleted(address: ServiceAddress, endpoint: string, id: string): Promise<void> {
  const current = (await listEndpoints(address)).find((each) => each.id === id);
  if (current === undefined) return;
  const versions = current.version === 1 ? 'It has only version 1' : `Its versions are 1 to ${current.version}`;
  throw new CliError(
    `The endpoint ${current.name} is not deleted, so say which version to restore: "logmill endpoints restore ${endpoint} VERSION". ${versions}; "logmill endpoints versions ${endpoint}" shows when each was made.`,
    { exitCode: 2 },
  );
}

/** The id of the endpoint with this name, or of the deleted one if there is none. */
async function idOf(address: ServiceAddress, idOrName: string): Promise<string> {
  const isThere = isUuid(idOrName) || (await listEndpoints(address, idOrName)).length > 0;
  return await (isThere ? endpointId : deletedEndpointId)(address, idOrName);
}
