import { Command } from 'commander';
import { isBlank } from '../../core/isBlank.ts';
import { parseJson } from '../../core/losslessJson.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { requireDefinitions, sentDefinition } from '../definitionPaths.ts';
import { draftProblem } from '../deploymentProblem.ts';
import { showAnswer } from '../intoOutput.ts';
import { parameterOption, parametersOf } from '../parameterOption.ts';
import { answerOf, RefusedCall, serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';
import { showRows } from '../showRows.ts';

interface RunOptions extends ServiceOptions {
  readonly param: readonly string[];
}

/** `logmill endpoints run FILE -p name=value`: runs a draft and prints its rows. */
export function endpointsRunCommand(context: CliContext): Command {
  const command = new Command('run')
    .description('run the query of a definition file and print its rows; stores nothing')
    .argument('<file>', 'definition file (.yaml)')
    .addOption(parameterOption());
  return addServiceOptions(command, 'manage', 'query').action((file: string, options: RunOptions) =>
    run(file, options, context),
  );
}

async function run(file: string, options: RunOptions, context: CliContext): Promise<void> {
  const parameters = bodyOf(parametersOf(options.param));
  const [draft, ...others] = requireDefinitions([file]);
  if (draft === undefined || others.length > 0) {
    throw new CliError(`${file} contains several definition files. Give the path of one.`, { exitCode: 2 });
  }
  const address = serviceAddress(options, context.environment);
  const body = { definition: sentDefinition(draft.definition), parameters };
  let answer: string;
  try {
    answer = await answerOf(address, '/api/endpoints/run', {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
      effect: 'none',
    });
  } catch (error) {
    if (!(error instanceof RefusedCall)) throw error;
    throw draftProblem(error.problem, draft, callerQueryIn(parameters));
  }
  if (options.json === true) await showAnswer(answer, context);
  else showRows(parseJson(answer), context);
}

/** The caller query; undefined if there is none. */
function callerQueryIn({ sql, lql }: ReturnType<typeof bodyOf>): string | undefined {
  return [sql, lql].flatMap((text) => (typeof text === 'string' && !isBlank(text) ? [text] : []))[0];
}

/** The parameters as members of a JSON object. A repeated one is an array. */
function bodyOf(parameters: readonly [string, string][]): Readonly<Record<string, string | readonly string[]>> {
  const values = new Map<string, string[]>();
  for (const [name, value] of parameters) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(
    [...values].map(([name, texts]) => [name, texts.length === 1 && texts[0] !== undefined ? texts[0] : texts]),
  );
}
