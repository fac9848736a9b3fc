import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { endpointStoreContract } from '../../endpoints/endpointStore.contract.ts';
import { parseDefinition } from '../../endpoints/parseDefinition.ts';
import { openTwice } from './openTwice.fixture.ts';
import { SqliteEndpointStore } from './sqliteEndpointStore.ts';

endpointStoreContract('SqliteEndpointStore', async () => {
  const { first, second, close } = await openTwice();
  return { store: new SqliteEndpointStore(first), other: new SqliteEndpointStore(second), close };
});

it('has a database that refuses to alter a version', async () => {
  const { first, close } = await openTwice();
  const definition = parseDefinition(
    { id: 'd9a2e433-3286-44d9-a3b2-96b88c809d76', name: 'a', query: 'select 1' },
    { label: 'a' },
  );
  await new SqliteEndpointStore(first).create(definition, 5);
  await expect(sql`update endpoint_versions set definition = '{}'`.execute(first)).rejects.toThrow('immutable');
  await close();
});
