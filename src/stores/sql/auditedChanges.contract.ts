import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../audit/auditTrail.ts';
import { parseDefinition } from '../../endpoints/parseDefinition.ts';
import { SqlAuditTrail } from './sqlAuditTrail.ts';
import { SqlDeletionStore } from './sqlDeletionStore.ts';
import { SqlEndpointStore } from './sqlEndpointStore.ts';
import { SqlRetentionStore } from './sqlRetentionStore.ts';
import { SqlSourceStore } from './sqlSourceStore.ts';
import { SqlTokenStore } from './sqlTokenStore.ts';
import { tokenRecord } from './tokenRecord.fixture.ts';
import type { StoreUnderTest, TwoConnections } from './twoConnections.fixture.ts';

const entry: AuditEvent = {
  atMicros: 5,
  actor: 'aaaaaaaaaaaa',
  action: 'token.create',
  target: 'bbbbbbbbbbbb',
  version: null,
  requestId: 'r',
};
/** The trail refuses an entry that counts no request, just as a full disk refuses any entry. */
const refused: AuditEvent = { ...entry, count: 0 };

const endpointId = '11111111-1111-4111-8111-111111111111';

type Told = () => readonly AuditEvent[];

/** Every change of a store and its audit entries exist together or not at all. */
export function auditedChangesContract({ name, openTwice }: StoreUnderTest): void {
  describe(`audited changes in ${name}`, () => {
    let connections: TwoConnections;
    /** Another process, which sees only what is durable. */
    let trail: SqlAuditTrail;
    beforeEach(async () => {
      connections = await openTwice();
      trail = new SqlAuditTrail(connections.second);
      await new SqlTokenStore(connections.first).create(tokenRecord('there'));
    });
    afterEach(() => connections.close());

    /** Every change of the store, and how another process sees it. */
    const changes: Readonly<
      Record<string, { change(told: Told): Promise<unknown>; seen(): Promise<unknown>; countsChanges?: () => number }>
    > = {
      'endpoints.apply': {
        change: (told) => {
          const definition = parseDefinition({ id: endpointId, name: 'a.b', query: 'select 1' }, { label: 'a.b' });
          return new SqlEndpointStore(connections.first).apply(
            [{ kind: 'create', definition }],
            { nowMicros: 1, author: null, note: '' },
            told,
          );
        },
        seen: () => new SqlEndpointStore(connections.second).list(),
      },
      'tokens.create': {
        change: (told) => new SqlTokenStore(connections.first).create(tokenRecord('new'), told),
        seen: () => new SqlTokenStore(connections.second).list(),
      },
      'tokens.revoke': {
        change: (told) => new SqlTokenStore(connections.first).revoke('there', 9, told),
        seen: () => new SqlTokenStore(connections.second).list(),
      },
      'tokens.rotate': {
        change: (told) => new SqlTokenStore(connections.first).rotate('there', 'another', 9, told),
        seen: () => new SqlTokenStore(connections.second).list(),
      },
      'sources.add': {
        change: (told) =>
          new SqlSourceStore(connections.first).add(
            { name: 's', projectField: { kind: 'column' }, description: '' },
            ['t'],
            1,
            told,
          ),
        seen: () => new SqlSourceStore(connections.second).load(),
      },
      'sources.setAliases': {
        change: (told) => new SqlSourceStore(connections.first).setAliases('edge_logs', ['edges'], told),
        seen: () => new SqlSourceStore(connections.second).load(),
      },
      'retention.change': {
        change: (told) =>
          new SqlRetentionStore(connections.first).change([{ source: 's', project: null, days: 3 }], [], told),
        seen: () => new SqlRetentionStore(connections.second).load(),
      },
      'deletions.add': {
        change: (told) =>
          new SqlDeletionStore(connections.first).add(
            {
              token: 1,
              id: 'd',
              project: 'p',
              source: null,
              beforeMicros: null,
              requestedMicros: 1,
              requestedBy: 'aaaaaaaaaaaa',
            },
            told,
          ),
        seen: () => new SqlDeletionStore(connections.second).load(),
      },
    };

    const all = { limit: 10, beforeSequence: null, actor: null };

    describe.each(Object.entries(changes))('%s', (_, { change, seen }) => {
      it('is not made where its entry cannot be written', async () => {
        const before = await seen();
        const generation = await new SqlTokenStore(connections.second).generation();
        await expect(change(() => [entry, refused])).rejects.toThrow(Error);
        expect(await seen()).toEqual(before);
        expect(await new SqlTokenStore(connections.second).generation()).toBe(generation);
        expect(await trail.list(all)).toEqual([]);
      });

      it('is not made where the service breaks off before its entry is written', async () => {
        const before = await seen();
        const brokenOff = () => {
          throw new Error('broken off');
        };
        await expect(change(brokenOff)).rejects.toThrow('broken off');
        expect(await seen()).toEqual(before);
      });

      it('is made together with its entry', async () => {
        const before = await seen();
        await change(() => [entry]);
        expect(await seen()).not.toEqual(before);
        expect(await trail.list(all)).toEqual([{ ...entry, code: null, count: 1, sequence: 1 }]);
      });
    });

    it('writes no entry of what changed nothing', async () => {
      const tokens = new SqlTokenStore(connections.first);
      expect(await tokens.revoke('nobody', 9, () => [entry])).toBe(false);
      expect(await tokens.rotate('nobody', 'hash', 9, () => [entry])).toBe(false);
      expect(await trail.list(all)).toEqual([]);
    });
  });
}
