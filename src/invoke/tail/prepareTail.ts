import type { Readable } from 'node:stream';
import { Pause } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import { shareableTail } from '../../googlesql/plan/sharedTail.ts';
import { tailedQuery } from '../../googlesql/plan/tailQuery.ts';
import { fieldsParameter } from '../../googlesql/resolve/informationSchema.ts';
import type { Notice } from '../../googlesql/resolve/tree.ts';
import { typeName } from '../../googlesql/types.ts';
import type { AuthenticatedToken } from '../../tokens/authenticator.ts';
import { placeOwnerOf } from '../../tokens/restrictions.ts';
import { writtenNotice } from '../answerBody.ts';
import { type BoundCall, bindCall } from '../bind.ts';
import { contextOf, projectsOf, runnerOf } from '../callContext.ts';
import { calledEndpoint } from '../calledEndpoint.ts';
import type { CallFacts } from '../callFacts.ts';
import type { CallHeader } from '../callHeader.ts';
import { callProjects } from '../callProjects.ts';
import type { InvokeServices, InvokeSettings } from '../invokeServices.ts';
import type { ParameterEntry } from '../parameterEntry.ts';
import { outerLimitOf } from '../queryLimit.ts';
import { isRedactionDemanded } from '../redaction.ts';
import { needsRedactionAtScan } from '../redactionAtScan.ts';
import { rightsCheck } from '../rightsCheck.ts';
import { rowLimitOf } from '../rowLimit.ts';
import { runParameters } from '../runParameters.ts';
import type { StageTimes } from '../stageTimes.ts';
import { valuesProfileOf } from '../valuesProfile.ts';
import type { TailFormat } from './tailFormat.ts';
import { takeTailParameters } from './tailParameters.ts';
import type { TailPlan } from './tailPlan.ts';
import type { Tails } from './tails.ts';

/** A request for a tail, with an authenticated token. */
export interface TailCall {
  readonly token: AuthenticatedToken;
  /** The path segment, decoded. */
  readonly idOrName: string;
  /** Every parameter of URL and body; names are unique. */
  readonly parameters: readonly ParameterEntry[];
  /** The form, unless the parameters name one. */
  readonly accepted: TailFormat;
  /** The header `Last-Event-ID`; null if it is absent. */
  readonly lastEventId: string | null;
  readonly redactHeader: CallHeader;
  readonly valuesHeader: CallHeader;
  readonly notices: readonly Notice[];
  readonly requestId: string;
  /** Aborted with `query.cancelled` when the caller disconnects. */
  readonly signal: AbortSignal;
  readonly times: StageTimes;
  readonly facts: CallFacts;
  /** The caller, found again. Throws errors of `auth` and `session` if it may not call any more. */
  readonly authenticateAgain: () => Promise<AuthenticatedToken>;
}

/** A tail that may begin. */
export interface PreparedTail {
  readonly format: TailFormat;
  /** Throws the errors of `Tails.open`. */
  open(): Promise<Readable>;
}

export type PrepareTail = (call: TailCall) => Promise<PreparedTail>;

/**
 * Creates what prepares tails, with the stages of a call up to its run: find and authorise → bind → compile → restrict. All
 * errors of a call apply, and `tail.refused`.
 */
export function createPrepareTail(services: InvokeServices, settings: InvokeSettings, tails: Tails): PrepareTail {
  return async (call) => {
    const { token, times, facts } = call;
    tails.requireSupport();
    const found = await times.timeAsync('find', () => calledEndpoint(call, token, services));
    const { endpoint } = found;
    facts.endpoint = { id: endpoint.id, name: endpoint.name, version: endpoint.version };
    const own = takeTailParameters(call.parameters, endpoint.parameters);
    const bound = times.time('bind', () => bindCall(own.others, endpoint, token.restrictions, settings));
    facts.isCallerQuery = bound.callerQuery !== null;
    refuseOthers(bound);
    const format = own.format ?? call.accepted;
    const isRedacted = isRedactionDemanded(call.redactHeader, endpoint, token);
    const profile = valuesProfileOf(call.valuesHeader, endpoint.values, settings.values);
    const statement = {
      storedText: endpoint.query,
      callerQuery: bound.callerQuery,
      context: contextOf(endpoint, services.sources),
    };
    const turn = new Pause(services.turns?.of(token.publicId));
    const query = await times.timeAsync('compile', () => services.statements.compileInTurns(statement, turn));
    await turn.takeIfOver();
    const tailed = query.parameters.has(fieldsParameter)
      ? { construct: 'INFORMATION_SCHEMA.FIELDS' }
      : tailedQuery(query);
    if ('construct' in tailed) throw refused(tailed.construct);
    const projects = projectsOf(token, query, bound);
    const isRedactedAtScan = isRedacted && needsRedactionAtScan(bound, endpoint, query, services.sources);
    const redaction = isRedactedAtScan ? services.redactor.description : null;
    const outerLimit = outerLimitOf(query, bound.parameters);
    const limit = rowLimitOf(endpoint.maxRows, outerLimit, bound.callerQuery !== null);
    const parameters = runParameters(bound.parameters, limit, null);
    const plan: TailPlan = {
      key: JSON.stringify(
        [
          [endpoint.id, endpoint.version, endpoint.query, bound.callerQuery],
          [...parameters].sort(([a], [b]) => (a < b ? -1 : 1)),
          [projects?.toSorted() ?? null, isRedacted, redaction, services.redactor.description, profile],
        ],
        exactValue,
      ),
      endpoint: { id: endpoint.id, name: endpoint.name },
      query,
      tailed,
      shareable: shareableTail(query, parameters),
      request: { parameters, projects, redaction, profile },
      wakes: callProjects(query, bound.parameters, token.restrictions?.projects ?? null),
      isRedacted,
      isRedactedAtScan,
      runner: runnerOf(token, bound.parameters),
      requestIds: [call.requestId],
      timeoutMs: endpoint.timeoutMs ?? settings.timeoutMs,
    };
    const notices = [...call.notices, ...bound.notices, ...query.notices, ...tailed.notices];
    const start = {
      endpoint: { id: endpoint.id, name: endpoint.name, version: endpoint.version },
      columns: query.columns.map(({ name, column }) => ({ name, type: typeName(column.type) })),
      notices: notices.map(writtenNotice),
      redaction: { applied: isRedacted },
      request_id: call.requestId,
    };
    return {
      format,
      open: () =>
        tails.open({
          plan,
          format,
          // A browser that connects again keeps the URL, and adds the newer header.
          lastEventId: call.lastEventId ?? own.lastEventId,
          start,
          facts,
          signal: call.signal,
          tokenId: token.publicId,
          placeOwner: placeOwnerOf(token),
          requireRights: rightsCheck({ call, found, authenticateAgain: call.authenticateAgain, changed }, services),
        }),
    };
  };
}

function changed(what: string): ServiceError {
  return new ServiceError('tail.changed', `${what} changed while the tail was open. Open it again.`);
}

function refused(construct: string): ServiceError {
  return new ServiceError(
    'tail.refused',
    `This query cannot be tailed: it has ${construct}. A tail needs rows that each stem from one event: filters, columns and UNNEST over one table, or a UNION ALL of such queries.`,
    { errors: [{ token: construct }] },
  );
}

/** Refuses parameters of a call that mean nothing for a tail. */
function refuseOthers({ page, isDryRun, isStream }: Pick<BoundCall, 'page' | 'isDryRun' | 'isStream'>): void {
  if (page === null && !isDryRun && !isStream) return;
  const named = isDryRun ? ['dry_run'] : isStream ? ['stream'] : ['page_size', 'cursor'];
  throw new ServiceError(
    'parameter.invalid',
    `A tail has no pages and no dry run, and always sends rows as they come. Leave out ${named.join(' and ')}.`,
    { errors: named.map((parameter) => ({ parameter })) },
  );
}

/** Writes the values of parameters that JSON does not distinguish. */
function exactValue(_: string, value: unknown): unknown {
  if (Object.is(value, -0)) return '-0';
  return typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)) ? String(value) : value;
}
