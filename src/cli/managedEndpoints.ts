import { z } from 'zod';
import { isUuid } from '../core/ids.ts';
import { CliError } from './cliError.ts';
import { answerOf, type ServiceAddress } from './serviceClient.ts';

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

/** Tokens that called an endpoint lately, where something breaks; null where nothing does, or the service could not find out. */
export const callersSchema = z
  .array(z.looseObject({ token: z.string(), calls: z.number(), last_call: z.string() }))
  .nullable();

export type EndpointCallers = z.infer<typeof callersSchema>;

export type EndpointDiff = z.infer<typeof diffSchema>;

/** What the service has to say of a query that is right; a service of before tells nothing. */
export const noticesSchema = z
  .array(z.looseObject({ message: z.string(), line: z.number().optional(), column: z.number().optional() }))
  .optional();

/** Lines that tell an endpoint's notices, each with its place in the query. */
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

/** What became of an endpoint; after a dry run, what would. */
export function outcomeText(outcome: string, isDryRun: boolean): string {
  return isDryRun && outcome !== 'unchanged' ? `would be ${outcome}:` : outcome;
}

/** Asks the service for JSON, and sends some; throws a CliError for everything but the expected. */
export async function askJson<T>(
  address: ServiceAddress,
  path: string,
  answer: z.ZodType<T>,
  sent?: { readonly body?: unknown; readonly method?: 'POST' | 'DELETE' },
): Promise<T> {
  const text = await answerOf(address, path, {
    ...(sent === undefined ? { method: 'GET' as const } : {}),
    ...(sent?.method === 'DELETE' ? { method: 'DELETE' as const } : {}),
    ...(sent?.body === undefined
      ? {}
      : { body: JSON.stringify(sent.body), headers: { 'content-type': 'application/json' } }),
  });
  const parsed = answer.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new CliError(`${address.url} answered with something else than was expected; is the address right?`);
}

/** Every item of a list of pages. */
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

/** All endpoints, or those of one name; those that are there, or those that were deleted. */
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

/** The id of an endpoint given by id, or by name for the one that answers by it. Throws a CliError where there is none. */
export async function endpointId(address: ServiceAddress, idOrName: string): Promise<string> {
  if (isUuid(idOrName)) return idOrName.toLowerCase();
  const primary = (await listEndpoints(address, idOrName)).find((endpoint) => endpoint.primary);
  if (primary !== undefined) return primary.id;
  throw new CliError(`There is no endpoint with the name ${idOrName}. "logmill endpoints list" shows which there are.`);
}

/** The same of an endpoint that was deleted; a name must be that of one alone. */
export async function deletedEndpointId(address: ServiceAddress, idOrName: string): Promise<string> {
  if (isUuid(idOrName)) return idOrName.toLowerCase();
  const [found, ...others] = await listEndpoints(address, idOrName, true);
  if (found !== undefined && others.length === 0) return found.id;
  if (found === undefined) {
    throw new CliError(
      `There is no deleted endpoint with the name ${idOrName}. "logmill endpoints list --deleted" shows which there are.`,
    );
  }
  const ids = [found, ...others].map(({ id, deleted_at }) => `${id} (deleted ${String(deleted_at)})`);
  throw new CliError(`Several deleted endpoints had the name ${idOrName}; name one by its id: ${ids.join(', ')}.`);
}

/** The definition of an endpoint with everything that is known of it, or one of its versions. */
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
