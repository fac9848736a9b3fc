import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../../../test/support/postgresStores.ts';
import { cachedNode } from '../../../cache/openCache.fixture.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { QueryControl } from '../../../ports/queryControl.ts';
import { openNodes, type TestNode, type TestNodes } from './twoNodes.fixture.ts';

/** Short, so that tests need not wait for long. */
const leaseMs = 300;
const rate = { requests: 100, seconds: 1_000 };

const noQueries: QueryControl = {
  list: () => ({ queries: [], silentNodes: [] }),
  kill: () => {
    throw new ServiceError('query.unknown', 'No such query.');
  },
};

describe.skipIf(!hasPostgres)('a node without the database', () => {
  let opened: TestNodes;
  let caches: readonly ReturnType<typeof cachedNode>[];
  const node = (n: number): TestNode => {
    const found = opened.nodes[n];
    if (found === undefined) throw new Error(`no node ${n}`);
    return found;
  };
  beforeEach(async () => {
    caches = [0, 1].map((n) => cachedNode(() => node(n).node.cachePurge.isCurrent));
    opened = await openNodes(
      2,
      (n) => {
        const cache = caches[n]?.cache;
        return cache === undefined ? {} : { cache, running: noQueries };
      },
      leaseMs,
    );
  });
  afterEach(async () => {
    await opened.close();
  });

  const take = (n: number) => {
    const { node: own, clock } = node(n);
    return own.requestCounter.take([{ key: 'a', rate }], clock.nowMicros()).isAllowed;
  };

  it('keeps the share of a rate that it had', async () => {
    for (let n = 0; n < 3; n++) {
      for (const each of [0, 1]) take(each);
      for (const { node: own } of opened.nodes) await own.requestCounter.exchange();
    }
    await node(1).vanish();
    await node(1).node.requestCounter.exchange();
    const allowed = Array.from({ length: 200 }, () => take(1)).filter(Boolean).length;
    expect(allowed).toBeGreaterThan(35);
    expect(allowed).toBeLessThan(60);
    // Reported once, not with each failed exchange.
    await node(1).node.requestCounter.exchange();
    expect(
      node(1).observed.filter((each) => each.kind === 'nodes.out_of_contact' && each.what.includes('rates')),
    ).toHaveLength(1);
  });

  it('runs its part of the concurrent queries of a token that it did not know', async () => {
    await node(1).vanish();
    await node(1).node.tokenRuns.exchange();
    const { tokenRuns } = node(1).node;
    expect(tokenRuns.mayBegin('a', 4)).toBe(false);
    await tokenRuns.exchange();
    const begun = [0, 1, 2].filter(() => {
      if (!tokenRuns.mayBegin('a', 4)) return false;
      tokenRuns.begin('a');
      return true;
    });
    expect(begun).toHaveLength(2);
  });

  it('says that the other nodes did not answer, and refuses to purge', async () => {
    await node(1).vanish();
    const { queryControl, cachePurge } = node(1).node;
    expect(await queryControl.list(null)).toEqual({ queries: [], silentNodes: [node(0).node.pulse.id] });
    expect(node(1).observed).toContainEqual({
      kind: 'nodes.silent',
      request: 'queries.list',
      nodes: [node(0).node.pulse.id],
    });
    await expect(cachePurge.purge('e')).rejects.toThrow();
    await expect(queryControl.kill('none', null, 'operator')).rejects.toThrow(node(0).node.pulse.id);
  });

  it('answers nothing from its cache once a purge may have been completed without it', async () => {
    const cache = caches[1];
    await node(1).node.pulse.beat();
    await node(1).node.cachePurge.followed();
    await cache?.answer('a', 'old');
    await node(1).vanish();
    // Resolves although the other node cannot be reached, but not before it stops to use its cache.
    await node(0).node.cachePurge.purge('a');
    expect(node(1).node.cachePurge.isCurrent).toBe(false);
    expect(await cache?.answer('a', 'new')).toBe('new');
  });

  it('drops everything if purges cannot be read any more, because the server has crashed', async () => {
    const { pulse, cachePurge } = node(1).node;
    await pulse.beat();
    await cachePurge.followed();
    await caches[1]?.answer('a', 'old');
    await node(0).store.pool.query(`with next as (update node_counters set value = value + 1 where name = 'purges')
      delete from cache_purges`);
    await pulse.beat();
    await cachePurge.followed();
    expect(await caches[1]?.answer('a', 'new')).toBe('new');
  });

  it('applies a purge whose number an earlier one had, if an older copy of the store was restored', async () => {
    const restored = async (drops: (purges: TestNode['node']['cachePurge']) => Promise<unknown>) => {
      await node(0).node.cachePurge.purge('other');
      for (const { node: each } of opened.nodes) {
        await each.pulse.beat();
        await each.cachePurge.followed();
      }
      await caches[1]?.answer('a', 'old');
      await node(0).store.pool.query(`with back as (update node_counters set value = value - 1 where name = 'purges')
        delete from cache_purges where number = (select max(number) from cache_purges)`);
      await drops(node(0).node.cachePurge);
    };
    await restored(async () => {
      await node(1).node.pulse.beat();
      await node(1).node.cachePurge.followed();
    });
    // Nobody knows which purges were made and lost.
    expect(await caches[1]?.answer('a', 'new')).toBe('new');
    await restored(async (purges) => {
      for (const { node: each } of opened.nodes) {
        await each.pulse.beat();
        await each.cachePurge.followed();
      }
      await caches[1]?.answer('a', 'older');
      await purges.purge('a');
    });
    expect(await caches[1]?.answer('a', 'newest')).toBe('newest');
  });
});
