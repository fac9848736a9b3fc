import type { FreshnessDemand } from '../cache/freshnessDemand.ts';
import { Pause } from '../core/concurrency/turns.ts';
import { requireFormat } from '../formats/encodeResult.ts';
import { type ChosenFormat, type FormatName, resultFormat } from '../formats/resultFormat.ts';
import type { Notice, ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { QueryResult, ValuesProfile } from '../ports/queryEngine.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { requireScope } from '../tokens/permission.ts';
import { alteredNotices } from './alteredNotice.ts';
import {
  bodyBytes,
  bodyEnd,
  bodyInTurns,
  metaAroundTime,
  type ShapeInput,
  shapeMeta,
  staleNotice,
} from './answerBody.ts';
import { type CacheReport, isCached, keyOfRows, type Rows, requireRun } from './answerRows.ts';
import { bindCall } from './bind.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';
import { contextOf, projectsOf, rowsMaxOf, runnerOf } from './callContext.ts';
import { calledEndpoint } from './calledEndpoint.ts';
import type { CallFacts } from './callFacts.ts';
import type { CallHeader } from './callHeader.ts';
import { damageNotice } from './damageNotice.ts';
import { dataBeginsNotice } from './dataBeginsNotice.ts';
import { dryRunRights, shapeDryRun } from './dryRun.ts';
import { entityTag, prepareEntityTag } from './entityTag.ts';
import { boundFields } from './fields/boundFields.ts';
import { columnsOf, formatTag, formattedBody, jsonHeaders } from './formattedBody.ts';
import { freshnessWithoutAge, grantedFreshness } from './freshness.ts';
import type { InvokeServices, InvokeSettings } from './invokeServices.ts';
import { pageOf } from './pages/pageOf.ts';
import { pageRows } from './pages/pageRows.ts';
import type { PageLinks } from './pages/pages.ts';
import type { ParameterEntry } from './parameterEntry.ts';
import {
  answerLimitNotice,
  outerLimitOf,
  partLimitNotice,
  queryLimitOf,
  requireCounts,
  streamLimitNotice,
} from './queryLimit.ts';
import { isRedactionDemanded, notRedacted, type RedactedRows, redactedFailure, redactedRows } from './redaction.ts';
import { needsRedactionAtScan } from './redactionAtScan.ts';
import { RepeatableHit } from './repeatableHit.ts';
import { retentionNotice } from './retentionNotice.ts';
import { rightsCheck } from './rightsCheck.ts';
import { rowLimitOf, truncatedBy } from './rowLimit.ts';
import { explainQuery } from './run.ts';
import { runParameters } from './runParameters.ts';
import type { StageTimes } from './stageTimes.ts';
import { stateReader } from './stateReader.ts';
import { changedStream, openStream, type ResultStream, unbegunStream } from './streams/openStream.ts';
import { requireStream, type StreamTransport } from './streams/requireStream.ts';
import { valuesProfileOf } from './valuesProfile.ts';

/** A call of an endpoint with an authenticated token. */
export interface InvokeCall {
  readonly token: AuthenticatedToken;
  /** The path segment, decoded. */
  readonly idOrName: string;
  /** Every parameter of URL and body, in order; names are unique. */
  readonly parameters: readonly ParameterEntry[];
  readonly redactHeader: CallHeader;
  readonly valuesHeader: CallHeader;
  readonly freshness: FreshnessDemand;
  /** The format that the caller accepts, unless the parameters name one. Default: `json`. */
  readonly accepted?: FormatName;
  /** What the connection can carry; absent if the answer must be whole. */
  readonly transport?: StreamTransport;
  /** Notices of the transport about the request, for `meta.notices`. */
  readonly notices: readonly Notice[];
  readonly requestId: string;
  /** Aborted with `query.cancelled` when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Told the bytes of the answer so far while it is made. Throws `query.overloaded` if they are too many. */
  readonly hold: (bytes: number) => void;
  readonly times: StageTimes;
  /** Collects the facts about the call. */
  readonly facts: CallFacts;
  /** Set if the answer is a part of an export: a large page, without a body. */
  readonly part?: {
    /** Null for the first page. */
    readonly cursor: string | null;
    /** The most rows that are left to the export. */
    readonly rowsMax: number;
    /** Called when the call was checked, before its query runs. What it throws refuses the call. */
    checked(call: CheckedCall): void;
  };
}

/** What is known of a call before its query runs. */
export interface CheckedCall {
  readonly endpoint: CallableEndpoint;
  readonly format: ChosenFormat;
  readonly profile: ValuesProfile;
}

/** The rows of a part of an export, with what is known about them. */
export interface AnswerPart {
  /** Its result has no rows, so that it can be kept. */
  readonly shape: Omit<ShapeInput, 'requestId'>;
  readonly rows: Uint8Array;
}

/** A 200. */
export interface InvokeAnswer {
  /** Empty for a stream. */
  readonly body: Buffer;
  /** Writes the body; absent if it is whole. Only a call with a `transport` gets one. */
  readonly stream?: ResultStream;
  /** Content-Type, and what the body has no place for. */
  readonly headers: Readonly<Record<string, string>>;
  /** Entity tag and cache report of the rows; null for a dry run, which has none, and for a page. */
  readonly rows: { readonly entityTag: string; readonly cache: CacheReport } | null;
  /** Cursors of the pages around this one; null if the call did not ask for pages. */
  readonly links: PageLinks | null;
  /** How to repeat this answer, if that is possible. */
  readonly repeatable: RepeatableHit | null;
  /** Null unless the call is for a part of an export. */
  readonly part: AnswerPart | null;
}

/** Answers one call; throws ServiceError for everything except a 200. */
export type Invoke = (call: InvokeCall) => Promise<InvokeAnswer>;

/**
 * Creates the call pipeline (contract, section 1): find and authorise → bind → compile → cache or run → redact → shape.
 */
export function createInvoke(services: InvokeServices, settings: InvokeSettings): Invoke {
  return async (call) => {
    const { times, facts } = call;
    const found = await times.timeAsync('find', () => calledEndpoint(call, call.token, services));
    const { endpoint, revision } = found;
    await endpoint.service?.settle();
    facts.endpoint = { id: endpoint.id, name: endpoint.name, version: endpoint.version };
    const isRedacted = isRedactionDemanded(call.redactHeader, endpoint, call.token);
    const bound = times.time('bind', () =>
      bindCall(call.parameters, endpoint, call.token.restrictions, settings, call.accepted),
    );
    facts.isCallerQuery = bound.callerQuery !== null;
    const { format } = bound;
    const wantedProfile = valuesProfileOf(call.valuesHeader, endpoint.values, settings.values);
    const profile = resultFormat(format.name).hasProfile ? wantedProfile : 'plain';
    if (bound.isDryRun) requireScope(call.token.scopes, { kind: 'query:explain' });
    const streamed =
      bound.isStream && !bound.isDryRun
        ? requireStream(bound, endpoint, call.token, call.transport, services.engine)
        : null;
    if (streamed !== null && call.transport?.isHead === true) return streamAnswer(unbegunStream(format));
    const statement = {
      storedText: endpoint.query,
      callerQuery: bound.callerQuery,
      context: contextOf(endpoint, services.sources),
    };
    // In a process that has just started, each of these steps takes some ten milliseconds, of short texts too.
    const turns = services.turns?.of(call.token.publicId, times.waitedForTurn);
    const turn = new Pause(turns);
    const query = await times.timeAsync('compile', async () => {
      const compiled = await services.statements.compileInTurns(statement, turn);
      await turn.takeIfOver();
      return compiled;
    });
    requireCounts(query, bound.parameters);
    if (!bound.isDryRun) requireFormat(format, endpoint.name, columnsOf(query), services.parquet);
    const projects = projectsOf(call.token, query, bound);
    const isRedactedAtScan = isRedacted && needsRedactionAtScan(bound, endpoint, query, services.sources);
    await turn.takeIfOver();
    const rowsMax = streamed?.rowsMax ?? rowsMaxOf(endpoint, call.token);
    const limit = rowLimitOf(rowsMax, outerLimitOf(query, bound.parameters), bound.callerQuery !== null);
    const timeoutMs = streamed === null ? (endpoint.timeoutMs ?? settings.timeoutMs) : settings.streamTimeoutMs;
    const { requestId, token, signal } = call;
    const reading = { endpoint, token, bound, isRedacted, timeoutMs, signal };
    const { page, notices: partNotices } = await pageOf(
      call.part,
      {
        ask: bound.page,
        query,
        endpoint,
        callerQuery: bound.callerQuery,
        parameters: bound.parameters,
        token,
        timeoutMs,
        signal,
        form: [profile, isRedacted, isRedactedAtScan, services.redactor.description],
        rowsMax: rowsMaxOf(endpoint, token),
      },
      services.pages,
    );
    await turn.takeIfOver();
    const fields = await boundFields(query, reading, times, services);
    // Up to here: what is asked and whether the token may. From here: who answers.
    const question = {
      query,
      request: {
        parameters: runParameters(bound.parameters, limit, fields),
        projects,
        redaction: isRedactedAtScan ? services.redactor.description : null,
        rowsMax: limit.rowsMax,
        bytesMax: streamed?.bytesMax ?? settings.resultBytesMax,
        profile,
      },
      timeoutMs,
    };
    const noticesAt = (nowMicros: number): readonly Notice[] => [
      ...call.notices,
      ...bound.notices,
      ...query.notices,
      ...partNotices,
      ...retentionNotice(endpoint.retention, bound.parameters, nowMicros),
    ];
    const { callerQuery } = bound;
    const ownLimit = () => queryLimitOf(query, { callerQuery, endpoint, token, parameters: bound.parameters });
    const limitNotice = (result: QueryResult) =>
      call.part === undefined ? answerLimitNotice(ownLimit(), limit, result) : partLimitNotice(ownLimit(), result);
    const runner = runnerOf(token, bound.parameters);
    if (bound.isDryRun) {
      const rights = dryRunRights(token);
      const nowMicros = services.clock.nowMicros();
      const run = {
        token: runner,
        endpoint,
        request: () => ({ ...question.request, query, nowMicros, ...page?.request() }),
        timeoutMs: question.timeoutMs,
        callerSignal: signal,
        times,
      };
      const explanation = rights.seesEngine ? await explainQuery(run, services) : null;
      const { rowsMax } = limit;
      // Only callers who may see the query may learn which members its columns read.
      const isAltered = isRedacted && !isRedactedAtScan && rights.seesSources;
      const notices = [...noticesAt(nowMicros), ...(isAltered ? alteredNotices(query, endpoint) : [])];
      const body = times.time('shape', () =>
        shapeDryRun({ endpoint, callerQuery, query, rowsMax, rights, explanation, notices, requestId }),
      );
      return { body, headers: jsonHeaders, rows: null, links: null, repeatable: null, part: null };
    }
    const { demand, notices } = grantedFreshness(call.freshness, token);
    if (streamed !== null && call.transport !== undefined && services.engine.stream !== undefined) {
      requireRun(call.freshness);
      const stream = await openStream(
        {
          endpoint,
          question,
          limit,
          format,
          isRedacted,
          isRedactedAtScan,
          token: runner,
          requireRights: rightsCheck(
            {
              call,
              found,
              authenticateAgain: call.transport.authenticateAgain,
              changed: changedStream,
            },
            services,
          ),
          noticesAt: (nowMicros) => [
            ...noticesAt(nowMicros),
            ...notices,
            ...streamLimitNotice(ownLimit(), limit.rowsMax),
          ],
          requestId,
          signal,
          times,
          facts,
        },
        services.engine.stream.bind(services.engine),
        services,
      );
      return streamAnswer(stream);
    }
    call.part?.checked({ endpoint, format, profile });
    const stateAt = page === null ? stateReader(reading, query, services.changes) : null;
    const isAged = page === null && isCached(endpoint, query);
    const { run, cache, cached, links, pageCutBy, pageNotices } = await pageRows(
      page,
      {
        endpoint,
        callerQuery,
        question,
        demand: isAged ? demand : freshnessWithoutAge(demand),
        stateAt,
        token: runner,
        signal,
        times,
      },
      services,
    ).catch((error: unknown) => {
      throw isRedacted ? redactedFailure(error, services.redactor) : error;
    });
    const shown = isRedacted
      ? await times.timeAsync('redact', () =>
          redactedOnce({ run, cache, cached }, query, services, {
            isRedactedAtScan,
            tokenId: token.publicId,
            limitMs: question.timeoutMs,
            signal,
          }),
        )
      : { rows: run.result.rows, report: notRedacted };
    const isHit = cache.outcome === 'hit';
    const isUnchanged = cache.outcome === 'unchanged';
    const pathNotices =
      callerQuery === null
        ? []
        : ((await services.pathNotices?.of({
            query,
            call: reading,
            key: () => cached?.key ?? keyOfRows({ endpoint, callerQuery, question }),
            isRepeated: isHit,
          })) ?? []);
    facts.cache = cache.outcome;
    facts.rowCount = run.result.rowCount;
    return times.timeAsync('shape', async () => {
      const pause = new Pause(turns, signal);
      await pause.takeIfOver();
      // The cursors of a page differ in each answer, so it has no entity tag.
      const isPage = links !== null;
      if (!isPage) await prepareEntityTag(shown.rows, pause);
      const cutBy = isPage ? pageCutBy : truncatedBy(limit, run.result);
      const shape: Omit<ShapeInput, 'requestId'> = {
        endpoint,
        query,
        result: run.result,
        truncatedBy: cutBy,
        notices: [
          ...noticesAt(run.asOfMicros),
          ...dataBeginsNotice(run.result.dataBegins),
          ...notices,
          ...pageNotices,
          ...(isPage ? [] : limitNotice(run.result)),
          ...pathNotices,
          ...damageNotice(run.result),
          ...staleNotice(cache),
        ],
        cache: { outcome: cache.outcome, asOfMicros: run.asOfMicros },
        redaction: shown.report,
        ...(isPage ? { links } : {}),
      };
      if (call.part !== undefined) {
        const part = { shape: { ...shape, result: { ...run.result, rows: nothing } }, rows: shown.rows };
        return { body: nothing, headers: {}, rows: null, links, repeatable: null, part };
      }
      const tagOf = () => entityTag(shown.rows, profile, cutBy, run.result.isDamaged, formatTag(format, shape));
      const rows = isPage ? null : { entityTag: tagOf(), cache };
      if (format.name !== 'json') {
        const { parquet: writer } = services;
        const parquet = writer === undefined ? undefined : { writer, owner: token.publicId, signal };
        const formatted = await formattedBody(
          { format, shape, rows: shown.rows, requestId },
          pause,
          call.hold,
          parquet,
        );
        return { ...formatted, rows, links, repeatable: null, part: null };
      }
      const meta = shapeMeta(shape);
      const { entry, freshSeconds } = cache;
      const isSame = isUnchanged && !(callerQuery !== null && services.pathNotices?.concern(query, reading) === true);
      const isRepeatable = (isHit || isSame) && endpoint.service === undefined;
      const repeated = isUnchanged ? metaAroundTime(shape) : meta;
      const repeatable =
        isRepeatable &&
        revision !== undefined &&
        cached !== null &&
        entry !== null &&
        rows !== null &&
        repeated !== null
          ? new RepeatableHit(
              {
                revision,
                hit: { ...cached, entry },
                isRedacted,
                meta: repeated,
                entityTag: rows.entityTag,
                freshSeconds,
                facts,
              },
              services,
            )
          : null;
      const end = bodyEnd(requestId);
      call.hold(bodyBytes(shown.rows, meta, end));
      const body = await bodyInTurns(shown.rows, meta, end, pause);
      return { body, headers: jsonHeaders, rows, links, repeatable, part: null };
    });
  };
}

const nothing = Buffer.alloc(0);

function streamAnswer(stream: ResultStream): InvokeAnswer {
  return { body: nothing, stream, headers: stream.headers, rows: null, links: null, repeatable: null, part: null };
}

/** Redacts a cached result once for all calls, because the call does not affect redaction. */
async function redactedOnce(
  { run, cache, cached }: Rows,
  query: ResolvedQuery,
  services: InvokeServices,
  call: {
    /** Also in the cache key, so that it is the same for all calls that share a result. */
    readonly isRedactedAtScan: boolean;
    readonly tokenId: string;
    readonly limitMs: number;
    readonly signal: AbortSignal;
  },
): Promise<RedactedRows> {
  const { entry } = cache;
  const redact = () => redactedRows({ ...call, rows: run.result.rows, query }, services);
  if (entry === null || cached === null) return redact();
  const known = services.cache.redactedForm(entry);
  if (known !== undefined) return { rows: known.rows, report: { applied: true, counts: known.counts } };
  const made = await redact();
  services.cache.keepRedactedForm(cached.key, entry, { rows: made.rows, counts: made.report.counts });
  return made;
}
