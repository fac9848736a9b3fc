import type { Command, Option } from 'commander';
import { parseJson } from '../../core/losslessJson.ts';
import { callableEndpoints } from '../callableEndpoints.ts';
import type { CliContext } from '../cliContext.ts';
import { fieldsPageSchema } from '../fieldTree.ts';
import { askJson, listEndpoints } from '../managedEndpoints.ts';
import { parametersOf } from '../parameterOption.ts';
import { answerOf, type ServiceAddress, serviceAddress } from '../serviceClient.ts';

/** Arguments whose values the service knows. `describe` has a path after its endpoint. */
export const askedArgument = 'endpoint';

/** Words that every shell takes as they are. Senders choose the names of members. */
const plainWord = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/**
 * The words that can stand in place of the last one of a command line: names of endpoints, and paths of fields. The line
 * begins after `logmill`; its last word may be empty. Throws a CliError if the service cannot be asked.
 */
export async function completeLine(
  line: string,
  program: Command,
  { environment }: Pick<CliContext, 'environment'>,
): Promise<readonly string[]> {
  const words = line.trimStart().split(/\s+/);
  const begun = words.at(-1) ?? '';
  const { command, given, options, isOfOption } = readWords(words.slice(0, -1), program);
  const argument = command.registeredArguments.at(given.length) ?? command.registeredArguments.at(-1);
  if (isOfOption || argument === undefined) return [];
  const [url] = options.get('url') ?? [];
  const [token] = options.get('token') ?? [];
  const address = () => serviceAddress({ url, token }, environment);
  const [endpoint] = given;
  let found: readonly string[] = [];
  if (argument.name() === askedArgument) found = await endpointNames(command, address());
  else if (command.name() === 'describe' && endpoint !== undefined) {
    found = await fieldPaths(endpoint, begun, parametersOf(options.get('param') ?? []), address());
  }
  return [...new Set(found)].filter((word) => plainWord.test(word) && word.startsWith(begun));
}

/** What the words before the last one say. */
function readWords(words: readonly string[], program: Command) {
  let command = program;
  let awaited: Option | undefined;
  const given: string[] = [];
  const options = new Map<string, string[]>();
  const keep = (option: Option, value: string) => {
    const name = option.attributeName();
    options.set(name, [...(options.get(name) ?? []), value]);
  };
  for (const word of words) {
    if (awaited !== undefined) {
      keep(awaited, word);
      awaited = undefined;
    } else if (word.startsWith('-')) {
      const [flag = '', ...value] = word.split('=');
      const option = command.options.find(({ short, long }) => flag === short || flag === long);
      if (option === undefined || !(option.required || option.optional)) continue;
      if (value.length > 0) keep(option, value.join('='));
      else awaited = option;
    } else {
      const below = given.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (below === undefined) given.push(word);
      else command = below;
    }
  }
  return { command, given, options, isOfOption: awaited !== undefined };
}

/** Commands that change endpoints have another scope than those that call them, and other endpoints. */
async function endpointNames(command: Command, address: ServiceAddress): Promise<readonly string[]> {
  if (command.parent?.name() === 'endpoints') {
    const listed = await listEndpoints(address);
    const deleted = command.name() === 'restore' ? await listEndpoints(address, undefined, true) : [];
    return [...listed, ...deleted].map(({ name }) => name);
  }
  return (await endpointsOf(address)).map(({ name }) => name);
}

const endpointsOf = async (address: ServiceAddress) =>
  callableEndpoints(parseJson(await answerOf(address, '/openapi.json', { method: 'GET' })));

/** The fields one step below what is begun. A dot follows those that have fields below them. */
async function fieldPaths(
  endpoint: string,
  begun: string,
  parameters: readonly [string, string][],
  address: ServiceAddress,
): Promise<readonly string[]> {
  if (!begun.includes('.')) {
    const found = (await endpointsOf(address)).find(({ id, name }) => endpoint === name || endpoint === id);
    return (found?.tables ?? []).flatMap((table) => [table, `${table}.`]);
  }
  const query = new URLSearchParams([...parameters, ['prefix', begun], ['limit', '1000']]);
  const path = `/api/endpoints/${encodeURIComponent(endpoint)}/fields?${query.toString()}`;
  const { result } = await askJson(address, path, fieldsPageSchema);
  return result
    .filter((field) => !field.path.slice(begun.length).includes('.'))
    .flatMap(({ path, types }) => (types.includes('OBJECT') ? [path, `${path}.`] : [path]));
}
