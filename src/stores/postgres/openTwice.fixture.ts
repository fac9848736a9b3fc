import { freshSchema } from '../../../test/support/postgresStores.ts';
import { systemTimer } from '../../core/timer.ts';
import type { TwoConnections } from '../sql/twoConnections.fixture.ts';
import { openPostgres, type PostgresStore } from './openPostgres.ts';
import { parsePostgresAddress } from './postgresAddress.ts';
import type { PostgresWaits } from './postgresClient.ts';

/** For tests on a busy machine. */
export const patientWaits: PostgresWaits = { connectMs: 120_000, statementMs: 120_000, lockMs: 120_000 };

export interface TwoNodes extends TwoConnections {
  readonly url: string;
  readonly nodes: readonly [PostgresStore, PostgresStore];
}

/** Two nodes on one store in a new schema. For tests. */
export async function openTwice(): Promise<TwoNodes> {
  const { url, drop } = await freshSchema();
  const open = () =>
    openPostgres({ address: parsePostgresAddress(url), release: '0.0.0', timer: systemTimer, waits: patientWaits });
  const nodes = [await open(), await open()] as const;
  return {
    url,
    nodes,
    first: nodes[0].database,
    second: nodes[1].database,
    close: async () => {
      await Promise.all(nodes.map((node) => node.close()));
      await drop();
    },
  };
}
