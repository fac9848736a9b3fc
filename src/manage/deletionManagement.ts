import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { type Randomness, uuidV4 } from '../core/ids.ts';
import { parseTimestamp } from '../endpoints/parseTimestamp.ts';
import { formatMicros } from '../invoke/formatMicros.ts';
import type { CachePurge } from '../ports/cachePurge.ts';
import type {
  DeletionRecord,
  DeletionStore,
  DeletionToken,
  DeletionWait,
  EventDeletion,
} from '../retention/eventDeletion.ts';
import { readOnlySource } from '../sources/readOnlySource.ts';
import { unknownSource } from '../sources/unknownSource.ts';

export interface DeletionManagementServices {
  readonly store: DeletionStore;
  /** The names of all sources that accept events. */
  readonly sourceNames: () => readonly string[];
  /** Whether the source reads a table that others fill. */
  readonly isReadOnly: (source: string) => boolean;
  /**
   * Deletes events that are stored now. `register` makes the deletion with this token durable. Queries that begin after
   * that do not see the events. Throws `ingest.overloaded`.
   */
  readonly deleteEvents: (register: (token: DeletionToken) => Promise<EventDeletion>) => Promise<EventDeletion>;
  /** What incomplete deletions wait for, by token. */
  readonly waitsOf: (deletions: readonly EventDeletion[]) => Promise<ReadonlyMap<DeletionToken, DeletionWait>>;
  /** Drops every cached result, including those of queries that are running. */
  readonly dropCached: CachePurge['dropAll'];
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** The requested bounds as text; undefined if not given. */
export interface DeletionRequest {
  readonly source: string | undefined;
  readonly before: string | undefined;
}

/** A deletion in the form of the API. */
export interface DeletionView {
  readonly id: string;
  readonly project: string;
  readonly source: string | null;
  readonly before: string | null;
  /**
   * `complete` when no file holds the deleted events any more; `waiting` when only quarantined files are left; otherwise
   * `running`. Queries never see the deleted events.
   */
  readonly state: 'running' | 'waiting' | 'complete';
  /** Quarantined files that hold deleted events (`known`), or may hold some (`unknown`). */
  readonly waits_for: readonly { readonly file: string; readonly contents: 'known' | 'unknown' }[];
  readonly requested_at: string;
  readonly requested_by: string;
  readonly completed_at: string | null;
  /** Events removed from the files so far; bytes are an estimate. */
  readonly removed: {
    readonly events: number;
    readonly bytes: number;
    readonly sources: Readonly<Record<string, { readonly events: number; readonly bytes: number }>>;
  };
}

const listMax = 1000;

/** Deletes events of a project on request (streams.md, "Retention"). Callers check the permission first. */
export class DeletionManagement {
  readonly #services: DeletionManagementServices;

  constructor(services: DeletionManagementServices) {
    this.#services = services;
  }

  /** When it resolves, no query sees the events any more. Throws `source.unknown`, `source.read_only`, `deletion.invalid`, `ingest.overloaded`. */
  async delete(
    project: string,
    { source = null, before }: { readonly source: string | null | undefined; readonly before: string | undefined },
    { actor, requestId }: { readonly actor: string; readonly requestId: string },
  ): Promise<DeletionView> {
    if (source !== null) this.#requireSource(source);
    const beforeMicros = before === undefined ? null : instantOf(before);
    const { store, deleteEvents, dropCached, clock, randomness } = this.#services;
    const id = uuidV4(randomness);
    const requestedMicros = clock.nowMicros();
    await deleteEvents(async (token) => {
      const deletion = { token, id, project, source, beforeMicros, requestedMicros, requestedBy: actor };
      const action = 'project.delete_events';
      try {
        await store.add(deletion, () => [
          { atMicros: requestedMicros, actor, action, target: project, version: null, requestId },
        ]);
      } catch (error) {
        // If the deletion was stored despite the error, it would apply after the next start, so it must apply now too.
        if ((await store.find(project, id)) === null) throw error;
      }
      return deletion;
    });
    // Must come after the deletion applies. Results of runs that began before it are then not cached.
    await dropCached([project]);
    return await this.read(project, id);
  }

  /** The last thousand deletions, newest first. */
  async list(project: string): Promise<readonly DeletionView[]> {
    return await this.#viewsOf(await this.#services.store.list(project, listMax));
  }

  /** Throws `deletion.unknown`. */
  async read(project: string, id: string): Promise<DeletionView> {
    const found = await this.#services.store.find(project, id.toLowerCase());
    const [view] = await this.#viewsOf(found === null ? [] : [found]);
    if (view !== undefined) return view;
    const value = id.slice(0, 100);
    throw new ServiceError('deletion.unknown', `The project has no deletion ${JSON.stringify(value)}.`, {
      errors: [{ value }],
    });
  }

  async #viewsOf(deletions: readonly DeletionRecord[]): Promise<readonly DeletionView[]> {
    const waits = await this.#services.waitsOf(deletions.filter(({ completedMicros }) => completedMicros === null));
    return deletions.map((deletion) => viewOf(deletion, waits.get(deletion.token)));
  }

  #requireSource(source: string): void {
    if (this.#services.isReadOnly(source)) throw readOnlySource(source);
    const names = this.#services.sourceNames();
    if (!names.includes(source)) throw unknownSource(source, names, 'source');
  }
}

function instantOf(before: string): number {
  const micros = parseTimestamp(before);
  if (micros !== undefined) return micros;
  const value = before.slice(0, 100);
  throw new ServiceError(
    'deletion.invalid',
    `before ${JSON.stringify(value)} is not a date or a time such as 2026-05-01T10:00:30Z.`,
    { errors: [{ parameter: 'before', value }] },
  );
}

function viewOf(deletion: DeletionRecord, wait?: DeletionWait): DeletionView {
  const { id, project, source, beforeMicros, requestedMicros, requestedBy, completedMicros, sources } = deletion;
  return {
    id,
    project,
    source,
    before: beforeMicros === null ? null : formatMicros(beforeMicros),
    state: completedMicros === null ? stateOf(wait) : 'complete',
    waits_for: (wait?.quarantined ?? []).map(({ name, contents }) => ({ file: name, contents })),
    requested_at: formatMicros(requestedMicros),
    requested_by: requestedBy,
    completed_at: completedMicros === null ? null : formatMicros(completedMicros),
    removed: {
      events: sources.reduce((sum, each) => sum + each.events, 0),
      bytes: sources.reduce((sum, each) => sum + each.bytes, 0),
      sources: Object.fromEntries(sources.map(({ source, events, bytes }) => [source, { events, bytes }])),
    },
  };
}

function stateOf(wait: DeletionWait | undefined): 'running' | 'waiting' {
  return wait?.isCarriedOut && wait.quarantined.length > 0 ? 'waiting' : 'running';
}
