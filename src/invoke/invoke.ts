import type { Clock } from '../core/clock.ts';
import type { ValuesProfile } from '../engines/ports/queryEngine.ts';
import type { CompileContext } from '../googlesql/compile.ts';
import type { Notice, ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { Source } from '../sources/source.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { requireScope } from '../tokens/permission.ts';
import { type BoundCall, bindCall } from './bind.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';
import type { CallHeader } from './callHeader.ts';
import { callProjects } from './callProjects.ts';
import { dryRunRights, shapeDryRun } from './dryRun.ts';
import { type EndpointFinder, findEndpoint } from './findEndpoint.ts';
import type { ParameterEntry } from './parameterEntry.ts';
import { refuseRedaction } from './redaction.ts';
import { retentionNotice } from './retentionNotice.ts';
import { rowLimitOf, truncatedBy } from './rowLimit.ts';
import { explainQuery, type RunInput, type RunServices, runQuery } from './run.ts';
import { runParameters } from './runParameters.ts';
import { shapeAnswer } from './shape.ts';
import type { StageTimes } from './stageTimes.ts';
import type { StatementCache } from './statementCache.ts';
import { valuesProfileOf } from './valuesProfile.ts';

/** A call of an endpoint whose token is already checked. */
export interface InvokeCall {
  readonly token: AuthenticatedToken;
  /** The path segment, decoded. */
  readonly idOrName: string;
  /** Every parameter of URL and body in order; no name twice. */
  readonly parameters: readonly ParameterEntry[];
  readonly redactHeader: CallHeader;
  readonly valuesHeader: CallHeader;
  /** What the transport has to say about the request, for `meta.notices`. */
  readonly notices: readonly Notice[];
  readonly requestId: string;
  /** Aborted with `query.cancelled` when the caller has gone. */
  readonly signal: AbortSignal;
  readonly times: StageTimes;
}

export interface InvokeSettings {
  readonly values: ValuesProfile;
  /** For definitions that set none, milliseconds. */
  readonly timeoutMs: number;
  readonly resultBytesMax: number;
}

export interface InvokeServices extends RunServices {
  readonly endpoints: EndpointFinder;
  readonly sources: ReadonlyMap<string, Source>;
  readonly statements: StatementCache;
  readonly clock: Clock;
}

/** Answers one call with the body of its 200; throws ServiceError for everything else. */
export type Invoke = (call: InvokeCall) => Promise<Buffer>;

/** The life of a call (contract, section 1): find and authorise → bind → compile → run → shape. */
export function createInvoke(services: InvokeServices, settings: InvokeSettings): Invoke {
  return async (call) => {
    const { times } = call;
    const endpoint = await times.timeAsync('find', () =>
      findEndpoint(call.idOrName, call.token, services.endpoints, services.clock.nowMicros()),
    );
    refuseRedaction(call.redactHeader, endpoint);
    const profile = valuesProfileOf(call.valuesHeader, endpoint.values, settings.values);
    const bound = times.time('bind', () => bindCall(call.parameters, endpoint));
    if (bound.isDryRun) requireScope(call.token.scopes, { kind: 'query:explain' });
    const query = times.time('compile', () =>
      services.statements.compile({
        endpointId: endpoint.id,
        version: endpoint.version,
        storedText: endpoint.query,
        callerQuery: bound.callerQuery,
        context: contextOf(endpoint, services.sources),
      }),
    );
    const projects = projectsOf(call.token, query, bound);
    const limit = rowLimitOf(endpoint.maxRows, query.outerLimit, bound.callerQuery !== null);
    // The result cache will stand here: everything above decides what is asked, everything below who answers.
    let nowMicros = services.clock.nowMicros();
    const run: RunInput = {
      tokenId: call.token.publicId,
      request: () => {
        nowMicros = services.clock.nowMicros();
        return {
          query,
          parameters: runParameters(bound.parameters, limit),
          projects,
          nowMicros,
          rowsMax: limit.rowsMax,
          bytesMax: settings.resultBytesMax,
          profile,
        };
      },
      timeoutMs: endpoint.timeoutMs ?? settings.timeoutMs,
      callerSignal: call.signal,
      times,
    };
    const noticesOf = (): readonly Notice[] => [
      ...call.notices,
      ...bound.notices,
      ...query.notices,
      ...retentionNotice(endpoint.retention, bound.parameters, nowMicros),
    ];
    if (bound.isDryRun) {
      const rights = dryRunRights(call.token);
      const explanation = rights.seesEngine ? await explainQuery(run, services) : null;
      const { callerQuery } = bound;
      const { requestId } = call;
      return times.time('shape', () =>
        shapeDryRun({
          endpoint,
          callerQuery,
          query,
          rowsMax: limit.rowsMax,
          rights,
          explanation,
          notices: noticesOf(),
          requestId,
        }),
      );
    }
    const result = await runQuery(run, services);
    return times.time('shape', () =>
      shapeAnswer({
        endpoint,
        query,
        result,
        truncatedBy: truncatedBy(limit, result),
        notices: noticesOf(),
        cache: { outcome: 'bypass', asOfMicros: nowMicros },
        requestId: call.requestId,
      }),
    );
  };
}

function contextOf(endpoint: CallableEndpoint, sources: ReadonlyMap<string, Source>): CompileContext {
  return { sources, parameters: new Map(endpoint.parameters.map(({ name, type }) => [name, type])) };
}

/**
 * A stored query of a token without projects is held to nothing but itself: it is the operator's own
 * text, and the check of its statement would take time from the calls that are made most.
 */
function projectsOf(token: AuthenticatedToken, query: ResolvedQuery, bound: BoundCall): readonly string[] | null {
  if (token.restrictions === null && bound.callerQuery === null) return null;
  return callProjects(query, bound.parameters, token.restrictions?.projects ?? null);
}
