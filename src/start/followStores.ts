import { FailureReports } from '../core/failureReports.ts';
import type { Observe } from '../core/observation.ts';
import type { Timer } from '../core/timer.ts';
import type { CachePurge } from '../ports/cachePurge.ts';
import type { SharedSubject } from '../ports/changeFeed.ts';
import type { StorageEngine } from '../ports/storageEngine.ts';
import type { DeletionStore } from '../retention/eventDeletion.ts';
import type { Removals } from '../retention/removals.ts';
import type { RetentionStore } from '../retention/retentionStore.ts';
import { sourceOf } from '../sources/sourceDeclaration.ts';
import type { SourceRegistry } from '../sources/sourceRegistry.ts';
import type { SourceStore } from '../sources/sourceStore.ts';
import { Reloading } from './reloading.ts';

export interface FollowedStores {
  readonly sources: SourceStore;
  readonly retention: RetentionStore;
  /** Null if deletions are not shared, because each node keeps its own events. */
  readonly deletions: DeletionStore | null;
  onChange(subject: SharedSubject, listener: () => void): void;
  /** Whether the store is known to be away, which is reported elsewhere. */
  readonly isAway: () => boolean;
}

/** Loads the changes of other nodes until it is closed. */
export interface Following {
  /** Resolves when every change that was made before the call is loaded, or could not be. Never rejects. */
  now(): Promise<void>;
  /**
   * Like `now`, but rejects if changes of one of these subjects could not be loaded. Call it before showing or removing
   * events, which must not be decided by outdated removals.
   */
  require(subjects: readonly SharedSubject[]): Promise<void>;
  close(): Promise<void>;
}

/** For a service without other nodes. */
export const notFollowing: Following = {
  now: async () => undefined,
  require: async () => undefined,
  close: async () => undefined,
};

export interface FollowInputs {
  readonly stores: FollowedStores;
  readonly registry: SourceRegistry;
  readonly removals: Removals;
  readonly storage: Pick<StorageEngine, 'addSource' | 'betweenRemovals' | 'describeTable'>;
  /** Drops the cached results of this node, which may hold rows that must no longer be shown. */
  readonly dropCached: CachePurge['dropAll'];
  readonly timer: Timer;
  readonly observe: Observe;
}

/** A store that is away is noticed within this time, and then each failed load says nothing new. */
const graceMs = 3_000;

/**
 * Keeps what this node holds of sources, retention rules and deletions as the store has it, whichever node changed it.
 * Endpoints and tokens are followed where they are held.
 */
export function followStores(inputs: FollowInputs): Following {
  const { stores, timer, observe } = inputs;
  const loads: readonly (readonly [SharedSubject, () => Promise<void>])[] = [
    ['sources', () => loadSources(inputs)],
    ['retention', () => loadRetention(inputs)],
    ...(stores.deletions === null ? [] : ([['deletions', deletionsLoader(inputs, stores.deletions)]] as const)),
  ];
  const followed = loads.map(([subject, load]) => {
    const reports = new FailureReports(timer, graceMs);
    const reported = async () => {
      await load();
      const failedMs = reports.succeeded();
      if (failedMs === null) return;
      const seconds = Math.round(failedMs / 1000);
      observe({ kind: 'warning', message: `changes of ${subject} are loaded again, after ${seconds} s` });
    };
    const reloading = new Reloading(reported, timer, (cause) => {
      if (stores.isAway() || !reports.failed()) return;
      observe({ kind: 'warning', message: `changes of ${subject} could not be loaded; trying again`, cause });
    });
    stores.onChange(subject, () => reloading.request());
    // A change may have come between the load at the start and now.
    reloading.request();
    return { subject, reloading };
  });
  return {
    now: async () => {
      await Promise.allSettled(followed.map(({ reloading }) => reloading.now()));
    },
    require: async (subjects) => {
      const required = followed.filter(({ subject }) => subjects.includes(subject));
      await Promise.all(required.map(({ reloading }) => reloading.now()));
    },
    close: async () => {
      await Promise.all(followed.map(({ reloading }) => reloading.close()));
    },
  };
}

async function loadSources({ stores, registry, storage }: FollowInputs): Promise<void> {
  const { declarations, aliases } = await stores.sources.load();
  for (const declaration of declarations) {
    if (registry.byName.has(declaration.name)) continue;
    if (declaration.existing !== undefined && storage.describeTable === undefined) continue;
    const source = sourceOf(declaration);
    // The table first, because a known source without a table would refuse its events.
    await storage.addSource(source);
    registry.add({ source, description: declaration.description, origin: 'added' });
  }
  for (const name of registry.names()) {
    for (const alias of registry.aliasesOf(name, 'added')) {
      if (aliases.get(alias) !== name) registry.removeAlias(alias);
    }
  }
  for (const [alias, source] of aliases) registry.addAlias(alias, source, 'added');
}

async function loadRetention({ stores, removals, storage, dropCached }: FollowInputs): Promise<void> {
  const { rules } = removals;
  const wanted = await stores.retention.load();
  const isWanted = (source: string | null, project: string | null) =>
    wanted.some((rule) => rule.source === source && rule.project === project);
  const gone = rules.list().filter(({ source, project }) => !isWanted(source, project));
  const changed = wanted.filter(({ source, project, days }) => rules.find(source, project) !== days);
  removals.mark(await stores.retention.loadMarks());
  if (gone.length + changed.length === 0) return;
  await storage.betweenRemovals(async () => {
    for (const { source, project } of gone) rules.remove(source, project);
    for (const rule of changed) rules.set(rule);
    await dropCached();
  });
}

function deletionsLoader({ removals, dropCached }: FollowInputs, store: DeletionStore): () => Promise<void> {
  const settled = new Set<number>();
  return async () => {
    let isNew = false;
    for (const deletion of await store.load()) {
      const { token, project, completedMicros } = deletion;
      if (completedMicros !== null && settled.has(token)) continue;
      if (!removals.isInForce(project, token)) {
        removals.add(deletion);
        isNew = true;
      }
      if (completedMicros === null) settled.delete(token);
      else {
        removals.settle(deletion);
        settled.add(token);
      }
    }
    if (isNew) await dropCached();
  };
}
