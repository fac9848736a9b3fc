import type pg from 'pg';
import { PostgresCluster, postgresPrograms } from '../../test/support/postgresCluster.ts';
import { loadEvents } from '../postgres/loadEvents.ts';
import { serverSettings } from '../postgres/serverSettings.ts';
import type { Figure } from './figure.ts';
import type { PartContext } from './partContext.ts';
import type { PreparedEvents } from './preparedEvents.ts';

/** Runs `measure` with a PostgreSQL server that holds the prepared events. Without PostgreSQL, says that `what` is left out. */
export async function withLoadedPostgres(
  context: PartContext,
  prepared: PreparedEvents,
  what: string,
  measure: (cluster: PostgresCluster, loader: pg.Client) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const programs = postgresPrograms();
  if ('missing' in programs) {
    context.say(`${programs.missing}: ${what} left out`);
    return [];
  }
  const folder = context.newFolder('postgres');
  const cluster = await PostgresCluster.start({ folder, programs: programs.path, settings: serverSettings });
  try {
    context.say(`copying the events to ${cluster.version}`);
    const loader = await cluster.connect();
    const loaded = await loadEvents(loader, prepared.path, folder);
    if (loaded !== prepared.events) throw new Error(`PostgreSQL holds ${loaded} of ${prepared.events} events`);
    return await measure(cluster, loader);
  } finally {
    await cluster.stop();
  }
}
