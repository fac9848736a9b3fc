import { join } from 'node:path';
import { type FileDefinition, loadDefinitionFiles } from '../endpoints/loadDefinitionFiles.ts';
import type { OwnEndpoint } from '../invoke/describedEndpoints.ts';
import { serviceCalls } from '../sources/serviceCalls.ts';
import type { Source } from '../sources/source.ts';
import { shippedDefinitionsDir } from './packageInfo.ts';

/** Sources that the service's own endpoints read. */
export const serviceSources: ReadonlyMap<string, Source> = new Map([[serviceCalls.name, serviceCalls]]);

/** Definition files of the product. */
export interface OwnDefinitions {
  /** Of endpoints that a start deploys. */
  readonly shipped: readonly FileDefinition[];
  /** Of the service's own endpoints. */
  readonly service: readonly FileDefinition[];
}

/** Reads the definition files of the product. */
export const loadOwnDefinitions = (): OwnDefinitions => ({
  shipped: loadDefinitionFiles(shippedDefinitionsDir),
  service: loadServiceDefinitions(),
});

const loadServiceDefinitions = () => loadDefinitionFiles(join(shippedDefinitionsDir, 'service'));

/**
 * The service's own endpoints, `svc.calls` and `svc.slow`. They change with the program, so their version means nothing.
 *
 * @param files - their definition files, if they were read before
 */
export function loadServiceEndpoints(
  settle: () => Promise<void>,
  files = loadServiceDefinitions(),
): readonly OwnEndpoint[] {
  return files.map(({ definition }) => ({
    ...definition,
    version: 1,
    service: { sources: serviceSources, settle },
  }));
}
