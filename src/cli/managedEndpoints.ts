import * as z from 'zod';
import { isUuid } from '../core/ids.ts';
import { CliError } from './cliError.ts';
import { answerOf, type ServiceAddress, type ServiceRequest } from './serviceClient.ts';

const fieldChange = z.looseObject({ field: z.string(), from: z.unknown(), to: z.unknown() });

export const diffSchema = z.looseObject({
  query: z.string().nullable(),
  parameters: z.array(z.looseObject({ name: z.string(), change: z.string(), fields: z.array(fieldChange) })),
  columns: z.array(
    z.looseObject({ name: z.string(), change: z.string(), from: z.string().nullable(), to: z.string().nullable() }),
  ),
  settings: z.array(fieldChange),
  breaking: z.array(z.looseObject({ rule: z.string(), name: z.string(), message: z.string() })),
});

/** Tokens that recently called an endpoint that a change breaks; null if nothing breaks or the callers are unknown. */
export const callersSchema = z
  .array(
    z.looseObject({
      token: z.string(),
      // Older services send none.
      description: z.string().nullish(),
      calls: z.number(),
      last_call: z.string(),
    }),
  )
  .nullable();

export type EndpointCallers = z.infer<typeof callersSchema>;

export type EndpointDiff = z.infer<typeof diffSchema>;

/** Notices about a valid query; older services send none. */
export const noticesSchema = z
  .array(z.looseObject({ message: z.string(), line: z.number().optional(), column: z.number().optional() }))
  .optional();

/** Renders an endpoint's notices, one line each, with the place in the query. */
export function noticeLines(name: string | null, notices: z.infer<typeof noticesSchema> = []): readonly string[] {
  return notices.map(({ message, line, column }) => {
    const place = line === undefined || column === undefined ? '' : ` (line ${line}, column ${column})`;
    return `notice: ${name === null ? '' : `${name}: `}${message}${place}\n`;
  });
}

const summarySchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  primary: z.boolean(),
  version: z.number(),
  updated_at: z.string(),
  author: z.string().nullable(),
  note: z.string(),
  deleted_at: z.string().optional(),
});

export type EndpointSummary = z.infer<typeof summarySchema>;

/** The outcome for an endpoint; after a dry run, the outcome that it would have. */
export function outcomeText(outcome: string, isDryRun: boolean): string {
  return isDryRun && outcome !== 'unchanged' ? `would be ${outcome}:` : outcome;
}

/** Calls the service and parses its JSON answer. Throws a CliError for any other answer. */
export async function askJson<T>(
  address: ServiceAddress,
  path: string,
  answer: z.ZodType<T>,
  sent?: Pick<ServiceRequest, 'effect'> & { readonly body?: unknown; readonly method?: 'POST' | 'DELETE' },
): Promise<T> {
  const text = await answerOf(address, path, {
    ...(sent === undefined ? { method: 'GET' as const } : {}),
    ...(sent?.method === 'DELETE' ? { method: 'DELETE' as const } : {}),
    ...(sent?.effect === undefined ? {} : { effect: sent.effect }),
    ...(sent?.body === undefined
      ? {}
      : { body: JSON.stringify(sent.body), headers: { 'content-type': 'application/json' } }),
  });
  const parsed = answer.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new CliError(
    `${address.url} sent an answer that this command cannot read. Check the address (--url or LOGMILL_URL).`,
  );
}

/** Reads all pages of a list. */
export async function askPages<T>(address: ServiceAddress, path: string, item: z.ZodType<T>): Promise<readonly T[]> {
  const page = z.looseObject({ result: z.array(item), next: z.string().nullable() });
  const items: T[] = [];
  let cursor = '';
  let isLast = false;
  while (!isLast) {
    const separator = path.includes('?') ? '&' : '?';
    const { result, next }: z.infer<typeof page> = await askJson(
      address,
      `${path}${separator}limit=1000${cursor}`,
      page,
    );
    items.push(...result);
    isLast = next === null;
    cursor = `&cursor=${next}`;
  }
  return items;
}

/** Lists all endpoints, or those of one name; with `isDeleted`, only deleted ones. */
export function listEndpoints(
  address: ServiceAddress,
  name?: string,
  isDeleted = false,
): Promise<readonly EndpointSummary[]> {
  const wanted = new URLSearchParams();
  if (name !== undefined) wanted.set('name', name);
  if (isDeleted) wanted.set('deleted', 'true');
  return askPages(address, `/api/endpoints${wanted.size === 0 ? '' : `?${wanted.toString()}`}`, summarySchema);
}

/** The id of an endpoint, given as id or as name (its primary endpoint). Throws a CliError if there is none. */
export async function endpointId(address: ServiceAddress, idOrName: string): Promise<string> {
  if (isUuid(idOrName)) return idOrName.toLowerCase();
  const primary = (await listEndpoints(address, idOrName)).find((endpoint) => endpoint.primary);
  if (primary !== undefined) return primary.id;
  throw new CliError(`There is no endpoint named ${idOrName}. "logmill endpoints list" lists the endpoints.`);
}

/**
 * Like `endpointId` for an endpoint that does not answer by its name, because another one does. The name must leave only
 * one; if no endpoint shares it, it is the ID of the one that has it.
 */
export async function sharingEndpointId(address: ServiceAddress, idOrName: string): Promise<string> {
  if (isUuid(idOrName)) return idOrName.toLowerCase();
  const [found, ...others] = (await listEndpoints(address, idOrName)).filter((endpoint) => !endpoint.primary);
  if (found === undefined) return endpointId(address, idOrName);
  if (others.length === 0) return found.id;
  const ids = [found, ...others].map(({ id, updated_at }) => `${id} (changed ${updated_at})`);
  throw new CliError(
    `${others.length + 1} endpoints named ${idOrName} do not answer by it. Give the ID of one: ${ids.join(', ')}.`,
    { exitCode: 2 },
  );
}

/** Like `endpointId` for deleted endpoints, which a name must identify uniquely. */
export async function deletedEndpointId(address: ServiceAddress, idOrName: string): Promise<string> {
  if (isUuid(idOrName)) return idOrName.toLowerCase();
  const [found, ...others] = await listEndpoints(address, idOrName, true);
  if (found !== undefined && others.length === 0) return found.id;
  if (found === undefined) {
    throw new CliError(
      `There is no deleted endpoint named ${idOrName}. "logmill endpoints list --deleted" lists the deleted ones.`,
    );
  }
  const ids = [found, ...others].map(({ id, deleted_at }) => `${id} (deleted ${String(deleted_at)})`);
  throw new CliError(`Several deleted endpoints were named ${idOrName}. Give the ID of one: ${ids.join(', ')}.`);
}

/** Reads the current definition of an endpoint with its metadata, or one of its versions. */
export function readEndpoint(
  address: ServiceAddress,
  id: string,
  version?: string,
  isDeleted = false,
): Promise<Readonly<Record<string, unknown>>> {
  const path = version === undefined ? '' : `/versions/${encodeURIComponent(version)}`;
  return askJson(
    address,
    `/api/endpoints/${id}${path}${isDeleted ? '?deleted=true' : ''}`,
    z.record(z.string(), z.unknown()),
  );
}
