import { describe } from 'vitest';
import { builtModule } from '../../../test/support/builtModule.ts';
import { freshSchema, hasPostgres } from '../../../test/support/postgresStores.ts';
import { systemTimer } from '../../core/timer.ts';
import { killedChangesContract } from '../sql/killedChanges.contract.ts';
import { openPostgres } from './openPostgres.ts';
import { patientWaits } from './openTwice.fixture.ts';
import { parsePostgresAddress } from './postgresAddress.ts';

describe.skipIf(!hasPostgres)('a node that is killed', () => {
  killedChangesContract('PostgreSQL', async () => {
    const schema = await freshSchema();
    const address = parsePostgresAddress(schema.url);
    return {
      open: async () =>
        (await openPostgres({ address, release: '0.0.0', timer: systemTimer, waits: patientWaits })).database,
      openInScript: `
        import { openPostgres } from ${builtModule('openPostgres')};
        import { parsePostgresAddress } from ${builtModule('postgresAddress')};
        import { systemTimer } from ${builtModule('timer')};
        const address = parsePostgresAddress(${JSON.stringify(schema.url)});
        const waits = ${JSON.stringify(patientWaits)};
        const { database } = await openPostgres({ address, release: '0.0.0', timer: systemTimer, waits });`,
      remove: schema.drop,
    };
  });
});
