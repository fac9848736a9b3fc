import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import * as z from 'zod';
import { makeFolder } from '../../backup/makeFolder.ts';
import { counted } from '../../core/counted.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '../../core/jsonValue.ts';
import { parseJson } from '../../core/losslessJson.ts';
import { systemReason } from '../../core/systemReason.ts';
import type { EndpointDefinition } from '../../endpoints/definition.ts';
import { definitionYaml } from '../../endpoints/definitionYaml.ts';
import { formatDefinition } from '../../endpoints/parseDefinition.ts';
import { FileRefusal } from '../../files/fileRefusal.ts';
import { utf8Text } from '../../files/utf8Text.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import type { ConvertedDefinition } from '../importing/convertDefinition.ts';
import { importView, renderImport } from '../importing/importReport.ts';
import { builtinOnly, sourcesOf } from '../importing/knownSources.ts';
import { askJson } from '../managedEndpoints.ts';
import { serviceAddress, serviceUrl } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';
import { writeDefinitionFiles } from '../writeDefinitionFiles.ts';

interface ImportOptions extends ServiceOptions {
  readonly dryRun?: boolean;
  readonly to?: string;
  readonly source: readonly string[];
}

/** `logmill endpoints import FILE`: imports definitions that another service exported. */
export function endpointsImportCommand(context: CliContext): Command {
  const command = new Command('import')
    .description('import definitions that another service exported as JSON, and report what happened to each member')
    .argument('<file>', 'JSON file with a list of definitions')
    .option(
      '--dry-run',
      'only report; without a token, the service is not called and only the built-in sources are known',
    )
    .option(
      '--to <folder>',
      'write definition files to this folder instead of creating endpoints; a token is optional, as with --dry-run',
    )
    .addOption(
      new Option('--source <table=source>', 'source that replaces a table of the exported queries; may be repeated')
        .argParser((value: string, before: readonly string[]) => [...before, value])
        .default([], 'none'),
    );
  return addServiceOptions(command, 'manage').action((file: string, options: ImportOptions) =>
    importDefinitions(file, options, context),
  );
}

async function importDefinitions(file: string, options: ImportOptions, context: CliContext): Promise<void> {
  const isOffline = options.dryRun === true || options.to !== undefined;
  const hasToken = (options.token ?? context.environment.LOGMILL_TOKEN ?? '') !== '';
  const known = isOffline && !hasToken ? builtinOnly : await sourcesOf(serviceAddress(options, context.environment));
  const { sources } = known;
  const chosen = options.source.map((text) => givenSource(text, [...sources.keys()]));
  const given = new Map([...known.sourceOfAlias, ...chosen]);
  // Loaded here because the other commands start faster without the compiler.
  const { convertDefinition } = await import('../importing/convertDefinition.ts');
  const converted = refuseDoubles(readExport(file).map((exported) => convertDefinition(exported, { sources, given })));
  const definitions = converted.flatMap(({ definition }) => (definition === null ? [] : [definition]));
  const outcome = await keep(definitions, file, options, context);
  context.out(
    options.json === true
      ? `${JSON.stringify(importView(converted, outcome), undefined, 2)}\n`
      : `${renderImport(converted)}\n`,
  );
  const all = counted(converted.length, 'definition');
  const done = `${definitions.length} of ${all}`;
  const sentences = {
    ready: `${done} can be imported. Dry run: nothing was changed.`,
    written: `Wrote ${done}.`,
    imported: `Imported ${done}.`,
  };
  context.err(`${sentences[outcome]}\n`);
  const open = converted.length - definitions.length;
  if (open > 0) throw new CliError(`${open} of ${all} cannot be imported yet; the report says why.`);
}

/** Imports the definitions, or writes them as files, as the options ask. */
async function keep(
  definitions: readonly EndpointDefinition[],
  file: string,
  options: ImportOptions,
  context: CliContext,
): Promise<'ready' | 'written' | 'imported'> {
  if (options.dryRun === true) return 'ready';
  if (options.to !== undefined) {
    writeFiles(definitions, options.to, serviceUrl(options.url, context.environment));
    return 'written';
  }
  if (definitions.length > 0) {
    const address = serviceAddress(options, context.environment);
    const query = new URLSearchParams({ note: `imported from ${file.split(/[/\\]/).at(-1) ?? file}` });
    await askJson(
      address,
      `/api/endpoints/deploy?${query.toString()}`,
      z.looseObject({ result: z.array(z.unknown()) }),
      {
        body: { definitions: definitions.map(formatDefinition) },
        effect: 'repeatable',
      },
    );
  }
  return 'imported';
}

function writeFiles(definitions: readonly EndpointDefinition[], folder: string, url: string): void {
  const files = definitions.map((definition, i) => {
    const isFirst = definitions.findIndex(({ name }) => name === definition.name) === i;
    return { definition, base: isFirst ? definition.name : `${definition.name}.${definition.id}` };
  });
  const there = files
    .flatMap(({ base }) => [join(folder, `${base}.yaml`), join(folder, `${base}.sql`)])
    // Also a link that leads nowhere.
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  if (there.length > 0) {
    throw new CliError(`${there.join(', ')} already ${there.length === 1 ? 'exists' : 'exist'}; nothing was written.`);
  }
  makeFolder(folder);
  for (const { definition, base } of files) {
    const texts = { yaml: definitionYaml(formatDefinition(definition)), sql: definition.query };
    writeDefinitionFiles(folder, { base, ...texts, url });
  }
}

function readExport(file: string): readonly JsonObject[] {
  let text: string;
  try {
    text = utf8Text(readFileSync(file));
  } catch (error) {
    if (error instanceof FileRefusal) throw new CliError(`${file} ${error.message}.`, { exitCode: 2, cause: error });
    throw new CliError(`${file} cannot be read: ${systemReason(error)}.`, { exitCode: 2, cause: error });
  }
  const value = parsed(file, text);
  const items = isJsonArray(value) ? value : [value];
  if (!items.every(isJsonObject))
    throw new CliError(`${file} must contain a list of objects, one for each definition.`);
  return items;
}

function parsed(file: string, text: string) {
  try {
    return parseJson(text);
  } catch (error) {
    throw new CliError(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Holds back each definition whose id an earlier one already has. */
function refuseDoubles(converted: readonly ConvertedDefinition[]): readonly ConvertedDefinition[] {
  const nameOfId = new Map<string, string>();
  return converted.map((each) => {
    if (each.definition === null) return each;
    const other = nameOfId.get(each.definition.id);
    nameOfId.set(each.definition.id, other ?? each.exportedName);
    if (other === undefined) return each;
    const message = `${other} already has this ID; give this definition another ID or name`;
    return { ...each, definition: null, findings: [...each.findings, { kind: 'needs_person', member: 'id', message }] };
  });
}

function givenSource(text: string, sources: readonly string[]): [string, string] {
  const at = text.lastIndexOf('=');
  const [table, source] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (table !== '' && sources.includes(source)) return [table, source];
  throw new CliError(`--source is "${text}"; write table=source, with one of the sources ${sources.join(', ')}.`, {
    exitCode: 2,
  });
}
