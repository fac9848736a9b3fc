import { rm } from 'node:fs/promises';
import type { Clock } from '../core/clock.ts';
import { isDoneWithin } from '../core/concurrency/isDoneWithin.ts';
import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import type { Observe } from '../core/observation.ts';
import { systemTimer } from '../core/timer.ts';
import { warmCompiler } from '../googlesql/warmCompiler.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import { defaultHttpSettings, type HttpServices } from '../http/services.ts';
import { warmRedactor } from '../redact/warmRedactor.ts';
import { syncConfiguredTokens } from '../tokens/configuredTokens.ts';
import { createToken } from '../tokens/createToken.ts';
import type { TokenSlot } from '../tokens/tokenStore.ts';
import { firstAdminToken } from './adminToken.ts';
import { type ClaimedFolder, claimFolder } from './claimFolder.ts';
import { originsOf } from './corsOrigins.ts';
import type { DemoState } from './demoState.ts';
import { InstallationCheck } from './doctor/installationCheck.ts';
import { openFilesMax } from './doctor/thisMachine.ts';
import type { OpenEngine } from './engineInputs.ts';
import { type DemoFill, type DemoProgress, fillDemo } from './fillDemo.ts';
import type { FolderLock } from './folderLock.ts';
import { backupCopiesPath } from './liveBackup.ts';
import type { SettingInputs } from './readSettings.ts';
import { RedactionAhead } from './redactionAhead.ts';
import { listenError } from './refuseTakenPort.ts';
import { buildServices, type Services } from './services.ts';
import type { Settings } from './settings.ts';
import type { StandbyEngine } from './standbyEngine.ts';
import { StartError } from './startError.ts';
import { startSyslog } from './startSyslog.ts';

export interface StartInputs {
  readonly settings: Settings;
  /** Where the settings come from, for the doctor; absent if nothing but the folder is to be checked. */
  readonly settingInputs?: SettingInputs | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
  /** Whether to add sample data to a folder that is empty or has sample data already. */
  readonly demo: boolean;
  /**
   * A process for the engine that was started ahead, or undefined. The service ends it; if the service does not start,
   * whoever started the process ends it.
   */
  readonly standbyEngine?: StandbyEngine | undefined;
  /** The data folder, if it was claimed ahead with the same settings and the same `demo`. */
  readonly claimed?: ClaimedFolder | undefined;
  /** Another engine than the one that `openEngine` chooses; for tests of the port. */
  readonly openEngine?: OpenEngine | undefined;
  /** Of each query for notices (invoke/fields/pathNotices.ts); for tests, whose answers must not depend on time. */
  readonly lookMsMax?: number | undefined;
  /** Called with each step of the start that takes time. */
  readonly progress: (sentence: string) => void;
}

/** Sample data of a started service: the added events, and a token for the sample calls. */
export interface StartedDemo {
  readonly fill: DemoFill;
  readonly queryToken: string;
}

export interface RunningService {
  /** Address as `http://host:port`. */
  readonly url: string;
  /** The port that receives syslog; undefined if none does. */
  readonly syslogPort: number | undefined;
  /** The administration token at the first start of the folder, otherwise undefined. */
  readonly adminToken: string | undefined;
  /** Undefined if no sample data was wanted; `foreign` if the folder holds other data. */
  readonly demo: StartedDemo | 'foreign' | undefined;
  /** Prepares in the background what would make the first calls slow. */
  warm(): void;
  /** A link that signs one browser in to the console, with all rights, within ten minutes. A new one for each call. */
  consoleLink(): string;
  /** Whether the console was built. */
  readonly hasConsole: boolean;
  /**
   * Stops the service in phases (architecture, "Start and stop"): not ready → stop accepting → let calls finish for at
   * most `shutdownMs` → end queries that still run, and answer their callers with 503 → stop warming → close engine and
   * store → unlock the folder. Idempotent.
   */
  close(reason: string): Promise<void>;
}

/** How long callers may take to receive the answers of queries that were ended. */
const lastAnswersMs = 1_000;
/** How often to store refused calls and the times when tokens were last used. */
const countsEveryMs = 60_000;
const hourMicros = 3_600_000_000;
const demoTokenMicros = 24 * hourMicros;
/** How often to check that the data folder is still at its path. */
const lookForFolderMs = 1_000;
/** How often to report the progress of sample data. */
const tellEveryMicros = 1_000_000;

/**
 * Starts a service on its data folder; resolves when it listens and is ready. Rejects with a StartError for problems
 * that the operator can solve, and leaves nothing running.
 */
export async function startService(inputs: StartInputs): Promise<RunningService> {
  const { settings, clock } = inputs;
  const { lock, sample } = inputs.claimed ?? (await claimFolder({ ...inputs, nowMicros: clock.nowMicros() }));
  try {
    await rm(backupCopiesPath(settings.dataDir), { recursive: true, force: true });
    const services = await buildServices(inputs);
    try {
      return await listen(inputs, services, lock, sample);
    } catch (error) {
      await closeServices(services);
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function listen(
  inputs: StartInputs,
  services: Services,
  lock: FolderLock,
  sample: DemoState | undefined,
): Promise<RunningService> {
  const { settings, clock, randomness, observe } = inputs;
  const startedMicros = clock.nowMicros();
  const revoked = await syncConfiguredTokens(services.tokens, configuredTokens(settings), randomness, startedMicros);
  for (const setting of revoked) {
    const message = `the token of ${setting} was revoked, so it is not valid; set another value and restart the service`;
    observe({ kind: 'warning', message });
  }
  const adminToken = await firstAdminToken(services.tokens, settings.dataDir, randomness, startedMicros);
  const demo = inputs.demo ? await startDemo(inputs, services, sample) : undefined;
  const settingInputs = inputs.settingInputs ?? { environment: {}, flags: { dataDir: settings.dataDir } };
  const installation = new InstallationCheck(settingInputs, systemTimer);
  const httpServices: HttpServices = { ...services, checkInstallation: () => installation.run() };
  const server = createHttpServer(httpServices, {
    ...defaultHttpSettings,
    headerPrefix: settings.headerPrefix,
    tokenInUrl: settings.tokenInUrl,
    corsOrigins: originsOf(settings.corsOrigins),
    ingestBodyBytesMax: settings.ingestBytesMax,
    connectionsMax: Math.min(limits.httpConnectionsMax, Math.floor((openFilesMax() ?? Number.POSITIVE_INFINITY) / 2)),
    requestsPerMinute: settings.requestsPerMinute,
    trustedProxies: settings.trustedProxies?.split(',') ?? [],
    repeatedBytesMax: Math.floor(settings.cacheBytes / 4),
    answerBytesHeldMax: Math.max(defaultHttpSettings.answerBytesHeldMax, 8 * settings.resultBytesMax),
  });
  const syslog = await startSyslog(services, settings, services.sourceManagement.list());
  const url = await listenOn(server, settings).catch(async (error: unknown) => {
    await syslog?.server.close();
    throw error;
  });
  let isAnnounced = lock.announce(url);
  const flushing = setInterval(() => {
    void flushCounts(services, clock.nowMicros());
  }, countsEveryMs);
  flushing.unref();
  const looking = setInterval(() => {
    if (lock.isHeld) {
      if (!isAnnounced) isAnnounced = lock.announce(url);
      return;
    }
    clearInterval(looking);
    observe({ kind: 'folder.gone', message: goneMessage(settings.dataDir) });
  }, lookForFolderMs);
  looking.unref();
  let closing: Promise<void> | undefined;
  let stopWarming = (): void => {};
  return {
    url,
    syslogPort: syslog?.port,
    adminToken,
    demo,
    hasConsole: services.consoleFiles.size > 0,
    warm: () => {
      const background = { timer: systemTimer, turns: services.turns };
      const stops = [warmRedactor(background), warmCompiler(background), prepareRedaction(services)];
      stopWarming = () => {
        for (const stop of stops) stop();
      };
    },
    consoleLink: () => `${url}/console/#code=${services.codes.issue(clock.nowMicros())}`,
    close: (reason) => {
      closing ??= (async () => {
        observe({ kind: 'service.stopping', reason });
        clearInterval(flushing);
        clearInterval(looking);
        services.stopWatching();
        stopWarming();
        server.beginDrain();
        services.tails.close();
        const closed = Promise.all([server.close(), syslog?.server.close()]).then(() => undefined);
        if (!(await isDoneWithin(settings.shutdownMs, closed))) {
          // The engine closes only after its last statement.
          services.running.endAll(
            new ServiceError(
              'service.draining',
              'The service stopped before the query had ended. Call another node, or call again later.',
            ),
          );
          services.manage.close(
            new ServiceError(
              'service.draining',
              'The service stopped before it made the change. Send it to another node, or send it again later.',
            ),
          );
          // Closing the next part cuts off the rest.
          await isDoneWithin(lastAnswersMs, closed);
        }
        installation.stop();
        await closeServices(services);
        lock.release();
      })();
      return closing;
    },
  };
}

function prepareRedaction({ storage, tokens, definitions, clock, turns, observe }: Services): () => void {
  const prepare = storage.prepareRedaction;
  if (prepare === undefined) return () => undefined;
  const ahead = new RedactionAhead({
    tokens,
    endpoints: definitions.endpoints,
    prepare,
    clock,
    timer: systemTimer,
    turns,
    observe,
  });
  ahead.start();
  return () => ahead.stop();
}

function goneMessage(dataDir: string): string {
  return (
    `While the service ran, its data folder ${dataDir} or the file "lock" in it was moved or removed. Another service may now own the folder at this path. ` +
    'The service stops at once and changes nothing more. All acknowledged events are in the folder that it was started on.'
  );
}

function configuredTokens(settings: Settings): readonly { readonly slot: TokenSlot; readonly value: string }[] {
  const given = [
    ['admin', settings.adminToken],
    ['query', settings.queryToken],
    ['ingest', settings.ingestToken],
  ] as const;
  return given.flatMap(([slot, value]) => (value === undefined ? [] : [{ slot, value }]));
}

async function startDemo(
  inputs: StartInputs,
  services: Services,
  sample: DemoState | undefined,
): Promise<StartedDemo | 'foreign'> {
  if (sample === undefined) return 'foreign';
  const { settings, clock, randomness, progress } = inputs;
  const nowMicros = clock.nowMicros();
  const hours = Math.round((nowMicros - sample.filledToMicros) / hourMicros);
  if (hours > 0) progress(`Adding sample data of the last ${hours === 1 ? 'hour' : `${hours} hours`} ...`);
  let toldMicros = nowMicros;
  const onPiece = ({ events, toMicros }: DemoProgress) => {
    if (toMicros >= nowMicros || clock.nowMicros() - toldMicros < tellEveryMicros) return;
    toldMicros = clock.nowMicros();
    const left = Math.ceil((nowMicros - toMicros) / hourMicros);
    progress(`  ${events} events added; ${left === 1 ? '1 hour' : `${left} hours`} to go.`);
  };
  const fill = await fillDemo(settings.dataDir, sample, services.sampleIngest, nowMicros, onPiece).catch((cause) => {
    if (!(cause instanceof ServiceError && cause.code === 'ingest.disk_full')) throw cause;
    throw new StartError(
      `The disk of the data folder ${settings.dataDir} is too full for sample data. Free some space, choose another folder with --data-dir or LOGMILL_DATA_DIR, or start without sample data (npm run serve).`,
      { cause },
    );
  });
  const { text } = await createToken(
    services.tokens,
    {
      description: 'for the sample calls printed at start',
      scopes: [{ kind: 'query' }],
      expiresAtMicros: nowMicros + demoTokenMicros,
    },
    randomness,
    nowMicros,
  );
  return { fill, queryToken: text };
}

async function listenOn(server: HttpServer, { host, port }: Settings): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    throw listenError(error, host, port);
  }
}

/**
 * Never rejects: values that could not be stored are stored with the next ones. `nowMicros` is null for the last flush.
 */
async function flushCounts(
  { authenticator, refusedCalls, observe }: Services,
  nowMicros: number | null,
): Promise<void> {
  const warn = (what: string) => (cause: unknown) =>
    observe({ kind: 'warning', message: `${what} could not be stored and will be stored later`, cause });
  await Promise.all([
    authenticator.flushLastUsed().catch(warn('the times when tokens were last used')),
    refusedCalls.flush(nowMicros).catch(warn('refused calls')),
  ]);
}

async function closeServices(services: Services): Promise<void> {
  const { cache, usage, traces, backups, storage, definitions, database } = services;
  cache.stopWarming();
  await services.exports?.close();
  await backups.close();
  await usage.close();
  await services.closeShared();
  await traces?.close();
  await flushCounts(services, null);
  // Closing the storage commits the last acknowledged events and ends the engine process.
  await storage.close();
  await definitions.close();
  await database.destroy();
}
