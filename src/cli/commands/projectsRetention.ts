import { Command } from 'commander';
import * as z from 'zod';
import type { CliContext } from '../cliContext.ts';
import { type RetentionFlags, retentionDays, retentionOptions, retentionText } from '../retentionDays.ts';
import { answerOf, serviceAddress, urlOptionText } from '../serviceClient.ts';

interface RetentionOptions extends RetentionFlags {
  readonly source?: string;
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

const answerSchema = z.looseObject({
  days: z.number().nullable(),
  sources: z.record(z.string(), z.number()),
  effective: z.record(z.string(), z.looseObject({ days: z.number(), from: z.string() })),
});

/** `logmill projects retention REF`: shows or sets the retention of a project. */
export function projectsRetentionCommand(context: CliContext): Command {
  const command = new Command('retention')
    .description('show how long events of a project are kept, or set it with a flag')
    .argument('<ref>', 'the project')
    .option('--source <name>', 'only for events of this source');
  for (const option of retentionOptions()) command.addOption(option);
  return command
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope manage (default: LOGMILL_TOKEN)')
    .action((ref: string, options: RetentionOptions) => retention(ref, options, context));
}

async function retention(ref: string, options: RetentionOptions, context: CliContext): Promise<void> {
  const days = retentionDays(options);
  const address = serviceAddress(options, context.environment);
  const path = `/api/projects/${encodeURIComponent(ref)}/retention`;
  let answer = await answerOf(address, path, { method: 'GET' });
  if (days !== undefined) {
    const body = JSON.stringify(changed(answerSchema.parse(JSON.parse(answer)), options.source, days));
    answer = await answerOf(address, path, { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
  }
  if (options.json === true) {
    context.out(`${answer}\n`);
    return;
  }
  const { effective } = answerSchema.parse(JSON.parse(answer));
  const shown = Object.entries(effective).filter(([name]) => options.source === undefined || name === options.source);
  for (const [name, each] of shown) context.out(`${name}: ${retentionText(each)}\n`);
}

/** The project's rules with one changed. */
function changed(
  { days, sources }: z.output<typeof answerSchema>,
  source: string | undefined,
  wanted: number | null,
): object {
  if (source === undefined) return { days: wanted, sources };
  const { [source]: _, ...others } = sources;
  return { days, sources: wanted === null ? others : { ...others, [source]: wanted } };
}
