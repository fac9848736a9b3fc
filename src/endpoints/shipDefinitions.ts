import type { CheckDefinition } from './definition.ts';
import { type EndpointChange, type EndpointStore, type EndpointVersion, serviceAuthors } from './endpointStore.ts';
import type { FileDefinition } from './loadDefinitionFiles.ts';
import { isSameDefinition } from './sameDefinition.ts';

/** What became of the definitions that come with the product. */
export interface ShippedDefinitions {
  readonly created: readonly EndpointVersion[];
  /** Brought to what this release ships. */
  readonly updated: readonly EndpointVersion[];
  /** Those that somebody has changed and that this release ships in another form than the last one. */
  readonly leftAlone: readonly EndpointVersion[];
}

/**
 * Brings the definitions that come with the product, with their fixed ids (contract, section 2), to
 * what this release ships. What somebody has changed is left alone, and what was deleted stays
 * deleted. New ones that are marked primary come first, so that they answer by a name that nobody
 * had. All that would be stored are checked before one is; throws what `check` throws.
 *
 * @param note is kept with the versions that are made
 */
export async function shipDefinitions(
  store: EndpointStore,
  shipped: readonly FileDefinition[],
  check: CheckDefinition,
  origin: { readonly nowMicros: number; readonly note: string },
): Promise<ShippedDefinitions> {
  const creations: FileDefinition[] = [];
  const updates: EndpointChange[] = [];
  const leftAlone: EndpointVersion[] = [];
  for (const candidate of shipped) {
    const { definition } = candidate;
    const current = await store.findById(definition.id);
    if (current === undefined) {
      if (!(await store.hasEverExisted(definition.id))) creations.push(candidate);
    } else if (!isSameDefinition(current, definition)) {
      if (wasShipped(current)) updates.push({ kind: 'change', definition, expected: current.version });
      else if (!isSameDefinition(await lastShipped(store, current), definition)) leftAlone.push(current);
    }
  }
  const changes: readonly EndpointChange[] = [
    ...creations
      .toSorted((a, b) => Number(b.primary === true) - Number(a.primary === true))
      .map(({ definition }): EndpointChange => ({ kind: 'create', definition })),
    ...updates,
  ];
  for (const change of changes) if ('definition' in change) check(change.definition);
  const results = await store.apply(changes, { ...origin, author: serviceAuthors.shipped });
  return { created: results.slice(0, creations.length), updated: results.slice(creations.length), leftAlone };
}

/** Before authors were recorded, nobody but the product made a first version of its ids. */
function wasShipped({ author, version }: EndpointVersion): boolean {
  return author === serviceAuthors.shipped || (author === null && version === 1);
}

/** What the product shipped last, or the endpoint as it is where somebody else took its id. */
async function lastShipped(store: EndpointStore, current: EndpointVersion): Promise<EndpointVersion> {
  return (await store.listVersions(current.id)).find(wasShipped) ?? current;
}
