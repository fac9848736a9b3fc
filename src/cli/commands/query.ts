import { Command } from 'commander';
import { parseJson } from '../../core/losslessJson.ts';
import type { CliContext } from '../cliContext.ts';
import { renderExplanation } from '../explanation.ts';
import { parameterOption, parametersOf } from '../parameterOption.ts';
import { OptionOrBlank } from '../refuseBlank.ts';
import { readAnswer } from '../resultTable.ts';
import { answerOf, serviceAddress, urlOptionText } from '../serviceClient.ts';
import { showRows } from '../showRows.ts';

interface QueryOptions {
  readonly param: readonly string[];
  readonly sql?: string;
  readonly lql?: string;
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill query NAME --param k=v`: calls an endpoint and prints its rows. */
export function queryCommand(context: CliContext): Command {
  return new Command('query')
    .description('call an endpoint of a running service and print its rows')
    .argument('<endpoint>', 'name or ID of the endpoint, such as logs.all')
    .addOption(parameterOption())
    .addOption(new OptionOrBlank('--sql <query>', 'your own SQL query over the tables of the endpoint'))
    .addOption(new OptionOrBlank('--lql <query>', 'your own query in LQL, such as "f:edge_logs timeout t:last@1h"'))
    .option('--explain', 'show what the query reads and returns, without running it (scope query:explain)')
    .option('--json', 'print the whole answer as JSON instead of a table')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope query (default: LOGMILL_TOKEN)')
    .action((endpoint: string, options: QueryOptions) => query(endpoint, options, context));
}

async function query(endpoint: string, options: QueryOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const parameters = new URLSearchParams(parametersOf(options.param));
  if (options.sql !== undefined) parameters.append('sql', options.sql);
  if (options.lql !== undefined) parameters.append('lql', options.lql);
  if (options.explain === true) parameters.append('dry_run', 'true');
  const answer = await answerOf(
    address,
    `/api/endpoints/query/${encodeURIComponent(endpoint)}`,
    { body: parameters.toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    options.sql ?? options.lql,
  );
  if (options.json === true) {
    context.out(`${answer}\n`);
    return;
  }
  const body = parseJson(answer);
  if (options.explain !== true) {
    showRows(body, context);
    return;
  }
  context.out(`${renderExplanation(body)}\n`);
  for (const notice of readAnswer(body).notices) context.err(`notice: ${notice}\n`);
}
