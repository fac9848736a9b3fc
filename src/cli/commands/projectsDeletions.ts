import { Command } from 'commander';
import * as z from 'zod';
import type { CliContext } from '../cliContext.ts';
import { deletionSchema } from '../deletion.ts';
import { plainTable } from '../plainTable.ts';
import { answerOf, serviceAddress, urlOptionText } from '../serviceClient.ts';

interface DeletionsOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

const answerSchema = z.looseObject({ deletions: z.array(deletionSchema) });

/** `logmill projects deletions REF`: lists the deletions of a project's events. */
export function projectsDeletionsCommand(context: CliContext): Command {
  return new Command('deletions')
    .description('list the deletions of events of a project, newest first')
    .argument('<ref>', 'the project')
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope manage (default: LOGMILL_TOKEN)')
    .action((ref: string, options: DeletionsOptions) => list(ref, options, context));
}

async function list(ref: string, options: DeletionsOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const path = `/api/projects/${encodeURIComponent(ref)}/deletions`;
  const answer = await answerOf(address, path, { method: 'GET' });
  const { deletions } = answerSchema.parse(JSON.parse(answer));
  if (options.json === true) {
    context.out(`${JSON.stringify(deletions, undefined, 2)}\n`);
    return;
  }
  const rows = deletions.map(({ id, requested_at, source, before, state, waits_for: waitsFor, removed }) => {
    const progress = waitsFor.length === 0 ? state : `${state} (${waitsFor.map(({ file }) => file).join(', ')})`;
    return [id, requested_at, source ?? 'all', before ?? '', progress, removed.events, removed.bytes];
  });
  context.out(plainTable(['id', 'requested', 'source', 'before', 'state', 'events', 'bytes'], rows));
}
