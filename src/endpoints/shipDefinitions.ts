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

export interface ShippingOrigin {
  readonly nowMicros: number;
  /** The version of the product, such as `1.4.0`. */
  readonly release: string;
  /** Leaves definitions of a later release as they are: a node of it has started, and this one not been upgraded yet. */
  readonly keepsLater: boolean;
}

/**
 * Updates the shipped definitions, with their fixed ids (contract, section 2), to those of this release. Definitions that
 * someone changed or deleted stay as they are. New primary ones are created first, so that they get a free name. All
 * definitions are checked before any is stored; throws the errors of `check`.
 *
 * The new versions have the release in their note.
 */
export async function shipDefinitions(
  store: EndpointStore,
  shipped: readonly FileDefinition[],
  check: CheckDefinition,
  origin: ShippingOrigin,
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
      if (origin.keepsLater && isLaterRelease(current.note, origin.release)) continue;
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
  const results = await store.apply(changes, {
    nowMicros: origin.nowMicros,
    note: noteOf(origin.release),
    author: serviceAuthors.shipped,
  });
  return { created: results.slice(0, creations.length), updated: results.slice(creations.length), leftAlone };
}

const noteOf = (release: string) => `Logmill ${release}`;

/** Whether a note of a shipped version names a later release than this one. */
function isLaterRelease(note: string, release: string): boolean {
  const noted = numbersOf(/^Logmill (\d+(?:\.\d+)*)/.exec(note)?.[1]);
  const own = numbersOf(release);
  const differs = noted.findIndex((number, place) => number !== (own[place] ?? 0));
  return differs !== -1 && (noted[differs] ?? 0) > (own[differs] ?? 0);
}

const numbersOf = (release = '') => release.split('.').map((part) => Number.parseInt(part, 10) || 0);

/** Versions without a recorded author are old; only the product made first versions of its ids then. */
function wasShipped({ author, version }: EndpointVersion): boolean {
  return author === serviceAuthors.shipped || (author === null && version === 1);
}

/** The version that the product shipped last, or the current one if someone else used its id. */
async function lastShipped(store: EndpointStore, current: EndpointVersion): Promise<EndpointVersion> {
  return (await store.listVersions(current.id)).find(wasShipped) ?? current;
}
