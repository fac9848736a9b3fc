import * as z from 'zod';
import { counted } from '../core/counted.ts';
import { isUuid } from '../core/ids.ts';
import type { CliContext } from './cliContext.ts';
import { CliError } from './cliError.ts';
import { askJson } from './managedEndpoints.ts';
import type { ServiceAddress } from './serviceClient.ts';

const runningQuery = z.looseObject({
  id: z.string(),
  endpoint: z.looseObject({ name: z.string() }),
  token: z.string().nullable(),
  stage: z.string(),
  started_at: z.string(),
  elapsed_ms: z.number(),
});

const answerSchema = z.looseObject({
  queries: z.array(runningQuery),
  silent_nodes: z.array(z.string()).default([]),
});

/** Lists the waiting and running queries. Says on standard error if those of some nodes are missing. */
export async function listRunning(
  address: ServiceAddress,
  { err }: Pick<CliContext, 'err'>,
): Promise<readonly z.output<typeof runningQuery>[]> {
  const { queries, silent_nodes: silent } = await askJson(address, '/api/queries', answerSchema);
  if (silent.length > 0) {
    err(
      `Queries of ${counted(silent.length, 'node')} are missing, because there was no answer: ${silent.join(', ')}.\n`,
    );
  }
  return queries;
}

/** The ID of a query, given as ID, or as the name of its endpoint if no other query of it waits or runs. */
export async function runningQueryId(
  address: ServiceAddress,
  idOrName: string,
  context: Pick<CliContext, 'err'>,
): Promise<string> {
  if (isUuid(idOrName)) return idOrName;
  const [found, ...others] = (await listRunning(address, context)).filter(({ endpoint }) => endpoint.name === idOrName);
  if (found === undefined) {
    throw new CliError(
      `No query of an endpoint named ${idOrName} waits or runs. "logmill queries list" lists the queries.`,
    );
  }
  if (others.length === 0) return found.id;
  const all = [found, ...others];
  const ids = all.slice(0, 10).map(({ id, token, stage }) => `${id} (${stage}, token ${token ?? 'none'})`);
  const more = all.length > ids.length ? ` and ${all.length - ids.length} more` : '';
  throw new CliError(
    `${all.length} queries of ${idOrName} wait or run. Give the ID of one: ${ids.join(', ')}${more}.`,
    {
      exitCode: 2,
    },
  );
}
