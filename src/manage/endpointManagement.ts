import { Mutex } from '../core/concurrency/mutex.ts';
import type { AcquireOptions } from '../core/concurrency/semaphore.ts';
import { inTurns, Pause, type Turns } from '../core/concurrency/turns.ts';
import { type ErrorItem, ServiceError } from '../core/errors.ts';
import { isUuid, type Randomness, uuidV7 } from '../core/ids.ts';
import type { EndpointDefinition } from '../endpoints/definition.ts';
import { definitionError } from '../endpoints/definitionIssue.ts';
import type { EndpointChange, EndpointPageQuery, EndpointStore, EndpointVersion } from '../endpoints/endpointStore.ts';
import { formatDefinition } from '../endpoints/parseDefinition.ts';
import type { EngineLimits } from '../googlesql/engineLimits.ts';
import type { Notice } from '../googlesql/resolve/tree.ts';
import { describeInSteps } from '../invoke/describe.ts';
import type { Source } from '../sources/source.ts';
import { type CheckReport, checkReport } from './checkReport.ts';
import { type DefinitionDiff, diffDefinitions } from './definitionDiff.ts';
import { readDefinition, refuseRepeatedIds, type WantedDefinition, withId } from './definitionInput.ts';
import { DeletedEndpointReader, versionUnknown } from './deletedEndpoints.ts';
import { type IfMatch, requireMatch } from './endpointTag.ts';
import { mergePatch } from './mergePatch.ts';
import { type OwnEndpointNames, refuseOwnIds, refuseOwnNames } from './ownEndpoints.ts';
import {
  type Describe,
  describeOrNull,
  type PlannedChange,
  type PlannedTakeover,
  planChange,
  planTakeover,
  stepsOf,
} from './plannedChange.ts';
import {
  type BrokenEndpoint,
  type CallersServices,
  type NamedCaller,
  type RecentCallers,
  recentCallers,
} from './recentCallers.ts';
import { refuseBreaking } from './refuseBreaking.ts';

export interface ManagementServices extends CallersServices {
  readonly store: EndpointStore;
  readonly sources: ReadonlyMap<string, Source>;
  /** Limits of the engine that runs the queries. */
  readonly limits?: EngineLimits;
  /** Shares the main thread between definitions and other long work; if absent, definitions have their own turns. */
  readonly turns?: Turns;
  /** The service's own endpoints, whose ids no definition may have. */
  readonly own: OwnEndpointNames;
  readonly randomness: Randomness;
}

/** Who asks for a change, and how to make it. */
export interface ChangeRequest {
  /** Public ID of the token, or one of `serviceAuthors`. */
  readonly author: string;
  /** Null for changes that were not requested over HTTP. */
  readonly requestId: string | null;
  /** Stored with the new versions. */
  readonly note: string;
  /** Whether breaking changes are allowed. */
  readonly allowBreaking: boolean;
  /** Whether to report the change without making it. A dry run is never refused as breaking. */
  readonly isDryRun: boolean;
  readonly ifMatch: IfMatch;
  /** Public ID of the only token whose calls the requester may see; null for all. */
  readonly callersOnly: string | null;
  /** Aborting it gives up a change that is not made yet. */
  readonly signal?: AbortSignal;
}

/** The outcome of a change or of a dry run. */
export interface ChangedEndpoint {
  /** `restored`: the endpoint was deleted before. */
  readonly outcome: PlannedChange['outcome'] | 'restored';
  readonly endpoint: EndpointVersion;
  /** Null for a new endpoint. */
  readonly diff: DefinitionDiff | null;
  /** The recent callers that the requester may see, if something breaks; null if nothing does or usage cannot be read. */
  readonly callers: readonly NamedCaller[] | null;
  /** Notices about a changed query; empty if the query was not changed. */
  readonly notices: readonly Notice[];
}

/** The version to restore. */
export interface WantedVersion {
  /** Null for the last one of a deleted endpoint. */
  readonly version: number | null;
  /** See `WantedDefinition`. */
  readonly primary: boolean | null;
}

/** The last version of an endpoint that was deleted, or would be. */
export interface RemovedEndpoint {
  readonly endpoint: EndpointVersion;
  /** The recent callers that the requester may see; null if usage cannot be read. */
  readonly callers: readonly NamedCaller[] | null;
}

/** How often a change is planned again because another process changed the endpoint first. */
const attemptsMax = 20;
/** Most definitions of one deployment, because it locks the store for all of them at once. */
export const deployedMax = 1000;

/**
 * All operations on endpoints except calls (contract, sections 2 and 3). Callers check the permission first. Unknown ids
 * are `endpoint.unknown`.
 */
export class EndpointManagement {
  /** The deleted endpoints. */
  readonly deleted: DeletedEndpointReader;
  readonly #services: ManagementServices;
  /**
   * One change at a time, so that only another process can change something between a check and its change. Authors take
   * turns, so that no author waits for all large deployments of another.
   */
  readonly #changes = new Mutex();
  readonly #closing = new AbortController();

  constructor(services: ManagementServices) {
    this.#services = services;
    this.deleted = new DeletedEndpointReader(services.store.deleted);
  }

  async find(id: string): Promise<EndpointVersion> {
    const endpoint = isUuid(id) ? await this.#services.store.findById(id) : undefined;
    if (endpoint !== undefined) return endpoint;
    const value = id.slice(0, 128);
    const hint = isUuid(id)
      ? (await this.#services.store.deleted.find(id)) === undefined
        ? ''
        : ' It was deleted. To read it, add ?deleted=true; to restore it, send POST /api/endpoints/{id}/restore.'
      : ' Use the ID of the endpoint; GET /api/endpoints?name=… finds it.';
    throw new ServiceError('endpoint.unknown', `There is no endpoint with the ID "${value}".${hint}`, {
      errors: [{ value }],
    });
  }

  async has(id: string): Promise<boolean> {
    return (await this.#services.store.findById(id)) !== undefined;
  }

  listPage(page: EndpointPageQuery): Promise<readonly EndpointVersion[]> {
    return this.#services.store.listPage(page);
  }

  async listVersions(
    id: string,
    page: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly EndpointVersion[]> {
    const { id: known } = await this.find(id);
    return this.#services.store.listVersions(known, page);
  }

  /** Throws `endpoint.version_unknown`. */
  async findVersion(id: string, version: number): Promise<EndpointVersion> {
    const endpoint = await this.find(id);
    const found = await this.#services.store.findVersion(endpoint.id, version);
    if (found !== undefined) return found;
    throw versionUnknown(endpoint, version);
  }

  /** Compares two versions. `to` defaults to the current version, `from` to the one before `to`. */
  async diff(
    id: string,
    from: number | null,
    to: number | null,
    owner: string,
  ): Promise<{ readonly from: EndpointVersion; readonly to: EndpointVersion; readonly diff: DefinitionDiff }> {
    const after = to === null ? await this.find(id) : await this.findVersion(id, to);
    const before = await this.findVersion(id, from ?? Math.max(1, after.version - 1));
    const compared = async (version: EndpointVersion) => ({
      label: `version ${version.version}`,
      definition: version,
      primary: version.primary,
      description: await describeOrNull(version, this.#describeFor(owner)),
    });
    return { from: before, to: after, diff: diffDefinitions(await compared(before), await compared(after)) };
  }

  /** `owner`: public ID of the token that asks. */
  check(input: unknown, owner: string): Promise<CheckReport> {
    const { sources, own, limits, turns } = this.#services;
    return checkReport(input, this.#newId(), sources, own, limits, turns?.of(owner));
  }

  /** Checks a definition that will be run but not stored. `owner`: public ID of the token that asks. */
  async readDraft(input: unknown, owner: string): Promise<EndpointDefinition> {
    const { definition } = readDefinition(input, this.#newId());
    refuseOwnNames(definition, this.#services.own);
    await this.#describeFor(owner)(definition);
    return definition;
  }

  /** Throws `definition.conflict` if the id is or was in use. */
  async create(input: unknown, request: ChangeRequest): Promise<ChangedEndpoint> {
    const wanted = readDefinition(input, this.#newId());
    // The store reports an existing endpoint as a conflict.
    return this.#one(() => this.#planned(wanted, undefined, request), request);
  }

  /** Replaces the current definition. An equal one makes no new version. */
  replace(id: string, input: unknown, request: ChangeRequest): Promise<ChangedEndpoint> {
    return this.#one(async () => {
      const current = await this.#matching(id, request.ifMatch);
      return this.#planned(sameId(current, readDefinition(input, current.id)), current, request);
    }, request);
  }

  /** Changes the fields that a JSON merge patch (RFC 7396) names. */
  patch(id: string, patch: unknown, request: ChangeRequest): Promise<ChangedEndpoint> {
    return this.#one(async () => {
      const current = await this.#matching(id, request.ifMatch);
      if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
        throw definitionError(current.name, [{ path: [], problem: 'can be patched only with an object' }]);
      }
      const input = mergePatch(formatDefinition(current), patch);
      return this.#planned(sameId(current, readDefinition(input, current.id)), current, request);
    }, request);
  }

  /**
   * Makes an old version the newest one. This also restores a deleted endpoint, by default in its last version. Throws
   * `definition.conflict` if another endpoint has the name of that version and `primary` is not set.
   */
  async restore(id: string, wanted: WantedVersion, request: ChangeRequest): Promise<ChangedEndpoint> {
    const { version, primary } = wanted;
    if (isUuid(id) && (await this.#services.store.deleted.find(id)) !== undefined) {
      return this.#changes.run(() => this.#bringBack(id, wanted, request), this.#turnOf(request));
    }
    const current = await this.find(id);
    if (version === null) {
      throw new ServiceError(
        'request.malformed',
        `The endpoint ${current.name} is not deleted, so the body must name the version to restore: {"version": ${current.version}}.`,
      );
    }
    const note = request.note === '' ? `Restored from version ${version}` : request.note;
    return this.#one(
      async () => {
        const matching = await this.#matching(id, request.ifMatch);
        const old = await this.findVersion(matching.id, version);
        return this.#planned({ definition: old, primary }, matching, request);
      },
      { ...request, note },
    );
  }

  async #bringBack(id: string, { version, primary }: WantedVersion, request: ChangeRequest): Promise<ChangedEndpoint> {
    const deleted = await this.deleted.find(id);
    requireMatch(deleted, request.ifMatch);
    const definition = version === null ? deleted : await this.deleted.findVersion(deleted.id, version);
    const plan = await this.#planned({ definition, primary }, undefined, request);
    const callers = await this.#guard(plan.takenFrom === null ? [] : [plan.takenFrom], request);
    const note = request.note === '' ? `Restored after its deletion, from version ${definition.version}` : request.note;
    const { mayShareName } = plan;
    const changes: readonly EndpointChange[] = [
      { kind: 'restore', definition, expected: deleted.version, mayShareName },
      ...(plan.becomesPrimary ? [{ kind: 'primary', id: deleted.id } as const] : []),
    ];
    const [endpoint] = await this.#apply(changes, { ...request, note });
    if (endpoint === undefined) throw new Error('a restored endpoint was not returned');
    return {
      outcome: 'restored',
      endpoint,
      diff: null,
      callers: callers.get(plan.takenFrom?.id ?? '') ?? null,
      notices: [...plan.notices, ...takeoverNotices(plan.takenFrom)],
    };
  }

  /** Makes the endpoint the one that answers by its name. */
  makePrimary(id: string, request: ChangeRequest): Promise<ChangedEndpoint> {
    return this.#one(async () => {
      const current = await this.#matching(id, request.ifMatch);
      const plan = await planChange(
        { definition: current, primary: true },
        current,
        this.#describeFor(request.author),
        this.#services.own,
      );
      // Another endpoint for callers by the name is the purpose of this change, so it is not refused as breaking.
      return { ...plan, takenFrom: null };
    }, request);
  }

  /**
   * Deletes an endpoint, which stays available to `deleted` and `restore`. It is refused like a breaking change. Throws
   * `definition.conflict` if it answers by a name that others share.
   */
  remove(id: string, request: ChangeRequest): Promise<RemovedEndpoint> {
    return this.#changes.run(async () => {
      const current = await this.#matching(id, request.ifMatch);
      const expected = request.ifMatch === null ? null : current.version;
      const change = { kind: 'delete', id: current.id, expected } as const;
      // A dry run first, so that an impossible deletion is reported before its breaking changes.
      await this.#apply([change], { ...request, isDryRun: true });
      const message = `The endpoint ${current.name} no longer answers calls.`;
      const breaking = [{ rule: 'endpoint.deleted', name: current.name, message } as const];
      const callers = await this.#guard([{ id: current.id, name: current.name, breaking }], request);
      if (!request.isDryRun) await this.#apply([change], request);
      return { endpoint: current, callers: callers.get(current.id) ?? null };
    }, this.#turnOf(request));
  }

  /**
   * Creates and changes endpoints to match the definitions, all or none. Other endpoints stay as they are. One
   * `definition.invalid` reports all wrong definitions, with their index.
   */
  async deploy(inputs: readonly unknown[], request: ChangeRequest): Promise<readonly ChangedEndpoint[]> {
    const wanted = await this.#eachOf(inputs, request, (input) => readDefinition(withId(input), ''));
    return this.deployDefinitions(wanted, request);
  }

  /** Like `deploy`, for parsed definitions. */
  async deployDefinitions(
    wanted: readonly WantedDefinition[],
    request: ChangeRequest,
  ): Promise<readonly ChangedEndpoint[]> {
    refuseRepeatedIds(wanted);
    return this.#all(
      () =>
        this.#eachOf(wanted, request, async (each) =>
          this.#planned(each, await this.#services.store.findById(each.definition.id), request),
        ),
      request,
    );
  }

  /** Gives up changes that are not made yet, and refuses further ones. */
  close(reason: ServiceError): void {
    this.#closing.abort(reason);
  }

  #turnOf(request: ChangeRequest): AcquireOptions {
    return { owner: request.author, signal: this.#signalOf(request) };
  }

  #signalOf({ signal }: ChangeRequest): AbortSignal {
    return signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
  }

  #newId(): string {
    const { clock, randomness } = this.#services;
    return uuidV7(clock.nowMicros() / 1000, randomness);
  }

  async #matching(id: string, ifMatch: IfMatch): Promise<EndpointVersion> {
    const endpoint = await this.find(id);
    requireMatch(endpoint, ifMatch);
    return endpoint;
  }

  /** Compiles definitions in turns of the owner, so that none waits for all definitions of another. */
  #describeFor(owner: string): Describe {
    const { sources, limits, turns } = this.#services;
    return (definition) => inTurns(describeInSteps(definition, sources, limits), new Pause(turns?.of(owner)));
  }

  async #planned(
    wanted: WantedDefinition,
    current: EndpointVersion | undefined,
    { author }: ChangeRequest,
  ): Promise<PlannedTakeover> {
    const { store, own } = this.#services;
    const describe = this.#describeFor(author);
    const plan = await planChange(wanted, current, describe, own);
    return planTakeover(plan, plan.becomesPrimary ? await store.findPrimary(plan.name) : undefined, describe);
  }

  async #one(plan: () => Promise<PlannedTakeover>, request: ChangeRequest): Promise<ChangedEndpoint> {
    const [changed] = await this.#all(async () => [await plan()], request);
    if (changed === undefined) throw new Error('a change of one endpoint returned none');
    return changed;
  }

  #all(plan: () => Promise<readonly PlannedTakeover[]>, request: ChangeRequest): Promise<readonly ChangedEndpoint[]> {
    return this.#changes.run(() => this.#planAndApply(plan, request), this.#turnOf(request));
  }

  async #planAndApply(
    plan: () => Promise<readonly PlannedTakeover[]>,
    request: ChangeRequest,
  ): Promise<readonly ChangedEndpoint[]> {
    for (let attempt = 1; ; attempt++) {
      const plans = await plan();
      const callers = await this.#guard(
        plans.flatMap(({ id, name, diff, takenFrom }) => [
          { id, name, breaking: diff?.breaking ?? [] },
          ...(takenFrom === null ? [] : [takenFrom]),
        ]),
        request,
      );
      try {
        const results = await this.#apply(stepsOf(plans), request);
        const byId = new Map(results.map((endpoint) => [endpoint.id, endpoint] as const));
        return plans.map(({ id, outcome, current, diff, takenFrom, notices }): ChangedEndpoint => {
          const endpoint = byId.get(id) ?? current;
          if (endpoint === null) throw new Error('an endpoint was created without a step');
          return {
            outcome,
            endpoint,
            diff,
            callers: callers.get(id) ?? callers.get(takenFrom?.id ?? id) ?? null,
            notices: [...notices, ...takeoverNotices(takenFrom)],
          };
        });
      } catch (error) {
        if (!isLost(error) || request.ifMatch !== null || attempt === attemptsMax) throw error;
      }
    }
  }

  /** The recent callers of what the change breaks. Refuses a breaking change unless it is allowed or a dry run. */
  async #guard(
    endpoints: readonly BrokenEndpoint[],
    { allowBreaking, isDryRun, callersOnly, author }: ChangeRequest,
  ): Promise<RecentCallers> {
    const callers = await recentCallers(endpoints, { onlyToken: callersOnly, author }, this.#services);
    if (!allowBreaking && !isDryRun) refuseBreaking(endpoints, callers, callersOnly);
    return callers;
  }

  async #apply(changes: readonly EndpointChange[], request: ChangeRequest): Promise<readonly EndpointVersion[]> {
    const { store, clock, own } = this.#services;
    this.#signalOf(request).throwIfAborted();
    refuseOwnIds(changes, own);
    const { author, note, requestId } = request;
    const nowMicros = clock.nowMicros();
    const origin = { nowMicros, author, note };
    if (request.isDryRun) return store.tryOut(changes, origin);
    return await store.apply(changes, origin, (results) =>
      changes.map(({ kind }, i) => ({
        atMicros: nowMicros,
        actor: author.startsWith('#') ? null : author,
        action: `endpoint.${kind}` as const,
        target: results[i]?.id ?? null,
        version: results[i]?.version ?? null,
        requestId,
      })),
    );
  }

  /** Runs `work` for each item. Throws all its `definition.invalid` as one error, with the index of each item. */
  async #eachOf<T, R>(
    items: readonly T[],
    request: ChangeRequest,
    work: (item: T) => R | Promise<R>,
  ): Promise<readonly R[]> {
    const signal = this.#signalOf(request);
    const results: R[] = [];
    const refusals: { readonly index: number; readonly error: ServiceError }[] = [];
    const pause = new Pause(this.#services.turns?.of(request.author));
    for (const [index, item] of items.entries()) {
      signal.throwIfAborted();
      try {
        results.push(await work(item));
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'definition.invalid') throw error;
        refusals.push({ index, error });
      }
      // Compiling a long text takes long, so calls get their turn in between.
      await pause.takeIfOver();
    }
    const [first, ...more] = refusals;
    if (first === undefined) return results;
    if (items.length === 1) throw first.error;
    throw new ServiceError(
      'definition.invalid',
      [
        first.error.message,
        ...(more.length === 0
          ? []
          : [`${more.length} more ${more.length === 1 ? 'definition is' : 'definitions are'} not valid.`]),
        'Nothing was changed.',
      ].join(' '),
      { errors: refusals.flatMap(({ index, error }) => itemsOf(index, error)) },
    );
  }
}

/** The items of one definition's error. The first one has the whole message. */
function itemsOf(index: number, error: ServiceError): readonly ErrorItem[] {
  const [first = {}, ...others] = error.errors;
  return [{ ...first, index, message: error.message }, ...others.map((item) => ({ ...item, index }))];
}

function takeoverNotices(takenFrom: BrokenEndpoint | null): readonly Notice[] {
  return (takenFrom?.breaking ?? []).map(({ message }) => ({ code: 'endpoint.name_taken_over', message }));
}

function isLost(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'request.precondition_failed';
}

function sameId(current: EndpointVersion, wanted: WantedDefinition): WantedDefinition {
  if (wanted.definition.id === current.id) return wanted;
  throw definitionError(current.name, [
    { path: ['id'], problem: `must be ${current.id}, because the ID of an endpoint never changes` },
  ]);
}
