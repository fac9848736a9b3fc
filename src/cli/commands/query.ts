import { Command } from 'commander';
import { parseJson } from '../../core/losslessJson.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { renderProblem } from '../problemDocument.ts';
import { readAnswer, renderTable } from '../resultTable.ts';
import { callService, serviceAddress } from '../serviceClient.ts';

interface QueryOptions {
  readonly param: readonly string[];
  readonly sql?: string;
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill query NAME --param k=v`: calls an endpoint and shows its rows. */
export function queryCommand(context: CliContext): Command {
  return new Command('query')
    .description('call an endpoint of a running service and show its rows')
    .argument('<endpoint>', 'name or id of the endpoint, such as logs.all')
    .option('-p, --param <name=value>', 'parameter of the endpoint; may be repeated', collect, [])
    .option('--sql <query>', 'query of your own over the tables of the endpoint')
    .option('--json', 'print the whole answer as JSON instead of a table')
    .option('--url <url>', 'address of the service (default: LOGMILL_URL, else http://127.0.0.1:4000)')
    .option('--token <token>', 'token with the scope query (default: LOGMILL_TOKEN)')
    .action((endpoint: string, options: QueryOptions) => query(endpoint, options, context));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

async function query(endpoint: string, options: QueryOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const parameters = new URLSearchParams(options.param.map(nameAndValue));
  if (options.sql !== undefined) parameters.append('sql', options.sql);
  const answer = await callService(address, `/api/endpoints/query/${encodeURIComponent(endpoint)}`, {
    body: parameters.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  if (answer.kind === 'unreachable') {
    throw new CliError(
      `${address.url} cannot be reached (${answer.reason}). Is the service running? "logmill serve" starts one.`,
    );
  }
  if (answer.kind === 'problem') throw new CliError(renderProblem(answer.problem, options.sql));
  if (options.json === true) {
    context.out(`${answer.body}\n`);
    return;
  }
  const result = readAnswer(parseJson(answer.body));
  context.out(`${renderTable(result, context.columns ?? Number.POSITIVE_INFINITY)}\n`);
  const elapsed = result.elapsedMs === undefined ? '' : `, ${result.elapsedMs.toFixed(1)} ms`;
  const truncated = result.truncatedBy === undefined ? '' : `, cut by ${result.truncatedBy}`;
  context.err(`${result.rows.length} ${result.rows.length === 1 ? 'row' : 'rows'}${elapsed}${truncated}\n`);
  for (const notice of result.notices) context.err(`notice: ${notice}\n`);
}

function nameAndValue(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new CliError(`--param is "${text}"; write it as name=value.`, { exitCode: 2 });
}
