import { describe } from 'vitest';
import { hasPostgres } from '../../../test/support/postgresStores.ts';
import { storesContract } from '../sql/stores.contract.ts';
import { openTwice } from './openTwice.fixture.ts';

describe.skipIf(!hasPostgres)('stores in PostgreSQL', () => storesContract({ name: 'PostgreSQL', openTwice }));
