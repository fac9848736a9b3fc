import { RefusedCalls } from '../audit/refusedCalls.ts';
import { BackupSessions } from '../backup/backupSessions.ts';
import { ResultCache } from '../cache/resultCache.ts';
import type { Clock } from '../core/clock.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { type Randomness, uuidV7 } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import { systemTimer } from '../core/timer.ts';
import { EndpointDirectory } from '../endpoints/endpointDirectory.ts';
import type { Exports } from '../exports/exports.ts';
import { ApiDocuments } from '../http/openapi/apiDocuments.ts';
import { allRoutes } from '../http/routes/allRoutes.ts';
import type { HttpServices } from '../http/services.ts';
import { createIngest, type Ingest } from '../ingest/ingest.ts';
import { RejectedEvents } from '../ingest/rejectedEvents.ts';
import { DeclaredWebhooks } from '../ingest/webhook/declaredWebhooks.ts';
import { DescribedEndpoints } from '../invoke/describedEndpoints.ts';
import { createRunDraft } from '../invoke/draft.ts';
import { createExplainCall } from '../invoke/explainCall.ts';
import { PathNotices } from '../invoke/fields/pathNotices.ts';
import { createReadFields } from '../invoke/fields/readFields.ts';
import { createInvoke } from '../invoke/invoke.ts';
import { MemberReads } from '../invoke/memberReads.ts';
import { CursorKeys } from '../invoke/pages/cursorKeys.ts';
import { createPurge } from '../invoke/purge.ts';
import { QueryQueue } from '../invoke/queryQueue.ts';
import { RunningQueries } from '../invoke/runningQueries.ts';
import { withServiceEndpoints } from '../invoke/serviceEndpoints.ts';
import { StatementCache } from '../invoke/statementCache.ts';
import { StreamPool } from '../invoke/streams/streamPool.ts';
import { createPrepareTail } from '../invoke/tail/prepareTail.ts';
import type { Tails } from '../invoke/tail/tails.ts';
import { createConvertQuery } from '../manage/convert/convertQuery.ts';
import { DeletionManagement } from '../manage/deletionManagement.ts';
import { EndpointManagement } from '../manage/endpointManagement.ts';
import { RetentionManagement } from '../manage/retentionManagement.ts';
import { SourceManagement } from '../manage/sourceManagement.ts';
import { TokenManagement } from '../manage/tokenManagement.ts';
import { createCallersOf } from '../observe/callersOf.ts';
import { Metrics } from '../observe/metrics.ts';
import type { Traces } from '../observe/traces.ts';
import type { Usage } from '../observe/usage.ts';
import { watchDelay } from '../observe/watchDelay.ts';
import type { StorageEngine } from '../ports/storageEngine.ts';
import { redactorOf } from '../redact/redactionConfig.ts';
import { RedactionCounts } from '../redact/redactionCounts.ts';
import { RedactingThreads } from '../redact/thread/redactingThreads.ts';
import type { DeletionStore } from '../retention/eventDeletion.ts';
import type { Removals } from '../retention/removals.ts';
import { oldestKeptMicros } from '../retention/retentionRules.ts';
import type { RetentionStore } from '../retention/retentionStore.ts';
import type { OneTimeCodes } from '../sessions/oneTimeCodes.ts';
import type { SourceRegistry } from '../sources/sourceRegistry.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { openDatabase } from '../stores/sqlite/database.ts';
import { Authenticator } from '../tokens/authenticator.ts';
import type { TokenStore } from '../tokens/tokenStore.ts';
import { compilerFor } from './compilerFor.ts';
import { loadConsoleFiles } from './consoleFiles.ts';
import { declareSources } from './declareSources.ts';
import { alwaysInContact, type DefinitionStores, openDefinitionStores } from './definitionStores.ts';
import { loadDocsPage } from './docsPage.ts';
import type { OpenEngine } from './engineInputs.ts';
import { explainSettingsOf } from './explainCalls.ts';
import { loadFileSchemas } from './fileSchemas.ts';
import { type Following, followStores, notFollowing } from './followStores.ts';
import { ingestLimitsOf } from './ingestLimitsOf.ts';
import { takeLiveBackup } from './liveBackup.ts';
import { loadRemovals } from './loadRemovals.ts';
import { nodeReadings, readingsOf } from './metricReadings.ts';
import { openEngine } from './openEngine.ts';
import { openExports } from './openExports.ts';
import { openSessions } from './openSessions.ts';
import { openTails } from './openTails.ts';
import { packageVersion } from './packageInfo.ts';
import { checkEngine, requireStore } from './readiness.ts';
import { readWebhooks } from './readWebhooks.ts';
import { redactionConfigOf } from './redactionSettings.ts';
import { loadOwnDefinitions, loadServiceEndpoints, type OwnDefinitions, serviceSources } from './serviceEndpoints.ts';
import type { Settings } from './settings.ts';
import { sharedPorts } from './sharedPorts.ts';
import type { StandbyEngine } from './standbyEngine.ts';
import { startDefinitions } from './startDefinitions.ts';
import { startTraces, tracing } from './traces.ts';
import { observingCalls, startUsage } from './usage.ts';

/** All parts of a running service, wired together; nothing listens yet. */
export interface Services extends Omit<HttpServices, 'checkInstallation'> {
  readonly tokens: TokenStore;
  readonly authenticator: Authenticator;
  /** Codes of links that sign in. */
  readonly codes: OneTimeCodes;
  readonly refusedCalls: RefusedCalls;
  readonly storage: StorageEngine;
  readonly database: StoreDatabase;
  readonly definitions: DefinitionStores;
  /** Stops the exchange with other nodes, and loading their changes. */
  readonly closeShared: () => Promise<void>;
  readonly cache: ResultCache;
  readonly usage: Usage;
  readonly running: RunningQueries;
  readonly tails: Tails;
  /** Null if tracing is off. */
  readonly traces: Traces | null;
  readonly backups: BackupSessions;
  readonly exports: Exports | null;
  /** Ingestion for sample data: the same path, without an observation per batch. */
  readonly sampleIngest: Ingest;
  /** Stops measuring the delay of the main thread. */
  readonly stopWatching: () => void;
}

export interface ServiceInputs {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
  readonly standbyEngine?: StandbyEngine | undefined;
  /** Another engine than the one that `openEngine` chooses; for tests of the port. */
  readonly openEngine?: OpenEngine | undefined;
  /** Of each query for notices (invoke/fields/pathNotices.ts); for tests, whose answers must not depend on time. */
  readonly lookMsMax?: number | undefined;
}

/** Opens the stores and the engine in the data folder and wires the service. The folder must be locked. */
export async function buildServices(given: ServiceInputs): Promise<Services> {
  const metrics = new Metrics();
  metrics.describeProcess(packageVersion());
  const observe: Observe = (observation) => {
    metrics.observe(observation);
    given.observe(observation);
  };
  const inputs: ServiceInputs = { ...given, observe };
  const database = await openDatabase(inputs.settings.dataDir);
  const turns = new Turns();
  const opened: (() => Promise<void>)[] = [() => database.destroy()];
  try {
    const definitions = await openDefinitionStores({
      settings: inputs.settings,
      local: database,
      timer: systemTimer,
      observe,
    });
    opened.push(() => definitions.close());
    const opening = openStorage(database, definitions, turns, inputs);
    opened.push(async () => await opening.then(({ storage }) => storage.close()).catch(() => undefined));
    // Meanwhile, because the engine may have a log to replay (decision 128).
    const files = loadOwnDefinitions();
    const { registry, storage, kept } = await opening;
    return await wire(database, definitions, storage, registry, kept, metrics, turns, inputs, files);
  } catch (error) {
    for (const close of opened.toReversed()) await close();
    throw error;
  }
}

async function wire(
  database: StoreDatabase,
  definitions: DefinitionStores,
  storage: StorageEngine,
  registry: SourceRegistry,
  kept: Kept,
  metrics: Metrics,
  turns: Turns,
  inputs: ServiceInputs,
  files: OwnDefinitions,
): Promise<Services> {
  const { settings, clock, randomness, observe } = inputs;
  const sources = registry.byName;
  const { tokens, audit, endpoints: endpointStore, shared: sharedStore } = definitions;
  const authenticator = new Authenticator(tokens);
  const storeContact = () => sharedStore?.contact() ?? alwaysInContact;
  const ingestDependencies = {
    turns,
    eventLog: storage.log,
    sources: registry,
    clock,
    randomness,
    observe,
    defaultProject: settings.defaultProject ?? null,
    limits: ingestLimitsOf(settings),
  };
  const redactor = redactorOf(redactionConfigOf(settings));
  const rejectedEvents = new RejectedEvents({ redactor, clock });
  const oldestMicros = (source: string, project: string, nowMicros: number) =>
    oldestKeptMicros(kept.removals.rules.effective(source, project).days, nowMicros);
  const endpoints = new EndpointDirectory(endpointStore, (current) =>
    cache.keepOnly(new Map(current.map(({ id, version }) => [id, version]))),
  );
  const cache = new ResultCache(
    {
      bytesMax: settings.cacheBytes,
      entriesMax: settings.cacheEntries,
      warmingShare: settings.warmingPercent / 100,
    },
    {
      clock,
      timer: systemTimer,
      randomness,
      observe,
      lookForChanges: () => endpoints.list(clock.nowMicros()),
      isCurrent: () => shared.isCacheCurrent(),
      claims: { claim: (key, seconds) => shared.claims.claim(key, seconds) },
      settled: storage.changes?.settled.bind(storage.changes),
    },
  );
  const running = new RunningQueries({ clock, randomness, observe, readMs: () => performance.now() });
  const { limits, queries: engine } = storage;
  const slowMs = settings.slowQueryMs === 0 ? Number.POSITIVE_INFINITY : settings.slowQueryMs;
  const traces = await startTraces(settings, { clock, randomness, observe });
  const given =
    settings.redactKey === undefined ? undefined : (text: string) => redactor.redactGiven(text, new RedactionCounts());
  const usage = startUsage({ slowMs, clock, randomness, observe, given }, ingestDependencies);
  const shared = await sharedPorts(
    { running, cache, usage },
    sharedStore === null
      ? null
      : {
          store: sharedStore.store,
          schema: sharedStore.store.pool.address.schema,
          adoptChanges: () => following.now(),
          clock,
          randomness,
          observe,
        },
  );
  const queue = new QueryQueue(
    {
      concurrency: settings.queryConcurrency,
      waitingMax: settings.queryQueueMax,
      waitMsMax: settings.queryQueueWaitMs,
      shares: { longMs: 100, longMax: settings.engineThreads },
    },
    systemTimer,
    shared.tokenRuns,
    turns,
  );
  metrics.readFrom(() => ({
    ...readingsOf(queue, cache, storage),
    tailsOpen: tails.openCount,
    ...nodeReadings(shared.nodes),
    store: storeContact(),
  }));
  const ownEndpoints = loadServiceEndpoints(() => shared.usage.flush(), files.service);
  const compiler = compilerFor(limits);
  const rowServices = {
    sources,
    redactor,
    redactingThreads: new RedactingThreads(redactionConfigOf(settings), turns),
    turns,
    statements: new StatementCache(compiler, { entriesMax: 1000, bytesMax: 32 * 2 ** 20 }),
    clock,
    engine,
    queue,
    running,
    timer: systemTimer,
  };
  const pathNotices = new PathNotices(rowServices, inputs.lookMsMax);
  // Removed events must not be named.
  cache.whenAllDropped(() => pathNotices.forget());
  const memberReads = new MemberReads();
  const watched = observingCalls(tracing(observe, traces), shared.usage, slowMs);
  const invokeServices = {
    ...rowServices,
    // Not above: what the service itself looks for, for a notice, nobody asked.
    memberReads,
    endpoints: withServiceEndpoints(endpoints, ownEndpoints),
    cache,
    observe,
    pathNotices,
    changes: storage.changes,
    parquet: storage.parquet,
    streams: new StreamPool({ streamsMax: settings.streamsMax, ofTokenMax: 1 }, shared.tokenRuns, queue),
    pages: {
      lastArrival: storage.lastArrival,
      reachArrival: storage.reachArrival,
      keys: new CursorKeys(definitions.pageSecrets, clock, randomness),
      clock,
      timer: systemTimer,
      randomness,
    },
  };
  const invokeSettings = {
    values: settings.values,
    timeoutMs: settings.queryTimeoutMs,
    resultBytesMax: settings.resultBytesMax,
    streamTimeoutMs: settings.streamTimeoutMs,
    queryTextBytesMax: settings.queryTextBytesMax,
    parameterBytesMax: settings.parameterBytesMax,
  };
  const tails = openTails(invokeServices, storage, definitions, settings, randomness);
  const invoke = createInvoke(invokeServices, invokeSettings);
  const exports =
    sharedStore === null
      ? await openExports({
          settings,
          storage,
          tokens,
          invoke,
          endpoints: invokeServices.endpoints,
          removals: kept.removals,
          redaction: rowServices.redactor.description,
          timer: systemTimer,
          turns,
          clock,
          randomness,
          observe: watched,
        })
      : null;
  // Deletions and changes of retention drop all results; exports are results on disk.
  cache.whenAllDropped((projects) => exports?.dropAll(projects));
  const dropCached = (projects?: readonly string[]) => shared.cachePurge.dropAll(projects);
  const following =
    sharedStore === null
      ? notFollowing
      : followStores({
          stores: {
            sources: definitions.sources,
            retention: definitions.retention,
            deletions: definitions.deletions === sharedStore.deletions ? sharedStore.deletions : null,
            onChange: sharedStore.onChange,
            isAway: () => sharedStore.contact().isAway,
          },
          registry,
          removals: kept.removals,
          storage,
          dropCached: () => cache.dropAll(),
          timer: systemTimer,
          observe,
        });
  kept.follow(following);
  const own = new Map(ownEndpoints.map(({ id, name }) => [id.toLowerCase(), name] as const));
  const manage = new EndpointManagement({
    store: endpointStore,
    sources,
    limits,
    turns,
    own,
    clock,
    randomness,
    observe,
    callersOf: createCallersOf({ usage: shared.usage, engine, queue, clock }),
    descriptionOf: async (publicId) => (await tokens.findByPublicId(publicId))?.description,
  });
  const deploy = () =>
    startDefinitions({
      store: endpointStore,
      manage,
      sources,
      limits,
      own,
      shipped: files.shipped,
      endpointsDir: settings.endpointsDir,
      nowMicros: clock.nowMicros(),
      newId: () => uuidV7(clock.nowMicros() / 1000, randomness),
      observe,
      keepsLater: sharedStore !== null,
    });
  await (sharedStore === null ? deploy() : sharedStore.alone(deploy));
  await shared.start();
  return {
    tokens,
    authenticator,
    ...openSessions(definitions, authenticator, randomness),
    storage,
    database,
    definitions,
    nodes: shared.nodes,
    closeShared: async () => {
      await following.close();
      await shared.close();
    },
    cache,
    usage,
    traces,
    backups: new BackupSessions({
      take: () => takeLiveBackup({ storage, dataDir: settings.dataDir, clock, randomness }),
      clock,
      timer: systemTimer,
      randomness,
    }),
    webhooks: new DeclaredWebhooks(readWebhooks(settings.webhooksFile, registry), randomness, clock),
    authenticate: (presented, nowMicros) => authenticator.authenticate(presented, nowMicros),
    recognise: (secretHash, nowMicros) => authenticator.recognise(secretHash, nowMicros),
    whenResultsDropped: (listener) => cache.whenAllDropped(listener),
    invoke,
    exports,
    tails,
    prepareTail: createPrepareTail(invokeServices, invokeSettings, tails),
    readFields: createReadFields(invokeServices, invokeSettings),
    runDraft: createRunDraft(invokeServices, compiler, invokeSettings),
    convertQuery: createConvertQuery({
      ...invokeServices,
      queryTextBytesMax: settings.queryTextBytesMax,
      check: (definition, owner) => manage.check(definition, owner),
    }),
    manage,
    sourceManagement: new SourceManagement({
      registry,
      store: definitions.sources,
      makeTable: (source) => storage.addSource(source),
      describeTable: storage.describeTable,
      rejectedEvents,
      memberReads,
      clock,
    }),
    retentionManagement: new RetentionManagement({
      removals: kept.removals,
      store: kept.retention,
      sourceNames: () => [...registry.writableNames(), ...serviceSources.keys()],
      isReadOnly: (source) => registry.isReadOnly(source),
      betweenRemovals: (change) => storage.betweenRemovals(change),
      dropCached,
      clock,
    }),
    deletionManagement: new DeletionManagement({
      store: kept.deletions,
      sourceNames: () => registry.writableNames(),
      isReadOnly: (source) => registry.isReadOnly(source),
      deleteEvents: (register) => storage.deleteEvents(register),
      waitsOf: (deletions) => storage.deletionWaits(deletions),
      dropCached,
      clock,
      randomness,
    }),
    tokenManagement: new TokenManagement({ store: tokens, clock, randomness }),
    explainCall: createExplainCall(invokeServices, explainSettingsOf(settings)),
    running,
    queries: shared.queryControl,
    requestCounter: shared.requestCounter,
    purge: createPurge(endpoints, shared.cachePurge, clock),
    docsPage: loadDocsPage(),
    consoleFiles: loadConsoleFiles(),
    fileSchemas: loadFileSchemas(),
    api: new ApiDocuments({
      routes: allRoutes,
      endpoints: new DescribedEndpoints(endpoints, ownEndpoints, sources, limits),
      headerPrefix: settings.headerPrefix,
      values: settings.values,
      version: packageVersion(),
      turns,
    }),
    ingest: createIngest({ ...ingestDependencies, oldestMicros, rejectedEvents }),
    sampleIngest: createIngest({ ...ingestDependencies, observe: () => undefined }),
    audit,
    refusedCalls: new RefusedCalls(audit),
    metrics: () => metrics.text(),
    turns,
    stopWatching: watchDelay(systemTimer, (seconds) => metrics.mainThreadDelayed(seconds)),
    checkReady: async () => {
      requireStore(storeContact());
      await checkEngine(storage);
    },
    storeContact,
    space: () => storage.space ?? null,
    clock,
    randomness,
    observe: watched,
  };
}

/** Removals of events, and the stores that keep them. */
interface Kept {
  readonly removals: Removals;
  readonly retention: RetentionStore;
  readonly deletions: DeletionStore;
  /** Has the storage apply what other nodes have registered, now that it is followed. */
  readonly follow: (following: Following) => void;
}

async function openStorage(
  database: StoreDatabase,
  definitions: DefinitionStores,
  turns: Turns,
  inputs: ServiceInputs,
): Promise<{ readonly registry: SourceRegistry; readonly storage: StorageEngine; readonly kept: Kept }> {
  const { settings, clock, randomness, observe } = inputs;
  const { sources, retention, deletions } = definitions;
  const registry = await declareSources(settings, sources);
  const stored = await loadRemovals(settings, retention, deletions, clock);
  let following = notFollowing;
  const storage = await (inputs.openEngine ?? openEngine)({
    settings,
    clock,
    randomness,
    observe,
    turns,
    database,
    shared: definitions.shared,
    sources: [...registry.byName.values(), ...serviceSources.values()],
    stored,
    followRemovals: (subjects) => following.require(subjects),
    standbyEngine: inputs.standbyEngine,
  });
  const follow = (begun: Following) => {
    following = begun;
  };
  return { registry, storage, kept: { removals: stored.removals, retention, deletions, follow } };
}
