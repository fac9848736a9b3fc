import { describe, expect, it } from 'vitest';
import { hasPostgres } from '../../../../test/support/postgresStores.ts';
import { cachedNode } from '../../../cache/openCache.fixture.ts';
import { ManualClock } from '../../../core/clock.ts';
import { systemRandomness } from '../../../core/ids.ts';
import { ManualTimer } from '../../../core/timer.ts';
import { RunningQueries } from '../../../invoke/runningQueries.ts';
import { defaultUsageSettings, Usage } from '../../../observe/usage.ts';
import { cachePurgeContract } from '../../../ports/cachePurge.contract.ts';
import { queryControlContract } from '../../../ports/queryControl.contract.ts';
import { requestCounterContract } from '../../../ports/requestCounter.contract.ts';
import { tokenRunsContract } from '../../../ports/tokenRuns.contract.ts';
import { usageCounterContract } from '../../../ports/usageCounter.contract.ts';
import { workClaimsContract } from '../../../ports/workClaims.contract.ts';
import type { LocalParts } from './joinNodes.ts';
import { openNodes, type TestNode } from './twoNodes.fixture.ts';

function two(nodes: readonly TestNode[]): readonly [TestNode, TestNode] {
  const [first, second] = nodes;
  if (first === undefined || second === undefined) throw new Error('two nodes were expected');
  return [first, second];
}

/** Makes the clocks of the test the shared clock, so that nodes do not correct them. */
function trustClocks(nodes: readonly TestNode[]): void {
  for (const { node } of nodes) Object.defineProperty(node.pulse, 'clockOffsetMicros', { value: 0 });
}

const defined = (parts: { readonly [K in keyof LocalParts]?: LocalParts[K] | undefined }): Partial<LocalParts> =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));

describe.skipIf(!hasPostgres)('ports of nodes in PostgreSQL', () => {
  requestCounterContract('PostgreSQL', async () => {
    const { nodes, close } = await openNodes(2);
    const counters = two(nodes).map(({ node, clock }) => ({
      take: (...[buckets, nowMicros]: Parameters<typeof node.requestCounter.take>) => {
        clock.setMicros(nowMicros);
        return node.requestCounter.take(buckets, nowMicros);
      },
    }));
    trustClocks(nodes);
    const exchange = async () => {
      for (const { node } of nodes) await node.requestCounter.exchange();
    };
    const [counter, elsewhere] = counters;
    if (counter === undefined || elsewhere === undefined) throw new Error('two counters were expected');
    return { counter, elsewhere, exchange, close };
  });

  tokenRunsContract('PostgreSQL', async () => {
    const { nodes, close } = await openNodes(2);
    const [first, second] = two(nodes);
    trustClocks(nodes);
    let nowMicros = 1_000_000_000;
    const exchange = async () => {
      for (const { node, clock } of nodes) {
        nowMicros += 1000;
        clock.setMicros(nowMicros);
        await node.tokenRuns.exchange();
      }
    };
    return { runs: first.node.tokenRuns, elsewhere: second.node.tokenRuns, exchange, close };
  });

  cachePurgeContract('PostgreSQL', async () => {
    const caches = [0, 1].map((n) => cachedNode(() => two(opened.nodes)[n === 0 ? 0 : 1].node.cachePurge.isCurrent));
    const opened = await openNodes(2, (n) => defined({ cache: caches[n]?.cache }));
    for (const { node } of opened.nodes) await node.cachePurge.followed();
    const [node, elsewhere] = two(opened.nodes).map((each, n) => ({
      purge: each.node.cachePurge,
      answer: async (endpointId: string, fresh: string, hold?: Promise<void>) =>
        (await caches[n]?.answer(endpointId, fresh, hold)) ?? '',
    }));
    if (node === undefined || elsewhere === undefined) throw new Error('two nodes were expected');
    return { node, elsewhere, close: opened.close };
  });

  queryControlContract('PostgreSQL', async () => {
    const running = [0, 1].map(
      () =>
        new RunningQueries({
          clock: new ManualClock(0),
          randomness: systemRandomness,
          observe: () => undefined,
          readMs: () => 0,
        }),
    );
    const { nodes, close } = await openNodes(2, (n) => defined({ running: running[n] }));
    const [first, second] = two(nodes);
    return {
      control: first.node.queryControl,
      elsewhere: second.node.queryControl,
      begin: (tokenId) => {
        const run = running[0]?.begin(
          { endpoint: { id: 'e1', name: 'example.rows' }, tokenId },
          new AbortController().signal,
        );
        if (run === undefined) throw new Error('no query');
        return { signal: run.signal, end: () => run.ended(undefined) };
      },
      close,
    };
  });

  usageCounterContract('PostgreSQL', async () => {
    const stored = new Map<string, number>();
    let failures = 0;
    const usages = [0, 1].map(
      () =>
        new Usage(
          { ...defaultUsageSettings, slowMs: Number.POSITIVE_INFINITY },
          {
            clock: new ManualClock(1_000_000_000),
            timer: new ManualTimer(),
            randomness: systemRandomness,
            observe: () => undefined,
            write: async (events) => {
              if (failures-- > 0) throw new Error('the store failed');
              for (const { metadata } of events as { metadata: { token: string; calls: number } }[]) {
                stored.set(metadata.token, (stored.get(metadata.token) ?? 0) + metadata.calls);
              }
            },
          },
        ),
    );
    const { nodes, close } = await openNodes(2, (n) => defined({ usage: usages[n] }));
    const [first, second] = two(nodes);
    return {
      usage: first.node.usage,
      elsewhere: second.node.usage,
      stored: (token) => stored.get(token) ?? 0,
      failNext: (attempts) => {
        failures = attempts;
      },
      close,
    };
  });

  workClaimsContract('PostgreSQL', async () => {
    const { nodes, close } = await openNodes(2);
    const [first, second] = two(nodes);
    return { claims: first.node.claims, elsewhere: second.node.claims, close };
  });

  it('opens two nodes that see each other, with their versions, and one alone after the other has said that it goes', async () => {
    const { nodes, close } = await openNodes(2);
    const [first, second] = two(nodes);
    expect(first.node.pulse.list().map(({ id, version, isAlive }) => ({ id, version, isAlive }))).toEqual([
      { id: first.node.pulse.id, version: '0.0.0', isAlive: true },
      { id: second.node.pulse.id, version: '0.0.0', isAlive: true },
    ]);
    await second.node.close();
    await first.node.pulse.beat();
    expect(first.node.pulse.list().map(({ id }) => id)).toEqual([first.node.pulse.id]);
    await close();
  });
});
