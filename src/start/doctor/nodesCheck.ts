import { counted } from '../../core/counted.ts';
import type { PostgresPool } from '../../stores/postgres/postgresPool.ts';
import { type Finding, ok, warn } from './finding.ts';

interface SeenRow {
  readonly id: string;
  readonly version: string;
  readonly silent_ms: number;
}

/** Names the nodes that use the shared store. */
export async function checkNodes(pool: PostgresPool): Promise<Finding> {
  const { nodeLapseMs } = await import('../../stores/postgres/nodes/nodeTimes.ts');
  const [table] = await pool.query<{ readonly found: boolean }>(
    `select exists (select from pg_tables where schemaname = $1 and tablename = 'nodes') as found`,
    [pool.address.schema],
  );
  if (table?.found !== true) return ok('nodes', 'No node has used the store yet.');
  const seen = await pool.query<SeenRow>(
    `select id, version, floor(extract(epoch from clock_timestamp() - seen_at) * 1000)::bigint silent_ms
     from nodes order by started_micros, id`,
  );
  const alive = seen.filter(({ silent_ms }) => silent_ms < nodeLapseMs);
  const silent = seen.filter(({ silent_ms }) => silent_ms >= nodeLapseMs);
  const named = alive.map(({ id, version }) => `${id} (${version})`).join(', ');
  const sentence =
    alive.length === 0
      ? 'No node is alive'
      : `${counted(alive.length, 'node')} ${alive.length === 1 ? 'is' : 'are'} alive: ${named}`;
  if (silent.length > 0) {
    const gone = silent.map(({ id, silent_ms }) => `${id} for ${Math.round(silent_ms / 1000)} s`).join(', ');
    return warn(
      'nodes',
      `${sentence}; silent: ${gone}.`,
      'If you did not stop these nodes, look at their logs and at their connection to PostgreSQL.',
    );
  }
  if (new Set(alive.map(({ version }) => version)).size > 1) {
    return warn('nodes', `${sentence}. They have different versions.`, 'Finish the upgrade: restart the older nodes.');
  }
  return ok('nodes', `${sentence}.`);
}
