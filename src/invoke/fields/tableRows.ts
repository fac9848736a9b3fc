import type { Clock } from '../../core/clock.ts';
import { Pause, type Turns } from '../../core/concurrency/turns.ts';
import { parseArrayInSlices } from '../../core/jsonArraySlices.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/jsonValue.ts';
import type { CallerTable } from '../../googlesql/callerTables.ts';
import { alteredTexts } from '../../googlesql/plan/alteredTexts.ts';
import type { ParameterValue } from '../../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery } from '../../googlesql/resolve/tree.ts';
import type { ColumnOrigin, ColumnOrigins, Redactor } from '../../redact/createRedactor.ts';
import { redactRows } from '../../redact/redactRows.ts';
import type { Source } from '../../sources/source.ts';
import type { AuthenticatedToken } from '../../tokens/authenticator.ts';
import type { BoundCall } from '../bind.ts';
import type { CallableEndpoint } from '../callableEndpoint.ts';
import { contextOf, projectsOf, runnerOf } from '../callContext.ts';
import { originsOf, type RedactionServices } from '../redaction.ts';
import { needsRedactionAtScan, readsNamedValues } from '../redactionAtScan.ts';
import { type RunServices, runQuery } from '../run.ts';
import { StageTimes } from '../stageTimes.ts';
import type { StatementCache } from '../statementCache.ts';

/** The call on whose behalf tables are read: with its parameters, its token's restrictions and its redaction. */
export interface ReadingCall {
  readonly endpoint: CallableEndpoint;
  readonly token: AuthenticatedToken;
  readonly bound: BoundCall;
  /** Whether the call demands redaction, so that queries may read only redacted events. */
  readonly isRedacted: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface RowReaderServices extends RunServices {
  readonly sources: ReadonlyMap<string, Source>;
  readonly statements: StatementCache;
  /** The same as the engine's. */
  readonly redactor: Redactor;
  readonly redactingThreads: RedactionServices['redactingThreads'];
  readonly clock: Clock;
  readonly turns?: Turns;
}

/** Parameters of the queries here. No definition can declare one: their names begin with a letter. */
export const readingParameters = {
  _after: 'timestamp',
  _until: 'timestamp',
  _first: 'int64',
  _width: 'int64',
} as const;

const readingDeclarations = Object.entries(readingParameters).map(([name, type]) => ({ name, type, allowed: null }));

export type ReadingValues = Readonly<Record<keyof typeof readingParameters, number>>;

export interface ReadingBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
  /** Returns no rows if there are more of them. */
  readonly onlyAll?: boolean;
  /** Whether the caller chose nothing in the text of the query, except the name of a table. */
  readonly isOwn?: boolean;
}

/** The columns of the rows of a query. */
export interface RowShape {
  readonly query: ResolvedQuery;
  /** The origins of the columns, which tell personal ones. */
  readonly origins: ColumnOrigins;
}

export interface ReadRows {
  /** The rows as they may be shown: personal data, also in names of members, is replaced. */
  readonly rows: readonly JsonObject[];
  /** Whether there are more rows than were read. */
  readonly hasMore: boolean;
}

/**
 * Runs caller queries of the service's own over the tables of an endpoint. They pass everything that a query of the
 * caller passes: the sandbox, the conditions of the endpoint's tables, both checks of projects, and redaction.
 */
export class TableReader {
  readonly #call: ReadingCall;
  readonly #services: RowReaderServices;
  readonly #pause: Pause;

  constructor(call: ReadingCall, services: RowReaderServices) {
    this.#call = call;
    this.#services = services;
    this.#pause = new Pause(services.turns?.of(call.token.publicId));
  }

  /** Yields to other work if the turn is over. */
  takeIfOver(): Promise<void> {
    return this.#pause.takeIfOver();
  }

  /** The tables that caller queries may read, in the order of the stored query. */
  async tables(): Promise<readonly CallerTable[]> {
    const { relation } = await this.#compiled('select 1');
    return relation.kind === 'with' ? relation.tables : [];
  }

  /** The columns of the rows that `read` would return. */
  async shape(sql: string): Promise<RowShape> {
    const query = await this.#compiled(sql);
    return { query, origins: shownOrigins(originsOf(query, false)) };
  }

  async read(
    sql: string,
    values: ReadingValues,
    { onlyAll = false, isOwn = false, ...bounds }: ReadingBounds,
  ): Promise<ReadRows> {
    const { endpoint, token, timeoutMs, signal } = this.#call;
    const { redactor, redactingThreads, clock } = this.#services;
    const query = await this.#compiled(sql);
    const bound: BoundCall = { ...this.#call.bound, callerQuery: { language: 'sql', text: sql } };
    const projects = projectsOf(token, query, bound);
    const isRedactedAtScan = this.#isRedactedAtScan(query, values, isOwn);
    const result = await runQuery(
      {
        token: runnerOf(token, bound.parameters),
        endpoint,
        request: () => ({
          query,
          parameters: new Map([...bound.parameters, ...boundValues(values)]),
          projects,
          redaction: isRedactedAtScan ? redactor.description : null,
          ...bounds,
          profile: 'plain',
          nowMicros: clock.nowMicros(),
        }),
        timeoutMs,
        callerSignal: signal,
        // The stages of each run would be too many for a header.
        times: new StageTimes(() => 0),
      },
      this.#services,
    );
    // Always redacted, because values are shown to find members, not to read events.
    const origins = shownOrigins(originsOf(query, isRedactedAtScan));
    const hasMore = result.hasMore || result.cutByBytes;
    if (onlyAll && hasMore) return { rows: [], hasMore };
    const { rows } =
      result.rows.byteLength <= redactedAtOnceBytesMax
        ? redactRows(result.rows, origins, redactor)
        : await redactingThreads.redact(token.publicId, result.rows, origins, signal);
    return { rows: await this.#parsed(rows), hasMore };
  }

  /**
   * `read` redacts rows after the run in any case. If the call demands redaction, a query with text that the caller chose
   * also reads only redacted events. A query of the service's own does so if a stored query would have to, or if a table
   * alters texts, because personal data in altered texts can no longer be detected.
   */
  #isRedactedAtScan(query: ResolvedQuery, values: ReadingValues, isOwn: boolean): boolean {
    if (readsNamedValues(query)) return true;
    const { endpoint, bound, isRedacted } = this.#call;
    if (!isRedacted || !isOwn) return isRedacted;
    const parameters = new Map([...bound.parameters, ...boundValues(values)]);
    const scanned = { query: endpoint.query, parameters: [...endpoint.parameters, ...readingDeclarations] };
    return (
      needsRedactionAtScan({ callerQuery: null, parameters }, scanned, query, this.#services.sources) ||
      alteredTexts(query).length > 0
    );
  }

  #compiled(text: string): Promise<ResolvedQuery> {
    const { endpoint } = this.#call;
    const context = contextOf(endpoint, this.#services.sources);
    const parameters = new Map([...context.parameters, ...Object.entries(readingParameters)]);
    return this.#services.statements.compileInTurns(
      { storedText: endpoint.query, callerQuery: { language: 'sql', text }, context: { ...context, parameters } },
      this.#pause,
    );
  }

  async #parsed(rows: Uint8Array): Promise<readonly JsonObject[]> {
    const steps = parseArrayInSlices(`[${Buffer.from(rows).toString()}]`, sliceChars);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return (step.value ?? []).filter((row: JsonValue) => isJsonObject(row));
      await this.#pause.takeIfOver();
    }
  }
}

/** Rows of at most this size take a few milliseconds. */
const redactedAtOnceBytesMax = 16 * 1024;

const sliceChars = 32 * 1024;

function boundValues(values: ReadingValues): readonly (readonly [string, ParameterValue])[] {
  const { _after, _until, _first, _width } = values;
  return [
    ['_after', { kind: 'timestamp', micros: _after }],
    ['_until', { kind: 'timestamp', micros: _until }],
    ['_first', { kind: 'int64', value: BigInt(_first) }],
    ['_width', { kind: 'int64', value: BigInt(_width) }],
  ];
}

/** Strictest in everything: names of members are redacted too, and no mark is a pseudonym. */
function shownOrigins(origins: ColumnOrigins): ColumnOrigins {
  return new Map(
    [...origins].map(([column, origin]): [string, ColumnOrigin] => [
      column,
      { ...origin, isGiven: true, isRead: true },
    ]),
  );
}
