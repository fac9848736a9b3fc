import { redactHere } from '../../test/support/redactHere.ts';
import { anyFreshness, type FreshnessDemand } from '../cache/freshnessDemand.ts';
import { ResultCache } from '../cache/resultCache.ts';
import { ManualClock } from '../core/clock.ts';
import { Turns } from '../core/concurrency/turns.ts';
import type { ServiceError } from '../core/errors.ts';
import { systemRandomness } from '../core/ids.ts';
import type { Observation } from '../core/observation.ts';
import { ManualTimer } from '../core/timer.ts';
import { declaration } from '../endpoints/declaration.fixture.ts';
import type { CompileSteps } from '../googlesql/compile.ts';
import { TIMESTAMP } from '../googlesql/types.ts';
import type { QueryEngine, RunRequest } from '../ports/queryEngine.ts';
import { createRedactor } from '../redact/createRedactor.ts';
import { MemoryTokenRuns } from '../stores/memory/memoryTokenRuns.ts';
import { MemoryWorkClaims } from '../stores/memory/memoryWorkClaims.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';
import { noFacts } from './callFacts.ts';
import { createInvoke } from './invoke.ts';
import { pagesOf } from './pages/pages.fixture.ts';
import type { ParameterEntry } from './parameterEntry.ts';
import { QueryQueue } from './queryQueue.ts';
import { RunningQueries } from './runningQueries.ts';
import { StageTimes } from './stageTimes.ts';
import { StatementCache } from './statementCache.ts';
import { StreamPool } from './streams/streamPool.ts';

/** The only row of every answer of the engine double: the whole question, and the number of the run. */
export interface AskedRow {
  readonly run: number;
  readonly text: string;
  readonly parameters: readonly (readonly [string, unknown])[];
  readonly projects: readonly string[] | null;
  readonly rowsMax: number;
  readonly profile: string;
  readonly nowMicros: number;
  /** Whether the run may read only redacted events. */
  readonly isRedactedAtScan: boolean;
  /** An address, as log rows contain. */
  readonly client: string;
}

export interface CachedCall {
  readonly idOrName: string;
  readonly parameters: readonly ParameterEntry[];
  readonly token?: AuthenticatedToken;
  readonly values?: string;
  readonly redacts?: boolean;
  readonly freshness?: Partial<FreshnessDemand>;
  readonly signal?: AbortSignal;
}

export interface CachedAnswer {
  readonly row: AskedRow;
  readonly outcome: string;
  readonly asOf: string;
  readonly notices: readonly string[];
  readonly redaction: { readonly applied: boolean; readonly counts: Readonly<Record<string, number>> };
  readonly entityTag: string;
}

/** The address that every unredacted row shows. */
export const rawAddress = '203.0.113.7';

export const startMicros = Date.UTC(2026, 4, 1) * 1000;

export const tokenOf = (
  publicId: string,
  more: Partial<Pick<AuthenticatedToken, 'scopes' | 'restrictions'>> = {},
): AuthenticatedToken => ({
  publicId,
  description: '',
  scopes: [{ kind: 'query' }],
  slot: null,
  restrictions: null,
  expiresAtMicros: null,
  ...more,
});

export const cachingEndpoint = (more: Partial<CallableEndpoint> = {}): CallableEndpoint => ({
  id: '11111111-1111-4111-8111-111111111111',
  name: 'example.cached',
  version: 1,
  query: 'stored',
  parameters: ['project', 'other'].map((name) => declaration({ name })),
  maxRows: 5,
  sandbox: true,
  redactPii: false,
  strictParameters: false,
  values: null,
  timeoutMs: null,
  retention: null,
  cacheSeconds: 900,
  warmSeconds: 300,
  staleIfErrorSeconds: 0,
  stream: null,
  ...more,
});

/** Has no turns: real ones depend on the speed of the machine, and a warming run could come between. */
class TurnsAtOnce extends Turns {
  override next(): Promise<void> {
    return Promise.resolve();
  }
}

/** Every stage of a call and the real cache, with manual clock and timer, over an engine double. */
export class CachedCalls {
  readonly clock = new ManualClock(startMicros);
  readonly timer = new ManualTimer();
  readonly observations: Observation[] = [];
  /** Fails every run if set. */
  failure: ServiceError | null = null;
  /** Delays every run until it resolves, if set. */
  hold: Promise<void> | null = null;
  engineMs = 5;
  runCount = 0;
  readonly #endpoints = new Map<string, CallableEndpoint>();
  #revision: object = {};
  readonly cache: ResultCache;
  readonly #invoke: ReturnType<typeof createInvoke>;

  constructor(endpoints: readonly CallableEndpoint[], settings: { readonly warmingShare?: number } = {}) {
    for (const each of endpoints) this.#endpoints.set(each.id, each);
    const observe = (observation: Observation) => this.observations.push(observation);
    const { clock, timer } = this;
    this.cache = new ResultCache(
      { bytesMax: 2 ** 22, entriesMax: 1000, warmingShare: settings.warmingShare ?? 0.25 },
      {
        clock,
        timer,
        randomness: { bytes: (count) => new Uint8Array(count).fill(128) },
        observe,
        lookForChanges: async () => undefined,
        claims: new MemoryWorkClaims(),
      },
    );
    const engine: QueryEngine = {
      run: (request, signal) => this.#run(request, signal),
      explain: () => Promise.reject(new Error('no dry runs here')),
    };
    const list = () => [...this.#endpoints.values()];
    const queue = new QueryQueue({ concurrency: 2, waitingMax: 50, waitMsMax: 4000 }, timer, new MemoryTokenRuns());
    this.#invoke = createInvoke(
      {
        endpoints: {
          findById: async (id) => this.#endpoints.get(id),
          findByName: async (name) => list().find((each) => each.name === name),
          findVersion: async () => undefined,
          list: async () => list(),
          revision: () => this.#revision,
        },
        sources: new Map(),
        turns: new TurnsAtOnce(() => 0),
        statements: new StatementCache(
          { storedInSteps: compile, callerInSteps: compile, lqlInSteps: compile },
          { entriesMax: 100, bytesMax: 2 ** 24 },
        ),
        engine,
        pages: pagesOf(clock, undefined),
        redactor: createRedactor(),
        redactingThreads: redactHere(createRedactor()),
        cache: this.cache,
        queue,
        streams: new StreamPool({ streamsMax: 2, ofTokenMax: 1 }, new MemoryTokenRuns(), queue),
        running: new RunningQueries({ clock, randomness: systemRandomness, observe, readMs: () => 0 }),
        timer,
        clock,
        observe,
      },
      {
        values: 'plain',
        timeoutMs: 30_000,
        resultBytesMax: 2 ** 20,
        streamTimeoutMs: 600_000,
        queryTextBytesMax: 65_536,
        parameterBytesMax: 4096,
      },
    );
  }

  /** Adds or replaces an endpoint, as the directory would. */
  change(endpoint: CallableEndpoint): void {
    this.#endpoints.set(endpoint.id, endpoint);
    this.#revision = {};
    this.cache.keepOnly(new Map([...this.#endpoints.values()].map(({ id, version }) => [id, version])));
  }

  async call({ idOrName, parameters, token, values, redacts, freshness, signal }: CachedCall): Promise<CachedAnswer> {
    const { body, rows } = await this.#invoke({
      token: token ?? tokenOf('anyone'),
      idOrName,
      parameters,
      redactHeader: { name: 'redact', value: redacts === true ? 'true' : undefined },
      valuesHeader: { name: 'values', value: values },
      freshness: { ...anyFreshness, ...freshness },
      notices: [],
      requestId: 'r',
      signal: signal ?? new AbortController().signal,
      hold: () => undefined,
      times: new StageTimes(() => 0),
      facts: noFacts(),
    });
    const { result, meta } = JSON.parse(body.toString());
    const notices = meta.notices.map((notice: { readonly code: string }) => notice.code);
    return {
      row: result[0],
      outcome: meta.cache.outcome,
      asOf: meta.cache.as_of,
      notices,
      redaction: meta.redaction,
      entityTag: rows?.entityTag ?? '',
    };
  }

  /** Advances time second by second and runs everything that is due. */
  async passSeconds(seconds: number): Promise<void> {
    for (let n = 0; n < seconds; n++) {
      this.clock.advanceMs(1000);
      this.timer.advanceMs(1000);
      await this.settle();
    }
  }

  /** Lets pending promises settle. */
  async settle(): Promise<void> {
    for (let n = 0; n < 40; n++) await Promise.resolve();
  }

  async #run(request: RunRequest, signal: AbortSignal) {
    const run = ++this.runCount;
    if (this.hold !== null) await this.hold;
    signal.throwIfAborted();
    if (this.failure !== null) throw this.failure;
    const row: AskedRow = {
      run,
      text: request.query.columns[0]?.name ?? '',
      parameters: [...request.parameters]
        .filter(([name]) => !name.startsWith('$'))
        .map(([name, value]) => [name, value.kind === 'string' ? value.value : null]),
      projects: request.projects,
      rowsMax: request.rowsMax,
      profile: request.profile,
      nowMicros: request.nowMicros,
      isRedactedAtScan: request.redaction !== null,
      client: rawAddress,
    };
    return {
      rows: Buffer.from(JSON.stringify(row)),
      rowCount: 1,
      hasMore: false,
      cutByBytes: false,
      rowsScanned: null,
      elapsedMs: this.engineMs,
    };
  }
}

/** A query whose only column is a timestamp named after the text, so that the double knows what it runs. */
function* compile(text: string): CompileSteps {
  yield;
  return {
    relation: { kind: 'oneRow' },
    columns: [{ name: text, column: { id: 1, name: text, type: TIMESTAMP }, recordForm: 'object' }],
    outerLimit: null,
    notices: [],
    parameters: new Set(),
    usesNow: false,
    isVolatile: text.includes('rand()'),
  };
}
