import { Command } from 'commander';
import { counted } from '../../core/counted.ts';
import { writeJson } from '../../core/writeJson.ts';
import { addCallOptions, type CallOptions, callParameters } from '../callOptions.ts';
import type { CliContext } from '../cliContext.ts';
import { hasColours } from '../colours.ts';
import { followTail, type TailView } from '../followTail.ts';
import { serviceAddress, urlOptionText } from '../serviceClient.ts';
import { tailLine } from '../tailLine.ts';

interface TailOptions extends CallOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill tail NAME`: prints the rows of new events until it is interrupted. */
export function tailCommand(context: CliContext): Command {
  const command = new Command('tail').description(
    'print the rows of new events of an endpoint as they arrive, until Ctrl-C',
  );
  return addCallOptions(command, 'f:edge_logs timeout')
    .option('--json', 'print each row as a JSON object on a line of its own')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope query (default: LOGMILL_TOKEN)')
    .action((endpoint: string, options: TailOptions) => tail(endpoint, options, context));
}

async function tail(endpoint: string, options: TailOptions, context: CliContext): Promise<void> {
  const { sql, lql, json } = options;
  const address = serviceAddress(options, context.environment);
  const parameters = callParameters(options);
  parameters.append('format', 'ndjson');
  const path = `/api/endpoints/tail/${encodeURIComponent(endpoint)}?${parameters.toString()}`;
  let count = 0;
  let types: ReadonlyMap<string, string> = new Map();
  const view: TailView = {
    begins: (given) => {
      types = given;
    },
    row: (row) => {
      count++;
      if (json === true) context.out(`${writeJson(row)}\n`);
      else if (hasColours(context)) {
        for (const { text, style } of tailLine(row, types)) context.out(text, style);
        context.out('\n');
      } else
        context.out(
          `${tailLine(row, types)
            .map(({ text }) => text)
            .join('')}\n`,
        );
    },
    tell: (message) => context.err(`${message}\n`),
  };
  const ignore = context.onInterrupt(() => `\n${counted(count, 'row')}\n`, true);
  try {
    await followTail({ address, path, query: sql ?? lql }, view, context);
  } finally {
    ignore();
  }
}
