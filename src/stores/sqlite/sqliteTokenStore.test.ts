import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { tokenStoreContract } from '../../tokens/tokenStore.contract.ts';
import { openTwice } from './openTwice.fixture.ts';
import { SqliteTokenStore } from './sqliteTokenStore.ts';
import { tokenRecord } from './tokenRecord.fixture.ts';

tokenStoreContract('SqliteTokenStore', async () => {
  const { first, second, close } = await openTwice();
  return { store: new SqliteTokenStore(first), other: new SqliteTokenStore(second), close };
});

it('refuses to read a token with restrictions that it could not enforce', async () => {
  const { first, close } = await openTwice();
  const store = new SqliteTokenStore(first);
  await store.create(tokenRecord('aaaaaaaaaaaa'));
  await sql`update tokens set restrictions = '{"projects":["a"],"weekdays":["monday"]}'`.execute(first);
  await expect(store.findByPublicId('aaaaaaaaaaaa')).rejects.toThrow('restrictions');
  await close();
});
