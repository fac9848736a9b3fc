import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { printable } from '../../core/printable.ts';
import { systemReason } from '../../core/systemReason.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { readCallList } from '../comparing/callList.ts';
import { type ComparedCall, compareServices } from '../comparing/compareServices.ts';
import { OptionOrBlank } from '../refuseBlank.ts';
import { serviceAddress, serviceUrl, urlOptionText } from '../serviceClient.ts';

interface CompareOptions {
  readonly calls: string;
  readonly oldToken?: string;
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill compare OLD_URL`: asks two services the same calls, and shows which answers differ. */
export function compareCommand(context: CliContext): Command {
  return new Command('compare')
    .description('send the same calls to another service and to this one, and show which answers differ')
    .argument('<old-url>', 'address of the other service')
    .addOption(
      new OptionOrBlank(
        '--calls <file>',
        'calls, one path with its query string on each line, or lines of an access log; - reads standard input',
      ).makeOptionMandatory(),
    )
    .option('--old-token <token>', 'token for the other service (default: LOGMILL_OLD_TOKEN)')
    .option('--json', 'print one JSON object for each call')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope query (default: LOGMILL_TOKEN)')
    .action((oldUrl: string, options: CompareOptions) => compare(oldUrl, options, context));
}

async function compare(oldUrl: string, options: CompareOptions, context: CliContext): Promise<void> {
  const own = serviceAddress(options, context.environment);
  const oldToken = options.oldToken ?? context.environment.LOGMILL_OLD_TOKEN;
  if (oldToken === undefined || oldToken === '') {
    throw new CliError('A token for the other service is missing: give --old-token or set LOGMILL_OLD_TOKEN.', {
      exitCode: 2,
    });
  }
  const old = { url: serviceUrl(oldUrl, {}), token: oldToken };
  const calls = readCallList(await listText(options.calls, context));
  const compared: ComparedCall[] = [];
  for await (const call of compareServices(calls, old, own)) {
    compared.push(call);
    context.out(options.json === true ? `${JSON.stringify(call)}\n` : lineOf(call));
  }
  const count = (...verdicts: readonly string[]) => compared.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const different = count('different', 'order');
  context.err(
    `${count('same')} of ${calls.length} the same, ${count('both refuse')} refused by both, ${count('order')} in another order, ${count('different')} different; median ${medianMs(compared, 'oldMs')} ms before, ${medianMs(compared, 'newMs')} ms now\n`,
  );
  if (different > 0) throw new CliError(`${different} of ${calls.length} answers differ.`);
}

async function listText(path: string, context: CliContext): Promise<string> {
  if (path === '-') return await text(context.stdin);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`The list of calls ${path} cannot be read: ${systemReason(error)}.`, { exitCode: 2 });
  }
}

function lineOf({ verdict, path, differences }: ComparedCall): string {
  return [`${verdict.padEnd(11)}  ${path}`, ...differences.map((difference) => `  ${difference}`)]
    .map((line) => `${printable(line)}\n`)
    .join('');
}

function medianMs(calls: readonly ComparedCall[], member: 'oldMs' | 'newMs'): string {
  const sorted = calls.map((call) => call[member]).sort((a, b) => a - b);
  return (sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(1);
}
