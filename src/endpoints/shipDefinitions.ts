import type { CheckDefinition } from './definition.ts';
import type { EndpointStore, EndpointVersion } from './endpointStore.ts';
import type { FileDefinition } from './loadDefinitionFiles.ts';

/**
 * Creates the definitions that come with the product, with their fixed ids (contract, section 2).
 * What is there is not touched, and what was deleted stays deleted. Those marked primary come
 * first, so that they answer by a name that nobody had. All are checked before one is created;
 * throws what `check` throws. Resolves to those that were created.
 */
export async function shipDefinitions(
  store: EndpointStore,
  shipped: readonly FileDefinition[],
  check: CheckDefinition,
  nowMicros: number,
): Promise<readonly EndpointVersion[]> {
  const missing: FileDefinition[] = [];
  for (const candidate of shipped) {
    if (!(await store.hasEverExisted(candidate.definition.id))) missing.push(candidate);
  }
  for (const { definition } of missing) check(definition);
  const created: EndpointVersion[] = [];
  for (const { definition } of missing.toSorted((a, b) => Number(b.primary) - Number(a.primary))) {
    created.push(await store.create(definition, nowMicros));
  }
  return created;
}
