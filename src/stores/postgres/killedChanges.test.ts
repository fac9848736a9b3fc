import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe } from 'vitest';
import { freshSchema, hasPostgres } from '../../../test/support/postgresStores.ts';
import { systemTimer } from '../../core/timer.ts';
import { killedChangesContract } from '../sql/killedChanges.contract.ts';
import { openPostgres } from './openPostgres.ts';
import { patientWaits } from './openTwice.fixture.ts';
import { parsePostgresAddress } from './postgresAddress.ts';

const url = (file: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, file)).href);

describe.skipIf(!hasPostgres)('a node that is killed', () => {
  killedChangesContract('PostgreSQL', async () => {
    const schema = await freshSchema();
    const address = parsePostgresAddress(schema.url);
    return {
      open: async () =>
        (await openPostgres({ address, release: '0.0.0', timer: systemTimer, waits: patientWaits })).database,
      openInScript: `
        import { openPostgres } from ${url('openPostgres.ts')};
        import { parsePostgresAddress } from ${url('postgresAddress.ts')};
        import { systemTimer } from ${url('../../core/timer.ts')};
        const address = parsePostgresAddress(${JSON.stringify(schema.url)});
        const waits = ${JSON.stringify(patientWaits)};
        const { database } = await openPostgres({ address, release: '0.0.0', timer: systemTimer, waits });`,
      remove: schema.drop,
    };
  });
});
