import type { CheckDefinition } from './definition.ts';
import { type EndpointChange, type EndpointStore, type EndpointVersion, serviceAuthors } from './endpointStore.ts';
import type { FileDefinition } from './loadDefinitionFiles.ts';
import { isSameDefinition } from './sameDefinition.ts';

/** The outcome for the shipped definitions. */
export interface ShippedDefinitions {
  readonly created: readonly EndpointVersion[];
  /** Updated to the form of this release. */
  readonly updated: readonly EndpointVersion[];
  /** Not updated, because someone changed them, although this release ships another form than the last one. */
  readonly leftAlone: readonly EndpointVersion[];
}

/**
 * Updates the shipped definitions, with their fixed ids (contract, section 2), to those of this release. Definitions that
 * someone changed or deleted stay as they are. New primary ones are created first, so that they get a free name. All
 * definitions are checked before any is stored; throws the errors of `check`.
 *
 * @param note is stored with the new versions
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

/** Versions without a recorded author are old; only the product made first versions of its ids then. */
function wasShipped({ author, version }: EndpointVersion): boolean {
  return author === serviceAuthors.shipped || (author === null && version === 1);
}

/** The version that the product shipped last, or the current one if someone else used its id. */
async function lastShipped(store: EndpointStore, current: EndpointVersion): Promise<EndpointVersion> {
  return (await store.listVersions(current.id)).find(wasShipped) ?? current;
}
