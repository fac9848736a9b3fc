import { Command } from 'commander';
import * as z from 'zod';
import type { CliContext } from '../cliContext.ts';
import { type RetentionFlags, retentionDays, retentionOptions, retentionText } from '../retentionDays.ts';
import { answerOf, serviceAddress, urlOptionText } from '../serviceClient.ts';

interface RetentionOptions extends RetentionFlags {
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

const answerSchema = z.looseObject({ effective: z.looseObject({ days: z.number(), from: z.string() }) });

/** `logmill sources retention NAME`: shows or sets the retention of a source. */
export function sourcesRetentionCommand(context: CliContext): Command {
  const command = new Command('retention')
    .description('show how long events of a source are kept, or set it with a flag')
    .argument('<name>', 'name of the source');
  for (const option of retentionOptions()) command.addOption(option);
  return command
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope manage (default: LOGMILL_TOKEN)')
    .action((name: string, options: RetentionOptions) => retention(name, options, context));
}

async function retention(name: string, options: RetentionOptions, context: CliContext): Promise<void> {
  const days = retentionDays(options);
  const address = serviceAddress(options, context.environment);
  const path = `/api/sources/${encodeURIComponent(name)}/retention`;
  const body = JSON.stringify({ days });
  const answer =
    days === undefined
      ? await answerOf(address, path, { method: 'GET' })
      : await answerOf(address, path, { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
  const { effective } = answerSchema.parse(JSON.parse(answer));
  context.out(options.json === true ? `${answer}\n` : `${name}: ${retentionText(effective)}\n`);
}
