import { Command } from 'commander';
import * as z from 'zod';
import { counted } from '../../core/counted.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { requireDefinitions, sentDefinition } from '../definitionPaths.ts';
import { deploymentProblem } from '../deploymentProblem.ts';
import { renderDiff } from '../endpointDiff.ts';
import { askJson, callersSchema, diffSchema, noticeLines, noticesSchema, outcomeText } from '../managedEndpoints.ts';
import { RefusedCall, serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

interface DeployOptions extends ServiceOptions {
  readonly dryRun?: boolean;
  readonly allowBreaking?: boolean;
  readonly note?: string;
}

const deployedSchema = z.looseObject({
  dry_run: z.boolean(),
  result: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      outcome: z.enum(['created', 'changed', 'unchanged']),
      version: z.number(),
      diff: diffSchema.nullable(),
      callers: callersSchema,
      notices: noticesSchema,
    }),
  ),
});

type Deployed = z.infer<typeof deployedSchema>;

/** `logmill endpoints deploy FILE…`: makes the endpoints match the files, all or none. */
export function endpointsDeployCommand(context: CliContext): Command {
  const command = new Command('deploy')
    .description('create or change endpoints to match definition files, all or none; other endpoints stay unchanged')
    .argument('<path...>', 'definition files (.yaml), or folders that contain them')
    .option('--dry-run', 'show what would change, without changing it')
    .option('--allow-breaking', 'also make changes that can break callers')
    .option('--note <text>', 'note to store with the new versions');
  return addServiceOptions(command, 'manage').action(async (paths: readonly string[], options: DeployOptions) => {
    const deployed = await deploy(paths, options, context);
    show(deployed, options, context);
  });
}

/** Exit codes of `diff` for scripts; 1 and 2 have their usual meaning. */
const diffExitCodes = { changes: 3, breaking: 4 } as const;

/** `logmill endpoints diff FILE…`: shows what a deployment would change, also by exit code. */
export function endpointsDiffCommand(context: CliContext): Command {
  const command = new Command('diff')
    .description(
      `show what deploying definition files would change; exit code 0: no changes, ${diffExitCodes.changes}: changes, ${diffExitCodes.breaking}: changes that can break callers`,
    )
    .argument('<path...>', 'definition files (.yaml), or folders that contain them');
  return addServiceOptions(command, 'manage').action(async (paths: readonly string[], options: ServiceOptions) => {
    const dryRun = { ...options, dryRun: true };
    const deployed = await deploy(paths, dryRun, context);
    show(deployed, dryRun, context);
    const breaking = deployed.result.filter(({ diff }) => (diff?.breaking.length ?? 0) > 0);
    if (breaking.length > 0) {
      throw new CliError(`Deploying can break callers of ${breaking.map(({ name }) => name).join(', ')}.`, {
        exitCode: diffExitCodes.breaking,
      });
    }
    const changed = deployed.result.filter(({ outcome }) => outcome !== 'unchanged');
    if (changed.length > 0) {
      throw new CliError(
        `Deploying would change ${changed.length} of ${counted(deployed.result.length, 'endpoint')}.`,
        {
          exitCode: diffExitCodes.changes,
        },
      );
    }
  });
}

async function deploy(paths: readonly string[], options: DeployOptions, context: CliContext): Promise<Deployed> {
  const files = requireDefinitions(paths);
  const definitions = files.map(({ definition }) => sentDefinition(definition));
  const query = new URLSearchParams();
  if (options.dryRun === true) query.set('dry_run', 'true');
  if (options.allowBreaking === true) query.set('allow_breaking', 'true');
  if (options.note !== undefined) query.set('note', options.note);
  const address = serviceAddress(options, context.environment);
  try {
    const path = `/api/endpoints/deploy?${query.toString()}`;
    return await askJson(address, path, deployedSchema, {
      body: { definitions },
      effect: options.dryRun === true ? 'none' : 'repeatable',
    });
  } catch (error) {
    throw error instanceof RefusedCall ? deploymentProblem(error.problem, files) : error;
  }
}

function show(deployed: Deployed, options: DeployOptions, context: CliContext): void {
  if (options.json === true) {
    context.out(`${JSON.stringify(deployed, undefined, 2)}\n`);
    return;
  }
  for (const { name, id, outcome, version, diff, callers } of deployed.result) {
    if (outcome === 'unchanged') continue;
    context.out(`${outcomeText(outcome, options.dryRun === true)} ${name} (${id}), version ${version}\n`);
    const text = diff === null ? '' : renderDiff(diff, callers);
    if (text !== '') context.out(`${text}\n`);
  }
  for (const { name, notices } of deployed.result) {
    for (const line of noticeLines(name, notices)) context.err(line);
  }
  const count = (wanted: string) => deployed.result.filter(({ outcome }) => outcome === wanted).length;
  const counts = `${count('created')} created, ${count('changed')} changed, ${count('unchanged')} unchanged`;
  context.err(`${counts}${deployed.dry_run ? '. Dry run: nothing was changed' : ''}.\n`);
}
