import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusedCalls } from '../../../src/audit/refusedCalls.ts';
import { BackupSessions } from '../../../src/backup/backupSessions.ts';
import { ResultCache } from '../../../src/cache/resultCache.ts';
import { ManualClock } from '../../../src/core/clock.ts';
import { Turns } from '../../../src/core/concurrency/turns.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { type Randomness, systemRandomness } from '../../../src/core/ids.ts';
import type { Observation, Observe } from '../../../src/core/observation.ts';
import { ManualTimer } from '../../../src/core/timer.ts';
import { declaration } from '../../../src/endpoints/declaration.fixture.ts';
import type { ParameterDeclaration } from '../../../src/endpoints/parameterDeclaration.ts';
import { ExportFiles } from '../../../src/exports/exportFiles.ts';
import { Exports } from '../../../src/exports/exports.ts';
import type { CompileSteps } from '../../../src/googlesql/compile.ts';
import { STRING } from '../../../src/googlesql/types.ts';
import { type BrowserFile, browserFile } from '../../../src/http/browserFiles.ts';
import { ApiDocuments } from '../../../src/http/openapi/apiDocuments.ts';
import { allRoutes } from '../../../src/http/routes/allRoutes.ts';
import { createHttpServer, type HttpServer } from '../../../src/http/server.ts';
import { defaultHttpSettings, type HttpSettings } from '../../../src/http/services.ts';
import { createIngest, defaultIngestLimits } from '../../../src/ingest/ingest.ts';
import { sourceDirectory } from '../../../src/ingest/sourceDirectory.ts';
import { DeclaredWebhooks } from '../../../src/ingest/webhook/declaredWebhooks.ts';
import type { Webhook } from '../../../src/ingest/webhook/webhook.ts';
import type { CallableEndpoint } from '../../../src/invoke/callableEndpoint.ts';
import { createRunDraft } from '../../../src/invoke/draft.ts';
import { createExplainCall } from '../../../src/invoke/explainCall.ts';
import { createReadFields } from '../../../src/invoke/fields/readFields.ts';
import type { EndpointFinder } from '../../../src/invoke/findEndpoint.ts';
import { createInvoke } from '../../../src/invoke/invoke.ts';
import { CursorKeys } from '../../../src/invoke/pages/cursorKeys.ts';
import { MemoryPageSecrets, pagesOf } from '../../../src/invoke/pages/pages.fixture.ts';
import { createPurge } from '../../../src/invoke/purge.ts';
import { QueryQueue } from '../../../src/invoke/queryQueue.ts';
import { RunningQueries } from '../../../src/invoke/runningQueries.ts';
import { StatementCache } from '../../../src/invoke/statementCache.ts';
import { StreamPool } from '../../../src/invoke/streams/streamPool.ts';
import { createPrepareTail, type PrepareTail } from '../../../src/invoke/tail/prepareTail.ts';
import { TailIds } from '../../../src/invoke/tail/tailIds.ts';
import { Tails } from '../../../src/invoke/tail/tails.ts';
import { createConvertQuery } from '../../../src/manage/convert/convertQuery.ts';
import { DeletionManagement } from '../../../src/manage/deletionManagement.ts';
import { EndpointManagement } from '../../../src/manage/endpointManagement.ts';
import { RetentionManagement } from '../../../src/manage/retentionManagement.ts';
import { SourceManagement } from '../../../src/manage/sourceManagement.ts';
import { TokenManagement } from '../../../src/manage/tokenManagement.ts';
import type { EventChanges } from '../../../src/ports/eventChanges.ts';
import type { EventBatch } from '../../../src/ports/eventLog.ts';
import type { QueryEngine, RunRequest } from '../../../src/ports/queryEngine.ts';
import { createRedactor } from '../../../src/redact/createRedactor.ts';
import { Removals } from '../../../src/retention/removals.ts';
import { RetentionRules } from '../../../src/retention/retentionRules.ts';
import { OneTimeCodes } from '../../../src/sessions/oneTimeCodes.ts';
import { Sessions } from '../../../src/sessions/sessions.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { SourceRegistry } from '../../../src/sources/sourceRegistry.ts';
import { loadDocsPage } from '../../../src/start/docsPage.ts';
import { loadFileSchemas } from '../../../src/start/fileSchemas.ts';
import { MemoryRequestCounter } from '../../../src/stores/memory/memoryRequestCounter.ts';
import { MemoryTokenRuns } from '../../../src/stores/memory/memoryTokenRuns.ts';
import { MemoryWorkClaims } from '../../../src/stores/memory/memoryWorkClaims.ts';
import { SqlAuditTrail } from '../../../src/stores/sql/sqlAuditTrail.ts';
import { SqlDeletionStore } from '../../../src/stores/sql/sqlDeletionStore.ts';
import { SqlEndpointStore } from '../../../src/stores/sql/sqlEndpointStore.ts';
import { SqlRetentionStore } from '../../../src/stores/sql/sqlRetentionStore.ts';
import { SqlSessionStore } from '../../../src/stores/sql/sqlSessionStore.ts';
import { SqlSourceStore } from '../../../src/stores/sql/sqlSourceStore.ts';
import { SqlTokenStore } from '../../../src/stores/sql/sqlTokenStore.ts';
import { openDatabase } from '../../../src/stores/sqlite/database.ts';
import type { AuthenticatedToken, Authenticator } from '../../../src/tokens/authenticator.ts';
import type { Scope } from '../../../src/tokens/scope.ts';
import { hashToken } from '../../../src/tokens/tokenFormat.ts';
import { receivedFor } from '../../support/rawRequest.ts';
import { redactHere } from '../../support/redactHere.ts';

const parameter = (name: string, more: Partial<ParameterDeclaration> = {}) => declaration({ name, ...more });

const endpoint = (more: Partial<CallableEndpoint>): CallableEndpoint => ({
  id: '11111111-1111-4111-8111-111111111111',
  name: 'example.rows',
  version: 3,
  query: 'select @project as project',
  parameters: [
    parameter('project', { required: true }),
    parameter('n', { type: 'int64' }),
    parameter('tier'),
    parameter('start', { type: 'timestamp' }),
    parameter('kind', { type: 'enum', allowed: ['red', 'green'] }),
  ],
  maxRows: 5,
  sandbox: true,
  redactPii: false,
  strictParameters: false,
  values: null,
  timeoutMs: null,
  retention: { parameter: 'tier', start: 'start', days: { PRO: 7 }, otherwise: 1 },
  cacheSeconds: 0,
  warmSeconds: null,
  staleIfErrorSeconds: 0,
  stream: null,
  ...more,
});

export const endpoints = {
  rows: endpoint({}),
  limited: endpoint({
    id: '22222222-2222-4222-8222-222222222222',
    name: 'example.limited',
    query: 'select @project as project limit 2',
  }),
  closed: endpoint({ id: '33333333-3333-4333-8333-333333333333', name: 'example.closed', sandbox: false }),
  records: endpoint({
    id: '44444444-4444-4444-8444-444444444444',
    name: 'logs-all-staging',
    values: 'records',
    timeoutMs: 500,
  }),
  cached: endpoint({
    id: '55555555-5555-4555-8555-555555555555',
    name: 'example.cached',
    cacheSeconds: 60,
    staleIfErrorSeconds: 30,
  }),
} as const;

const scopesByToken: Readonly<Record<string, readonly Scope[]>> = {
  'query-token': [{ kind: 'query' }],
  'other-query-token': [{ kind: 'query' }],
  'limited-token': [{ kind: 'query:endpoint', endpointId: endpoints.limited.id }],
  'explain-token': [{ kind: 'query' }, { kind: 'query:explain' }],
  'manager-token': [{ kind: 'query' }, { kind: 'query:explain' }, { kind: 'manage' }],
  'fresh-token': [{ kind: 'query' }, { kind: 'query:fresh' }],
  'ingest-token': [{ kind: 'ingest' }],
  'powerless-token': [],
  'admin-token': [{ kind: 'query' }, { kind: 'manage' }, { kind: 'observe' }, { kind: 'ingest' }],
  'source-token': [{ kind: 'ingest:source', source: 'edge_logs' }],
};

/** Port double: as many rows as the project says (`rows-7`), unless a run is held or fails. */
class ExampleEngine implements QueryEngine {
  readonly runs: { readonly request: RunRequest; readonly signal: AbortSignal }[] = [];
  readonly explained: RunRequest[] = [];
  /** What every run fails with, if anything. */
  failure: ServiceError | null = null;
  readonly #waiting: (() => void)[] = [];

  async run(request: RunRequest, signal: AbortSignal) {
    this.runs.push({ request, signal });
    if (this.failure !== null) throw this.failure;
    const project = request.parameters.get('project');
    const text = project?.kind === 'string' ? project.value : '';
    if (text === 'hold') await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (text === 'divide') throw new ServiceError('sql.data', 'Division by zero at line 1, column 8.');
    if (text === 'crash') throw new TypeError('duckdb: segment 7 of /secret/path is broken');
    const available = Number(/^rows-(\d+)$/.exec(text)?.[1] ?? 1);
    const rowCount = Math.min(available, request.rowsMax);
    const row = JSON.stringify({ project: text === 'huge' ? 'x'.repeat(30_000_000) : text });
    return {
      rows: Buffer.from(Array.from({ length: rowCount }, () => row).join(',')),
      rowCount,
      hasMore: available > rowCount,
      cutByBytes: false,
      rowsScanned: available,
      ...(request.query.pageKeys === undefined ? {} : { pageKeys: ['{}', '{}'] as const }),
      elapsedMs: 1.5,
    };
  }

  async explain(request: RunRequest) {
    this.explained.push(request);
    return { statement: 'SELECT of the engine', plan: 'SCAN of the engine' };
  }

  releaseAll(): void {
    for (const release of this.#waiting.splice(0)) release();
  }
}

function* compile(text: string): CompileSteps {
  yield;
  if (text.startsWith('bad')) {
    throw new ServiceError('sql.syntax', 'Expected a query, got "bad", at line 1, column 1.', {
      errors: [{ line: 1, column: 1, token: 'bad' }],
    });
  }
  const limit = /limit (\d+)$/.exec(text)?.[1];
  return {
    relation: { kind: 'oneRow' },
    columns: [{ name: 'project', column: { id: 1, name: 'project', type: STRING }, recordForm: 'object' }],
    outerLimit: limit === undefined ? null : Number(limit),
    notices: [],
    parameters: new Set(['project']),
    usesNow: false,
    isVolatile: text.includes('generate_uuid()'),
  };
}

export interface ExampleService {
  readonly url: string;
  readonly port: number;
  readonly server: HttpServer;
  readonly engine: ExampleEngine;
  readonly queue: QueryQueue;
  readonly timer: ManualTimer;
  readonly clock: ManualClock;
  readonly observations: Observation[];
  readonly batches: EventBatch[];
  readiness: ServiceError | null;
  call(path: string, init?: RequestInit & { readonly token?: string | null }): Promise<Response>;
  /** Sends bytes on a bare socket and gives everything that comes back until the other side closes. */
  raw(bytes: string | Buffer): Promise<string>;
}

/** As small as a console can be. */
const exampleConsole: ReadonlyMap<string, BrowserFile> = new Map([
  ['index.html', browserFile('text/html; charset=utf-8', Buffer.from('<!doctype html><title>Console</title>'))],
  ['assets/main-1a2b.js', browserFile('text/javascript; charset=utf-8', Buffer.from(`// ${'x'.repeat(2000)}`))],
]);

/** What a test has in place of the doubles. */
export interface ExampleParts {
  readonly clock: ManualClock;
  readonly engine: QueryEngine;
  readonly tokens: Pick<Authenticator, 'authenticate' | 'recognise'>;
  readonly changes: EventChanges;
  endpoints(cache: ResultCache): EndpointFinder;
  readonly consoleFiles: ReadonlyMap<string, BrowserFile>;
  readonly prepareTail: PrepareTail;
  readonly webhooks: ReadonlyMap<string, Webhook>;
}

/** The HTTP server over real sockets and the real stages of a call, with doubles behind the ports. */
export async function startExampleService(
  settings: Partial<HttpSettings> = {},
  parts: Partial<ExampleParts> = {},
): Promise<ExampleService> {
  const clock = parts.clock ?? new ManualClock(Date.UTC(2026, 4, 1) * 1000);
  const timer = new ManualTimer();
  const engine = new ExampleEngine();
  const observations: Observation[] = [];
  const batches: EventBatch[] = [];
  const randomness: Randomness = { bytes: (count) => new Uint8Array(count).fill(7) };
  const observe: Observe = (observation) => observations.push(observation);
  const known: readonly CallableEndpoint[] = Object.values(endpoints);
  const cache = new ResultCache(
    { bytesMax: 2 ** 24, entriesMax: 100, warmingShare: 0.25 },
    { clock, timer, randomness, observe, lookForChanges: async () => undefined, claims: new MemoryWorkClaims() },
  );
  const finder: EndpointFinder = parts.endpoints?.(cache) ?? {
    findById: async (id) => known.find((each) => each.id === id),
    findByName: async (name) => known.find((each) => each.name === name),
    findVersion: async (id, version) => known.find((each) => each.id === id && each.version === version),
    list: async () => known,
    revision: () => known,
  };
  // Tests count observations of requests; those of queries have their own tests.
  const running = new RunningQueries({
    clock,
    randomness: systemRandomness,
    observe: () => undefined,
    readMs: () => 0,
  });
  const compiler = { storedInSteps: compile, callerInSteps: compile, lqlInSteps: compile };
  const queue = new QueryQueue({ concurrency: 2, waitingMax: 2, waitMsMax: 4000 }, timer, new MemoryTokenRuns());
  const invokeServices = {
    cache,
    observe,
    endpoints: finder,
    sources: new Map(),
    redactor: createRedactor(),
    redactingThreads: redactHere(createRedactor()),
    statements: new StatementCache(compiler, { entriesMax: 10, bytesMax: 1e7 }),
    engine: parts.engine ?? engine,
    changes: parts.changes,
    pages: pagesOf(clock, 1),
    streams: new StreamPool({ streamsMax: 2, ofTokenMax: 1 }, new MemoryTokenRuns(), queue),
    queue,
    running,
    timer,
    clock,
  };
  const invokeSettings = {
    values: 'plain',
    timeoutMs: 30_000,
    resultBytesMax: 64 * 1024 * 1024,
    streamTimeoutMs: 600_000,
    queryTextBytesMax: 65_536,
    parameterBytesMax: 4096,
  } as const;
  const dataDir = mkdtempSync(join(tmpdir(), 'logmill-example-'));
  const invoke = createInvoke(invokeServices, invokeSettings);
  const exports = new Exports({
    files: new ExportFiles(join(dataDir, 'exports')),
    invoke,
    endpoints: finder,
    ...{ parquet: undefined, isLive: async () => true, basis: () => '', isDiskLow: () => false },
    limits: { rowsMax: 100, bytesMax: 1e6, diskBytesMax: 1e7, timeoutMs: 60_000 },
    ...{ clock, timer: new ManualTimer(), turns: new Turns() },
    ...{ randomness: systemRandomness, observe: () => undefined },
  });
  await exports.open();
  const database = await openDatabase(dataDir);
  const audit = new SqlAuditTrail(database);
  const tokens = new Map(
    Object.entries(scopesByToken).map(([text, scopes]): [string, AuthenticatedToken] => [
      hashToken(text),
      { publicId: text, description: '', scopes, slot: null, restrictions: null, expiresAtMicros: null },
    ]),
  );
  const tails = new Tails({
    ...invokeServices,
    ids: new TailIds(new CursorKeys(new MemoryPageSecrets(), clock, systemRandomness, 'tails'), systemRandomness),
    engineEvents: {},
    resultBytesMax: invokeSettings.resultBytesMax,
  });
  let readiness: ServiceError | null = null;
  const http = createHttpServer(
    {
      turns: new Turns(),
      authenticate: async (presented, nowMicros): Promise<AuthenticatedToken> => {
        if (parts.tokens !== undefined) return parts.tokens.authenticate(presented, nowMicros);
        if (presented === undefined) throw new ServiceError('auth.missing', 'This call needs a token.');
        const token = tokens.get(hashToken(presented));
        if (token === undefined) throw new ServiceError('auth.invalid', 'The token is not valid.');
        return token;
      },
      recognise: (secretHash, nowMicros) =>
        parts.tokens === undefined ? tokens.get(secretHash) : parts.tokens.recognise(secretHash, nowMicros),
      sessions: new Sessions({
        store: new SqlSessionStore(database),
        authenticator: { withHash: async (_publicId, secretHash) => tokens.get(secretHash) },
        codes: new OneTimeCodes(systemRandomness),
        randomness: systemRandomness,
      }),
      whenResultsDropped: (listener) => {
        cache.whenAllDropped(listener);
      },
      invoke,
      prepareTail: parts.prepareTail ?? createPrepareTail(invokeServices, invokeSettings, tails),
      readFields: createReadFields(invokeServices, invokeSettings),
      runDraft: createRunDraft(invokeServices, compiler, invokeSettings),
      convertQuery: createConvertQuery({
        ...invokeServices,
        queryTextBytesMax: 65_536,
        check: async () => ({ problem: null, errors: [], parameters: [], description: null }),
      }),
      manage: new EndpointManagement({
        store: new SqlEndpointStore(database),
        sources: new Map(),
        own: new Map(),
        clock,
        randomness: systemRandomness,
        observe,
        callersOf: async () => new Map(),
        descriptionOf: async () => undefined,
      }),
      queries: running,
      requestCounter: new MemoryRequestCounter(),
      exports,
      backups: new BackupSessions({
        take: async () => {
          throw new ServiceError('engine.failed', 'There is nothing to back up here.');
        },
        clock,
        timer,
        randomness: systemRandomness,
      }),
      purge: createPurge(finder, cache, clock),
      docsPage: loadDocsPage(),
      consoleFiles: parts.consoleFiles ?? exampleConsole,
      fileSchemas: loadFileSchemas(),
      api: new ApiDocuments({
        routes: allRoutes,
        endpoints: { list: async () => [], find: async () => undefined },
        headerPrefix: 'SVC',
        values: 'plain',
        version: '0.0.0',
        turns: new Turns(),
      }),
      webhooks: new DeclaredWebhooks(parts.webhooks ?? new Map(), systemRandomness, clock),
      ingest: createIngest({
        eventLog: {
          append: async (batch) => {
            batches.push(batch);
            return { kind: 'stored' };
          },
          recall: async () => null,
        },
        sources: sourceDirectory(builtinSources),
        clock,
        randomness,
        observe,
        defaultProject: 'p',
        limits: defaultIngestLimits,
      }),
      explainCall: createExplainCall(invokeServices, { ...invokeSettings, rate: null }),
      sourceManagement: new SourceManagement({
        registry: new SourceRegistry(),
        store: new SqlSourceStore(database),
        makeTable: async () => undefined,
        rejectedEvents: { of: async () => [] },
        memberReads: { of: () => [] },
        clock,
      }),
      retentionManagement: new RetentionManagement({
        removals: new Removals(new RetentionRules({ days: 0, bySource: new Map() })),
        store: new SqlRetentionStore(database),
        sourceNames: () => [],
        isReadOnly: () => false,
        betweenRemovals: (change) => change(),
        dropCached: () => undefined,
        clock,
      }),
      deletionManagement: new DeletionManagement({
        store: new SqlDeletionStore(database),
        sourceNames: () => [],
        isReadOnly: () => false,
        deleteEvents: (register) => register(1),
        waitsOf: async () => new Map(),
        dropCached: () => cache.dropAll(),
        clock,
        randomness: systemRandomness,
      }),
      tokenManagement: new TokenManagement({
        store: new SqlTokenStore(database),
        clock,
        randomness: systemRandomness,
      }),
      audit,
      refusedCalls: new RefusedCalls(audit),
      metrics: async () => 'nothing is counted here',
      checkInstallation: async () => [],
      space: () => null,
      nodes: null,
      storeContact: () => ({ isAway: false, ageMs: 0, isTooOld: false }),
      checkReady: async () => {
        if (readiness !== null) throw readiness;
      },
      clock,
      randomness,
      observe,
    },
    { ...defaultHttpSettings, ...settings },
  );
  const server: HttpServer = {
    ...http,
    close: async () => {
      await http.close();
      await database.destroy();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(url).port);
  return {
    url,
    port,
    server,
    engine,
    queue,
    timer,
    clock,
    observations,
    batches,
    get readiness() {
      return readiness;
    },
    set readiness(error) {
      readiness = error;
    },
    call(path, init = {}) {
      const { token = 'query-token', ...rest } = init;
      const headers = new Headers(rest.headers);
      if (token !== null && !headers.has('x-api-key')) headers.set('x-api-key', token);
      return fetch(`${url}${path}`, { ...rest, headers });
    },
    raw: (bytes) => receivedFor(url, bytes),
  };
}
