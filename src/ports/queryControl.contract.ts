import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { QueryControl } from './queryControl.ts';

/** No queries, as two nodes see them; one object if the adapter serves one node. */
export interface QueryControlHarness {
  readonly control: QueryControl;
  readonly elsewhere: QueryControl;
  /** Begins a query on the node of `control`. */
  begin(tokenId: string): BegunQuery;
  close?(): Promise<void>;
}

export interface BegunQuery {
  /** Aborted when the query is killed. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Requirements of every QueryControl. */
export function queryControlContract(
  name: string,
  open: () => QueryControlHarness | Promise<QueryControlHarness>,
): void {
  describe(`${name} as control of running queries`, () => {
    let harness: QueryControlHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(async () => {
      await harness.close?.();
    });

    /** Tokens of the listed queries, which must be the same on each node. */
    async function listed(ofToken: string | null = null): Promise<readonly string[]> {
      const [here, there] = await Promise.all([harness.control.list(ofToken), harness.elsewhere.list(ofToken)]);
      expect([here.silentNodes, there.silentNodes]).toEqual([[], []]);
      expect(there.queries.map(({ id }) => id)).toEqual(here.queries.map(({ id }) => id));
      return here.queries.map(({ tokenId }) => tokenId);
    }

    async function idOf(tokenId: string): Promise<string> {
      return (await harness.elsewhere.list(tokenId)).queries[0]?.id ?? '';
    }

    const kill = async (id: string, ofToken: string | null) => await harness.elsewhere.kill(id, ofToken, 'operator');

    it('lists the queries of all nodes in order of start, or those of one token, until they end', async () => {
      expect(await listed()).toEqual([]);
      const queries = ['a', 'b', 'a'].map((token) => harness.begin(token));
      expect([await listed(), await listed('a'), await listed('c')]).toEqual([['a', 'b', 'a'], ['a', 'a'], []]);
      for (const query of queries) query.end();
      expect(await listed()).toEqual([]);
    });

    it('kills one query, from any node', async () => {
      const [killed, other] = [harness.begin('a'), harness.begin('b')];
      await kill((await idOf('a')).toUpperCase(), null);
      expect(killed.signal.reason).toMatchObject({ code: 'query.killed' });
      expect(other.signal.aborted).toBe(false);
    });

    it('refuses to kill a query that is unknown, has ended, or belongs to another token', async () => {
      const query = harness.begin('a');
      const id = await idOf('a');
      const unknown = { code: 'query.unknown' };
      await expect(kill(id, 'b')).rejects.toMatchObject(unknown);
      await expect(kill(`${id}0`, null)).rejects.toMatchObject(unknown);
      expect(query.signal.aborted).toBe(false);
      query.end();
      await expect(kill(id, null)).rejects.toMatchObject(unknown);
    });
  });
}
