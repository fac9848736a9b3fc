import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { deletionPath, deletionSchema, deletionText, type ReportedDeletion } from '../deletion.ts';
import { answerOf, serviceAddress, urlOptionText } from '../serviceClient.ts';

interface DeleteOptions {
  readonly source?: string;
  readonly before?: string;
  readonly yes?: boolean;
  readonly wait?: boolean;
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** How often `--wait` asks whether the deletion is complete. */
const askEveryMs = 1000;

/** `logmill projects delete-events REF --yes`: deletes the events of a project that are stored now. */
export function projectsDeleteEventsCommand(context: CliContext): Command {
  return new Command('delete-events')
    .description('permanently delete the events of a project that are stored now; later ones are kept')
    .argument('<ref>', 'the project')
    .option('--source <name>', 'only events of this source')
    .option('--before <time>', 'only events before this date or time')
    .option('--yes', 'confirm the deletion; without this, nothing is deleted')
    .option('--wait', 'wait until the events are removed from disk, or only damaged files still contain them')
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope manage (default: LOGMILL_TOKEN)')
    .action((ref: string, options: DeleteOptions) => deleteEvents(ref, options, context));
}

async function deleteEvents(ref: string, options: DeleteOptions, context: CliContext): Promise<void> {
  const { source, before } = options;
  if (options.yes !== true) {
    const which = `${source === undefined ? 'all events' : `the events of ${source}`} of project ${ref}`;
    const when = before === undefined ? '' : ` before ${before}`;
    throw new CliError(`This would permanently delete ${which}${when}. Add --yes to confirm.`, { exitCode: 2 });
  }
  const address = serviceAddress(options, context.environment);
  const parameters = new URLSearchParams({
    ...(source === undefined ? {} : { source }),
    ...(before === undefined ? {} : { before }),
  });
  const path = `/api/projects/${encodeURIComponent(ref)}/events?${parameters.toString()}`;
  let answer = await answerOf(address, path, { method: 'DELETE' });
  let deletion = deletionSchema.parse(JSON.parse(answer));
  while (options.wait === true && deletion.state === 'running') {
    await context.delay(askEveryMs);
    answer = await answerOf(address, deletionPath(ref, deletion.id), { method: 'GET' });
    deletion = deletionSchema.parse(JSON.parse(answer));
  }
  if (options.json === true) {
    context.out(`${answer}\n`);
    requireComplete(deletion, options);
    return;
  }
  context.out(`Queries no longer return these events. Deletion ${deletion.id} is ${deletionText(deletion)}.\n`);
  if (deletion.state === 'complete' && deletion.removed.events === 0) {
    context.err(`There were no such events of project ${ref}. Check the name: capital letters and spaces matter.\n`);
  }
  requireComplete(deletion, options);
}

/** Throws a CliError if `--wait` was given and the deletion waits for damaged files. */
function requireComplete({ state }: ReportedDeletion, { wait }: DeleteOptions): void {
  if (wait !== true || state === 'complete') return;
  throw new CliError(
    'The deletion completes once the damaged files are repaired or removed. See the guide "Retention and deletion".',
    { exitCode: 1 },
  );
}
