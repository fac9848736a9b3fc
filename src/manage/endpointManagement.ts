import { inTurns, Pause } from '../core/concurrency/turns.ts';
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
import { labelOf, readDefinition, type WantedDefinition } from './definitionInput.ts';
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
  type EndpointCaller,
  type RecentCallers,
  recentCallers,
} from './recentCallers.ts';
import { refuseBreaking } from './refuseBreaking.ts';

export interface ManagementServices extends CallersServices {
  readonly store: EndpointStore;
  readonly sources: ReadonlyMap<string, Source>;
  /** Of the engine that runs the queries. */
  readonly limits?: EngineLimits;
  /** Whose ids no definition may have. */
  readonly own: OwnEndpointNames;
  readonly randomness: Randomness;
}

/** By whom and how a change is asked for. */
export interface ChangeRequest {
  /** Public id of the token, or one of `serviceAuthors`. */
  readonly author: string;
  /** Null for what was not asked for over HTTP. */
  readonly requestId: string | null;
  /** Kept with the versions that are made. */
  readonly note: string;
  /** Whether callers may lose what they rely on. */
  readonly allowBreaking: boolean;
  /** Whether it is only to be seen what would come of it; nothing is refused for breaking something then. */
  readonly isDryRun: boolean;
  readonly ifMatch: IfMatch;
  /** Public id of the only token whose calls whoever asks may learn of; null where it may learn of all. */
  readonly callersOnly: string | null;
}

/** What came of a change, or would come of it. */
export interface ChangedEndpoint {
  /** `restored`: it was deleted, and is there again. */
  readonly outcome: PlannedChange['outcome'] | 'restored';
  readonly endpoint: EndpointVersion;
  /** Null for a new endpoint. */
  readonly diff: DefinitionDiff | null;
  /** Who called it lately, as far as whoever asked may learn, where something breaks; null where nothing does, or it could not be found out. */
  readonly callers: readonly EndpointCaller[] | null;
  /** What there is to say of the query that was written; nothing where it was not. */
  readonly notices: readonly Notice[];
}

/** The old version that an endpoint is to be like. */
export interface WantedVersion {
  /** Null for the last one of a deleted endpoint. */
  readonly version: number | null;
  /** As of a `WantedDefinition`. */
  readonly primary: boolean | null;
}

/** What was deleted, or would be, in its last version. */
export interface RemovedEndpoint {
  readonly endpoint: EndpointVersion;
  /** Who called it lately, as far as whoever asked may learn; null where it could not be found out. */
  readonly callers: readonly EndpointCaller[] | null;
}

/** A change is planned anew so often when another process was faster. */
const attemptsMax = 20;
/** Definitions of one deployment: the store is held for all of them at once. */
export const deployedMax = 1000;

/**
 * Everything that is done with endpoints but calling them (contract, sections 2 and 3). Who calls has
 * checked the right to do so. Ids of endpoints that are not there are `endpoint.unknown`.
 */
export class EndpointManagement {
  /** What is kept of endpoints that were deleted. */
  readonly deleted: DeletedEndpointReader;
  readonly #services: ManagementServices;
  readonly #describe: Describe;
  /** Settles, and never rejects, when the changes before have been made. */
  #before: Promise<void> = Promise.resolve();

  constructor(services: ManagementServices) {
    this.#services = services;
    this.deleted = new DeletedEndpointReader(services.store.deleted);
    const { sources, limits } = services;
    this.#describe = (definition) => inTurns(describeInSteps(definition, sources, limits));
  }

  async find(id: string): Promise<EndpointVersion> {
    const endpoint = isUuid(id) ? await this.#services.store.findById(id) : undefined;
    if (endpoint !== undefined) return endpoint;
    const value = id.slice(0, 128);
    const hint = isUuid(id)
      ? (await this.#services.store.deleted.find(id)) === undefined
        ? ''
        : ' It was deleted: deleted=true in the URL shows it, and POST /api/endpoints/{id}/restore brings it back.'
      : ' Endpoints are managed by their id; GET /api/endpoints?name=… finds it.';
    throw new ServiceError('endpoint.unknown', `There is no endpoint with the id "${value}".${hint}`, {
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

  /** `endpoint.version_unknown`. */
  async findVersion(id: string, version: number): Promise<EndpointVersion> {
    const endpoint = await this.find(id);
    const found = await this.#services.store.findVersion(endpoint.id, version);
    if (found !== undefined) return found;
    throw versionUnknown(endpoint, version);
  }

  /** What differs between two versions; without `to` the current one, without `from` the one before `to`. */
  async diff(
    id: string,
    from: number | null,
    to: number | null,
  ): Promise<{ readonly from: EndpointVersion; readonly to: EndpointVersion; readonly diff: DefinitionDiff }> {
    const after = to === null ? await this.find(id) : await this.findVersion(id, to);
    const before = await this.findVersion(id, from ?? Math.max(1, after.version - 1));
    const compared = async (version: EndpointVersion) => ({
      label: `version ${version.version}`,
      definition: version,
      primary: version.primary,
      description: await describeOrNull(version, this.#describe),
    });
    return { from: before, to: after, diff: diffDefinitions(await compared(before), await compared(after)) };
  }

  check(input: unknown): Promise<CheckReport> {
    const { sources, own, limits } = this.#services;
    return checkReport(input, this.#newId(), sources, own, limits);
  }

  /** A definition to be run and not stored, checked as one that is. */
  async readDraft(input: unknown): Promise<EndpointDefinition> {
    const { definition } = readDefinition(input, this.#newId());
    refuseOwnNames(definition, this.#services.own);
    await this.#describe(definition);
    return definition;
  }

  /** `definition.conflict` where the id is or was in use. */
  async create(input: unknown, request: ChangeRequest): Promise<ChangedEndpoint> {
    const wanted = readDefinition(input, this.#newId());
    // An endpoint that is there is a conflict, which the store tells.
    return this.#one(() => this.#planned(wanted, undefined), request);
  }

  /** Takes the place of the current definition; an equal one makes no version. */
  replace(id: string, input: unknown, request: ChangeRequest): Promise<ChangedEndpoint> {
    return this.#one(async () => {
      const current = await this.#matching(id, request.ifMatch);
      return this.#planned(sameId(current, readDefinition(input, current.id)), current);
    }, request);
  }

  /** Changes the fields that a JSON merge patch (RFC 7396) names. */
  patch(id: string, patch: unknown, request: ChangeRequest): Promise<ChangedEndpoint> {
    return this.#one(async () => {
      const current = await this.#matching(id, request.ifMatch);
      if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
        throw definitionError(current.name, [{ path: [], problem: 'cannot be patched with anything but an object' }]);
      }
      const input = mergePatch(formatDefinition(current), patch);
      return this.#planned(sameId(current, readDefinition(input, current.id)), current);
    }, request);
  }

  /**
   * Makes a new version that is like an old one. This brings back a deleted endpoint; without a version, as it was last.
   * `definition.conflict` if another endpoint has the name of that version and `primary` says nothing.
   */
  async restore(id: string, wanted: WantedVersion, request: ChangeRequest): Promise<ChangedEndpoint> {
    const { version, primary } = wanted;
    if (isUuid(id) && (await this.#services.store.deleted.find(id)) !== undefined) {
      return this.#inTurn(() => this.#bringBack(id, wanted, request));
    }
    const current = await this.find(id);
    if (version === null) {
      throw new ServiceError(
        'request.malformed',
        `The endpoint ${current.name} is not deleted: name the version that it is to be like: {"version": ${current.version}}.`,
      );
    }
    const note = request.note === '' ? `Restored from version ${version}` : request.note;
    return this.#one(
      async () => {
        const matching = await this.#matching(id, request.ifMatch);
        const old = await this.findVersion(matching.id, version);
        return this.#planned({ definition: old, primary }, matching);
      },
      { ...request, note },
    );
  }

  async #bringBack(id: string, { version, primary }: WantedVersion, request: ChangeRequest): Promise<ChangedEndpoint> {
    const deleted = await this.deleted.find(id);
    requireMatch(deleted, request.ifMatch);
    const definition = version === null ? deleted : await this.deleted.findVersion(deleted.id, version);
    const plan = await this.#planned({ definition, primary }, undefined);
    const callers = await this.#guard(plan.takenFrom === null ? [] : [plan.takenFrom], request);
    const note = request.note === '' ? `Restored after its deletion, from version ${definition.version}` : request.note;
    const { mayShareName } = plan;
    const changes: readonly EndpointChange[] = [
      { kind: 'restore', definition, expected: deleted.version, mayShareName },
      ...(plan.becomesPrimary ? [{ kind: 'primary', id: deleted.id } as const] : []),
    ];
    const [endpoint] = await this.#apply(changes, { ...request, note });
    if (endpoint === undefined) throw new Error('an endpoint that was brought back is not there');
    return {
      outcome: 'restored',
      endpoint,
      diff: null,
      callers: callers.get(plan.takenFrom?.id ?? '') ?? null,
      notices: [...plan.notices, ...takeoverNotices(plan.takenFrom)],
    };
  }

  /** Makes it the endpoint that answers by its name. */
  makePrimary(id: string, request: ChangeRequest): Promise<ChangedEndpoint> {
    return this.#one(async () => {
      const current = await this.#matching(id, request.ifMatch);
      const plan = await planChange(
        { definition: current, primary: true },
        current,
        this.#describe,
        this.#services.own,
      );
      // That callers by the name are answered by another one is all that is asked for, so it is not refused.
      return { ...plan, takenFrom: null };
    }, request);
  }

  /**
   * Deletes an endpoint, which is kept for `deleted` and `restore`. Guarded as a change that breaks callers is.
   * `definition.conflict` where it answers by a name that others share.
   */
  remove(id: string, request: ChangeRequest): Promise<RemovedEndpoint> {
    return this.#inTurn(async () => {
      const current = await this.#matching(id, request.ifMatch);
      const expected = request.ifMatch === null ? null : current.version;
      const change = { kind: 'delete', id: current.id, expected } as const;
      // What cannot be done at all is told before what it would break.
      await this.#apply([change], { ...request, isDryRun: true });
      const message = `The endpoint ${current.name} answers nobody any more.`;
      const breaking = [{ rule: 'endpoint.deleted', name: current.name, message } as const];
      const callers = await this.#guard([{ id: current.id, name: current.name, breaking }], request);
      if (!request.isDryRun) await this.#apply([change], request);
      return { endpoint: current, callers: callers.get(current.id) ?? null };
    });
  }

  /**
   * Makes endpoints be as the definitions say, all of them or none; those that are not named stay as
   * they are. Every definition that is wrong is told in one `definition.invalid`, with its index.
   */
  async deploy(inputs: readonly unknown[], request: ChangeRequest): Promise<readonly ChangedEndpoint[]> {
    const wanted = await this.#eachOf(inputs, (input) => readDefinition(withId(input), ''));
    return this.deployDefinitions(wanted, request);
  }

  /** As `deploy`, of definitions that were read already. */
  async deployDefinitions(
    wanted: readonly WantedDefinition[],
    request: ChangeRequest,
  ): Promise<readonly ChangedEndpoint[]> {
    refuseRepeatedIds(wanted);
    return this.#all(
      () =>
        this.#eachOf(wanted, async (each) =>
          this.#planned(each, await this.#services.store.findById(each.definition.id)),
        ),
      request,
    );
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

  async #planned(wanted: WantedDefinition, current: EndpointVersion | undefined): Promise<PlannedTakeover> {
    const { store, own } = this.#services;
    const plan = await planChange(wanted, current, this.#describe, own);
    return planTakeover(plan, plan.becomesPrimary ? await store.findPrimary(plan.name) : undefined, this.#describe);
  }

  async #one(plan: () => Promise<PlannedTakeover>, request: ChangeRequest): Promise<ChangedEndpoint> {
    const [changed] = await this.#all(async () => [await plan()], request);
    if (changed === undefined) throw new Error('a change of one endpoint gave none');
    return changed;
  }

  /** One change after the other, so that only other processes can be faster than a change of this one. */
  #all(plan: () => Promise<readonly PlannedTakeover[]>, request: ChangeRequest): Promise<readonly ChangedEndpoint[]> {
    return this.#inTurn(() => this.#planAndApply(plan, request));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const change = this.#before.then(work);
    this.#before = change.then(
      () => undefined,
      () => undefined,
    );
    return change;
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

  /** Who called lately what the change breaks; refuses that unless it is allowed or only tried out. */
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

  /** What `work` gives for each item; all `definition.invalid` it throws in one, with the index of their items. */
  async #eachOf<T, R>(items: readonly T[], work: (item: T) => R | Promise<R>): Promise<readonly R[]> {
    const results: R[] = [];
    const refusals: { readonly index: number; readonly error: ServiceError }[] = [];
    const pause = new Pause();
    for (const [index, item] of items.entries()) {
      try {
        results.push(await work(item));
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'definition.invalid') throw error;
        refusals.push({ index, error });
      }
      // Compiling one takes as long as its text is, and calls go on meanwhile.
      await pause.takeIfOver();
    }
    const [first, ...more] = refusals;
    if (first === undefined) return results;
    if (items.length === 1) throw first.error;
    throw new ServiceError(
      'definition.invalid',
      [
        first.error.message,
        ...(more.length === 0 ? [] : [`${more.length} more definitions are not valid.`]),
        'Nothing was changed.',
      ].join(' '),
      { errors: refusals.flatMap(({ index, error }) => itemsOf(index, error)) },
    );
  }
}

/** The items of an error of one of many definitions; at least one, which tells the whole sentence. */
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
    { path: ['id'], problem: `must be ${current.id}: the id of an endpoint never changes` },
  ]);
}

/** A file is deployed again and again, so that it has to say which endpoint it is. */
function withId(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Object.hasOwn(input, 'id')) return input;
  throw definitionError(labelOf(input), [{ path: ['id'], problem: 'is missing' }]);
}

function refuseRepeatedIds(wanted: readonly WantedDefinition[]): void {
  const seen = new Set<string>();
  for (const { definition } of wanted) {
    if (seen.has(definition.id)) {
      throw definitionError(definition.name, [{ path: ['id'], problem: `is the id of two definitions` }]);
    }
    seen.add(definition.id);
  }
}
