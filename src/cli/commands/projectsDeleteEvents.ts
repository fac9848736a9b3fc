import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { deletionPath, deletionSchema, deletionText, type ToldDeletion } from '../deletion.ts';
import { answerOf, serviceAddress } from '../serviceClient.ts';

interface DeleteOptions {
  readonly source?: string;
  readonly before?: string;
  readonly yes?: boolean;
  readonly wait?: boolean;
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** How often it is asked whether a deletion is complete. */
const askEveryMs = 1000;

/** `logmill projects delete-events REF --yes`: deletes the events of a project that are stored now. */
export function projectsDeleteEventsCommand(context: CliContext): Command {
  return new Command('delete-events')
    .description('delete the events of a project that are stored now, for good; later ones are kept')
    .argument('<ref>', 'the project')
    .option('--source <name>', 'only events of this source')
    .option('--before <time>', 'only events before this date or time')
    .option('--yes', 'do it; without it nothing is deleted')
    .option('--wait', 'return only when the events have left every file, or nothing but damaged files is left')
    .option('--json', 'print JSON')
    .option('--url <url>', 'address of the service (default: LOGMILL_URL, else http://127.0.0.1:4000)')
    .option('--token <token>', 'token with the scope manage (default: LOGMILL_TOKEN)')
    .action((ref: string, options: DeleteOptions) => deleteEvents(ref, options, context));
}

async function deleteEvents(ref: string, options: DeleteOptions, context: CliContext): Promise<void> {
  const { source, before } = options;
  if (options.yes !== true) {
    const which = `${source === undefined ? 'all events' : `the events of ${source}`} of project ${ref}`;
    const when = before === undefined ? '' : ` before ${before}`;
    throw new CliError(`This would delete ${which}${when} for good. Add --yes to do it.`, { exitCode: 2 });
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
  context.out(`No query shows the events any more. Deletion ${deletion.id} is ${deletionText(deletion)}.\n`);
  if (deletion.state === 'complete' && deletion.removed.events === 0) {
    context.err(
      `There were no such events of project ${ref}. Is the name right? Projects are told apart by capital letters and blanks, too.\n`,
    );
  }
  requireComplete(deletion, options);
}

/** @throws CliError where it was to be waited for, and it waits for somebody. */
function requireComplete({ state }: ToldDeletion, { wait }: DeleteOptions): void {
  if (wait !== true || state === 'complete') return;
  throw new CliError(
    'It is complete when the damaged files are put back whole, or removed; see "Retention and deletion" in the guides.',
    { exitCode: 1 },
  );
}
