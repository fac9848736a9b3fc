import { join } from 'node:path';
import { loadDefinitionFiles } from '../endpoints/loadDefinitionFiles.ts';
import type { OwnEndpoint } from '../invoke/describedEndpoints.ts';
import { serviceCalls } from '../sources/serviceCalls.ts';
import type { Source } from '../sources/source.ts';
import { shippedDefinitionsDir } from './packageInfo.ts';

/** Sources that the service's own endpoints read. */
export const serviceSources: ReadonlyMap<string, Source> = new Map([[serviceCalls.name, serviceCalls]]);

/**
 * Loads the service's own endpoints, `svc.calls` and `svc.slow`. They change with the program, so their version means
 * nothing.
 */
export function loadServiceEndpoints(settle: () => Promise<void>): readonly OwnEndpoint[] {
  return loadDefinitionFiles(join(shippedDefinitionsDir, 'service')).map(({ definition }) => ({
    ...definition,
    version: 1,
    service: { sources: serviceSources, settle },
  }));
}
