import type { PooledConnection } from '../postgresPool.ts';
import { nodeLapseMs } from './nodeTimes.ts';

/** Connections to the database. */
export interface Connects {
  connect(): Promise<PooledConnection>;
}

export interface StateContext {
  /** The nodes that were heard of lately. */
  readonly alive: ReadonlySet<string>;
}

/** Returns the new state of a key, or null for none, which is the state of a key that was never settled. */
export type SettleState<State> = (key: string, state: State | null, context: StateContext) => State | null;

export interface SettledKeys {
  /** Keys that had no state before. */
  readonly begun: readonly string[];
}

/** Kinds of state, each with keys of its own. */
export type StateKind = 'requests' | 'slots';

/**
 * States that nodes change together, each in one transaction. They describe the present and are lost with the server,
 * so they are not written to its log.
 */
export class SharedStates {
  readonly #pool: Connects;

  constructor(pool: Connects) {
    this.#pool = pool;
  }

  /**
   * Changes the states of several keys, or none of them. No other node sees or changes them meanwhile. `settle` must
   * have no effect besides its result, because the change may fail afterwards.
   */
  async settle<State>(kind: StateKind, keys: readonly string[], settle: SettleState<State>): Promise<SettledKeys> {
    const connection = await this.#pool.connect();
    // Locks in one order, so that two nodes never wait for each other.
    const sorted = [...new Set(keys)].sort();
    try {
      await connection.query('begin', []);
      await connection.query(
        'insert into node_states (kind, key) select $1, key from unnest($2::text[]) key order by key on conflict do nothing',
        [kind, sorted],
      );
      const { rows } = await connection.query(
        'select key, state from node_states where kind = $1 and key = any ($2::text[]) order by key for update',
        [kind, sorted],
      );
      const states = new Map((rows as { key: string; state: string | null }[]).map(({ key, state }) => [key, state]));
      const context = { alive: await aliveNodes(connection) };
      const begun: string[] = [];
      const texts = sorted.map((key) => {
        const text = states.get(key) ?? null;
        const state = settle(key, text === null ? null : (JSON.parse(text) as State), context);
        if (text === null && state !== null) begun.push(key);
        return state === null ? null : JSON.stringify(state);
      });
      await connection.query(
        `update node_states known set state = given.state, touched_at = clock_timestamp()
         from unnest($2::text[], $3::text[]) as given (key, state) where known.kind = $1 and known.key = given.key`,
        [kind, sorted, texts],
      );
      await connection.query('commit', []);
      return { begun };
    } catch (error) {
      await connection.query('rollback', []).catch(() => undefined);
      throw error;
    } finally {
      connection.release();
    }
  }

  /** Keys that have a state. */
  async keys(kind: StateKind): Promise<readonly string[]> {
    const connection = await this.#pool.connect();
    try {
      const { rows } = await connection.query('select key from node_states where kind = $1 and state is not null', [
        kind,
      ]);
      return (rows as { key: string }[]).map(({ key }) => key);
    } finally {
      connection.release();
    }
  }

  /** Removes keys that no node has touched for an hour. */
  async clean(): Promise<void> {
    const connection = await this.#pool.connect();
    try {
      await connection.query(`delete from node_states where touched_at < clock_timestamp() - interval '1 hour'`, []);
    } finally {
      connection.release();
    }
  }
}

async function aliveNodes(connection: PooledConnection): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query(
    `select id from nodes where seen_at > clock_timestamp() - $1 * interval '1 millisecond'`,
    [nodeLapseMs],
  );
  return new Set((rows as { id: string }[]).map(({ id }) => id));
}
