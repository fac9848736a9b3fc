import { Command, Option } from 'commander';
import type { JsonValue } from '../../core/jsonValue.ts';
import { isJsonArray, isJsonObject } from '../../core/jsonValue.ts';
import { parseJson } from '../../core/losslessJson.ts';
import { writeJson } from '../../core/writeJson.ts';
import { callableEndpoints } from '../callableEndpoints.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { fieldsPageSchema, isAtOrBelow, renderFieldTree } from '../fieldTree.ts';
import { parameterOption, parametersOf } from '../parameterOption.ts';
import { plainTable } from '../plainTable.ts';
import { answerOf, type ServiceAddress, serviceAddress, urlOptionText } from '../serviceClient.ts';

interface DescribeOptions {
  readonly param: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill describe [ENDPOINT] [PATH]`: shows what the events of an endpoint hold. */
export function describeCommand(context: CliContext): Command {
  return new Command('describe')
    .description('show which fields the events of an endpoint have; without an endpoint, list the endpoints')
    .argument('[endpoint]', 'name or ID of the endpoint, such as logs.all')
    .argument('[path]', 'table, or a field and the fields below it, such as edge_logs.metadata.request')
    .addOption(parameterOption())
    .option('--from <time>', 'only events after this time (RFC 3339)')
    .option('--to <time>', 'only events up to this time (RFC 3339)')
    .addOption(new Option('--json', 'print JSON instead of a tree'))
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope query (default: LOGMILL_TOKEN)')
    .action((endpoint: string | undefined, path: string | undefined, options: DescribeOptions) =>
      endpoint === undefined ? listEndpoints(options, context) : describe(endpoint, path, options, context),
    );
}

async function listEndpoints(options: DescribeOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const endpoints = callableEndpoints(parseJson(await answerOf(address, '/openapi.json', { method: 'GET' })));
  if (options.json === true) {
    context.out(`${JSON.stringify(endpoints, undefined, 2)}\n`);
    return;
  }
  const rows = endpoints.map(({ name, id, required, tables }) => [name, id, required.join(', '), tables.join(', ')]);
  context.out(plainTable(['endpoint', 'id', 'required parameters', 'tables'], rows));
  const [widest] = endpoints.toSorted((a, b) => b.tables.length - a.tables.length);
  if (widest === undefined || widest.tables.length === 0) return;
  const parameters = widest.required.map((name) => ` -p ${name}=…`).join('');
  context.err(`"logmill describe ${widest.name}${parameters}" shows the fields of its tables.\n`);
}

async function describe(
  endpoint: string,
  path: string | undefined,
  options: DescribeOptions,
  context: CliContext,
): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const query = new URLSearchParams(parametersOf(options.param));
  if (path !== undefined) query.append('prefix', path);
  if (options.from !== undefined) query.append('from', options.from);
  if (options.to !== undefined) query.append('to', options.to);
  const pages = await allPages(endpoint, query, address);
  if (options.json === true) {
    context.out(`${writeJson(joined(pages))}\n`);
    return;
  }
  const read = pages.map((page) => pageOf(page, address));
  const all = read.flatMap(({ result }) => result);
  const below = path === undefined ? all : all.filter((field) => isAtOrBelow(field, path));
  const fields = below.length > 0 ? below : all;
  const tables = new Map(read.flatMap((page) => page.tables.map((table) => [table.name, table] as const)));
  if (path !== undefined && fields.length === 0)
    throw new CliError(`No event has a field whose path begins with ${path}.`);
  context.out(`${renderFieldTree(fields, [...tables.values()], context.columns)}\n`);
  for (const { message } of read[0]?.notices ?? []) context.err(`notice: ${message}\n`);
}

async function allPages(endpoint: string, query: URLSearchParams, address: ServiceAddress): Promise<JsonValue[]> {
  const pages: JsonValue[] = [];
  for (let cursor: string | null = null; ; ) {
    const parameters = new URLSearchParams(query);
    parameters.set('limit', '1000');
    if (cursor !== null) parameters.set('cursor', cursor);
    const path = `/api/endpoints/${encodeURIComponent(endpoint)}/fields?${parameters.toString()}`;
    const page = parseJson(await answerOf(address, path, { method: 'GET' }));
    pages.push(page);
    cursor = pageOf(page, address).next;
    if (cursor === null) return pages;
  }
}

function pageOf(page: JsonValue, address: ServiceAddress) {
  const parsed = fieldsPageSchema.safeParse(page);
  if (parsed.success) return parsed.data;
  throw new CliError(`The answer of ${address.url} is not a list of fields. Check the address (--url or LOGMILL_URL).`);
}

/** The pages as one answer. */
function joined(pages: readonly JsonValue[]): JsonValue {
  const [first] = pages;
  if (!isJsonObject(first)) return null;
  const listed = (member: string) =>
    pages.flatMap((page) => {
      const list = isJsonObject(page) ? page[member] : undefined;
      return isJsonArray(list) ? list : [];
    });
  const named = new Map(listed('tables').map((table) => [isJsonObject(table) ? table.name : null, table]));
  return { ...first, result: listed('result'), tables: [...named.values()], next: null };
}
