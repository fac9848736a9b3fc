import { createHash } from 'node:crypto';
import type { WorkClaims } from '../../../ports/workClaims.ts';
import type { RunsStatements } from './nodeMessages.ts';

/** Claims of all nodes. The clock is the database's. */
export class SharedWorkClaims implements WorkClaims {
  readonly #nodeId: string;
  readonly #pool: RunsStatements;

  constructor(nodeId: string, pool: RunsStatements) {
    this.#nodeId = nodeId;
    this.#pool = pool;
  }

  async claim(key: string, seconds: number): Promise<boolean> {
    const rows = await this.#pool.query(
      `insert into work_claims as known (key, node, until)
       values ($1, $2, clock_timestamp() + $3 * interval '1 second')
       on conflict (key) do update set node = excluded.node, until = excluded.until
       where known.node = excluded.node or known.until < clock_timestamp()
       returning 1`,
      // Keys may be long, and contain the texts of callers.
      [createHash('sha256').update(key).digest('hex'), this.#nodeId, seconds],
    );
    return rows.length > 0;
  }
}
