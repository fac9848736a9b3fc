import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { makeFolder } from '../../backup/makeFolder.ts';
import { ServiceError } from '../../core/errors.ts';
import { uuidV4 } from '../../core/ids.ts';
import { nearestName } from '../../core/nearestName.ts';
import { definitionFields } from '../../endpoints/definitionFields.ts';
import { type AskUser, askingUser } from '../askUser.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { builtinOnly, type KnownSources, sourcesOf } from '../importing/knownSources.ts';
import type { WantedDefinition } from '../newDefinition.ts';
import { serviceAddress, serviceUrl } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';
import { writeDefinitionFiles } from '../writeDefinitionFiles.ts';

interface NewOptions extends ServiceOptions {
  readonly to: string;
  readonly source: string;
  readonly description: string;
  readonly sandbox?: boolean;
}

/** `logmill endpoints new [NAME]`: writes a definition to start from. */
export function endpointsNewCommand(context: CliContext): Command {
  const command = new Command('new')
    .description(
      'write a definition to start from: the newest events of one project; without a name, asks for everything; a token is only needed for sources that are not built in',
    )
    .argument('[name]', 'name of the endpoint, such as shop.errors')
    .option('--to <folder>', 'folder for the .yaml and the .sql file', '.')
    .option('--source <source>', 'source that the query reads', 'edge_logs')
    .option('--description <text>', 'description for callers', 'The newest events of one project.')
    .option('--sandbox', 'let callers send their own queries over the rows');
  return addServiceOptions(command, 'manage').action((name: string | undefined, options: NewOptions) =>
    create(name, options, context),
  );
}

async function create(name: string | undefined, options: NewOptions, context: CliContext): Promise<void> {
  const hasToken = (options.token ?? context.environment.LOGMILL_TOKEN ?? '') !== '';
  const known = hasToken ? await sourcesOf(serviceAddress(options, context.environment)) : builtinOnly;
  const wanted = await wantedBy(name, options, known, context);
  const refusal = nameProblem(wanted.name) ?? sourceProblem(wanted.source, known, hasToken);
  if (refusal !== null) throw new CliError(refusal, { exitCode: 2 });
  const id = uuidV4(context.randomness);
  const texts = await made({ ...wanted, id }, known);
  const there = ['yaml', 'yml', 'sql']
    .map((ending) => join(options.to, `${wanted.name}.${ending}`))
    // Also a link that leads nowhere.
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  if (there.length > 0) {
    throw new CliError(
      `${there.join(' and ')} already ${there.length === 1 ? 'exists' : 'exist'}; nothing was written.`,
    );
  }
  makeFolder(options.to);
  const file = writeDefinitionFiles(options.to, {
    base: wanted.name,
    ...texts,
    url: serviceUrl(options.url, context.environment),
  });
  if (options.json === true) {
    context.out(`${JSON.stringify({ id, name: wanted.name, file }, undefined, 2)}\n`);
    return;
  }
  context.out(`${file}\n`);
  context.err(
    `Change its query in the .sql file. "logmill endpoints run ${file} -p project=…" shows the rows, and "logmill endpoints deploy ${file}" stores the endpoint.\n`,
  );
}

type Answers = Omit<WantedDefinition, 'id'>;

async function wantedBy(
  name: string | undefined,
  options: NewOptions,
  known: KnownSources,
  context: CliContext,
): Promise<Answers> {
  const { source, description, sandbox = false } = options;
  if (name !== undefined) return { name, source, description, isSandbox: sandbox };
  if (!context.canAsk) {
    throw new CliError('The name of the endpoint is missing: logmill endpoints new shop.errors', { exitCode: 2 });
  }
  return await askingUser(context, (ask) => answers(options, known, ask));
}

async function answers(options: NewOptions, known: KnownSources, ask: AskUser): Promise<Answers> {
  return {
    name: await ask({ text: 'Name of the endpoint, such as shop.errors', refuse: nameProblem }),
    description: await ask({ text: 'Description for callers', byDefault: options.description }),
    source: await ask({
      text: `Source that the query reads (${[...known.sources.keys()].join(', ')})`,
      byDefault: options.source,
      refuse: (source) => sourceProblem(source, known, true),
    }),
    isSandbox: /^y/i.test(
      await ask({
        text: 'May callers send their own queries over the rows, yes or no',
        byDefault: options.sandbox === true ? 'yes' : 'no',
        refuse: (answer) => (/^(y|yes|n|no)$/i.test(answer) ? null : 'Answer yes or no.'),
      }),
    ),
  };
}

function nameProblem(name: string): string | null {
  const parsed = definitionFields.shape.name.safeParse(name);
  return parsed.success ? null : `The name ${name} ${parsed.error.issues[0]?.message ?? 'is invalid'}.`;
}

function sourceProblem(source: string, { sources }: KnownSources, isWhole: boolean): string | null {
  if (sources.has(source)) return null;
  const nearest = nearestName(source, sources.keys());
  const suggestion =
    nearest === undefined ? `The sources are ${[...sources.keys()].join(', ')}.` : `Did you mean ${nearest}?`;
  return isWhole
    ? `There is no source ${source}. ${suggestion}`
    : `There is no built-in source ${source}. ${suggestion} Only with a token (--token or LOGMILL_TOKEN) does this command know the sources of the service.`;
}

async function made(wanted: WantedDefinition, { sources }: KnownSources) {
  // Loaded here because the other commands start faster without the compiler.
  const { newDefinition } = await import('../newDefinition.ts');
  try {
    return newDefinition(wanted, sources);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new CliError(error.message, { cause: error, exitCode: 2 });
  }
}
