import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditTrailContract } from '../../audit/auditTrail.contract.ts';
import { endpointStoreContract } from '../../endpoints/endpointStore.contract.ts';
import { parseDefinition } from '../../endpoints/parseDefinition.ts';
import { commitLedgerContract } from '../../ports/commitLedger.contract.ts';
import { sessionStoreContract } from '../../sessions/sessionStore.contract.ts';
import { tokenStoreContract } from '../../tokens/tokenStore.contract.ts';
import { auditedChangesContract } from './auditedChanges.contract.ts';
import { removalStoresContract } from './removalStores.contract.ts';
import { sourceStoreContract } from './sourceStore.contract.ts';
import { SqlAuditTrail } from './sqlAuditTrail.ts';
import { SqlCommitLedger } from './sqlCommitLedger.ts';
import { SqlEndpointStore } from './sqlEndpointStore.ts';
import { SqlPageSecrets } from './sqlPageSecrets.ts';
import { SqlSessionStore } from './sqlSessionStore.ts';
import { SqlTokenStore } from './sqlTokenStore.ts';
import { storedChangesContract } from './storedChanges.contract.ts';
import { tokenRecord } from './tokenRecord.fixture.ts';
import type { StoreUnderTest, TwoConnections } from './twoConnections.fixture.ts';

/** Everything that every database of the stores must hold. */
export function storesContract(store: StoreUnderTest): void {
  endpointStoreContract(store.name, async () => {
    const { first, second, close } = await store.openTwice();
    return { store: new SqlEndpointStore(first), other: new SqlEndpointStore(second), close };
  });
  tokenStoreContract(store.name, async () => {
    const { first, second, close } = await store.openTwice();
    return { store: new SqlTokenStore(first), other: new SqlTokenStore(second), close };
  });
  sessionStoreContract(store.name, async () => {
    const { first, second, close } = await store.openTwice();
    return {
      store: new SqlSessionStore(first, undefined, 3),
      other: new SqlSessionStore(second),
      tokens: new SqlTokenStore(second),
      close,
    };
  });
  auditTrailContract(store.name, async () => {
    const { first, second, close } = await store.openTwice();
    return { trail: new SqlAuditTrail(first), other: new SqlAuditTrail(second), close };
  });
  commitLedgerContract(store.name, async () => {
    const { first, second, close } = await store.openTwice();
    return { ledgers: [new SqlCommitLedger(first), new SqlCommitLedger(second)], close };
  });
  auditedChangesContract(store);
  storedChangesContract(store);
  removalStoresContract(store);
  sourceStoreContract(store);
  pageSecretsContract(store);
  refusalsContract(store);
}

function pageSecretsContract({ name, openTwice }: StoreUnderTest): void {
  describe(`secrets of page cursors in ${name}`, () => {
    it('are those of the first node that adds one for a month, and go after the next month', async () => {
      const { first, second, close } = await openTwice();
      try {
        const [one, other] = [new SqlPageSecrets(first), new SqlPageSecrets(second)];
        const secretOf = (month: number, byte: number) => ({ month, secret: Buffer.alloc(32, byte) });
        expect(await one.load()).toEqual([]);
        expect(await one.add(secretOf(700, 1))).toEqual([secretOf(700, 1)]);
        expect(await other.add(secretOf(700, 2))).toEqual([secretOf(700, 1)]);
        expect(await other.add(secretOf(701, 3))).toEqual([secretOf(700, 1), secretOf(701, 3)]);
        expect(await one.add(secretOf(702, 4))).toEqual([secretOf(701, 3), secretOf(702, 4)]);
        expect(await other.load()).toEqual(await one.load());
      } finally {
        await close();
      }
    });
  });
}

/** What the database itself refuses, whoever writes to it. */
function refusalsContract({ name, openTwice }: StoreUnderTest): void {
  describe(`the database of ${name}`, () => {
    let connections: TwoConnections;
    beforeEach(async () => {
      connections = await openTwice();
    });
    afterEach(() => connections.close());

    it('refuses to alter a version', async () => {
      const definition = parseDefinition(
        { id: 'd9a2e433-3286-44d9-a3b2-96b88c809d76', name: 'a', query: 'select 1' },
        { label: 'a' },
      );
      await new SqlEndpointStore(connections.first).create(definition, 5);
      const altering = sql`update endpoint_versions set definition = '{}'`.execute(connections.first);
      await expect(altering).rejects.toThrow('immutable');
    });

    it.each([
      'update audit_trail set actor = null',
      'delete from audit_trail',
      'delete from audit_trail where sequence = 1',
    ])('refuses: %s', async (statement) => {
      const trail = new SqlAuditTrail(connections.first);
      const kept = {
        atMicros: 1,
        actor: 'a',
        action: 'token.create',
        target: 'b',
        version: null,
        requestId: null,
      } as const;
      await trail.record(kept);
      await expect(sql.raw(statement).execute(connections.first)).rejects.toThrow(/append-only/);
      expect(await trail.list({ limit: 10, beforeSequence: null, actor: null })).toEqual([
        { ...kept, sequence: 1, code: null, count: 1 },
      ]);
    });

    it('holds no token whose restrictions this version could not enforce, or it is not read', async () => {
      const store = new SqlTokenStore(connections.first);
      await store.create(tokenRecord('aaaaaaaaaaaa'));
      await sql`update tokens set restrictions = '{"projects":["a"],"weekdays":["monday"]}'`.execute(connections.first);
      await expect(store.findByPublicId('aaaaaaaaaaaa')).rejects.toThrow('restrictions');
    });
  });
}
