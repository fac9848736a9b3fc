import { rm } from 'node:fs/promises';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import { defaultHttpSettings } from '../http/services.ts';
import { syncConfiguredTokens } from '../tokens/configuredTokens.ts';
import { createToken } from '../tokens/createToken.ts';
import type { TokenSlot } from '../tokens/tokenStore.ts';
import { firstAdminToken } from './adminToken.ts';
import { originsOf } from './corsOrigins.ts';
import { tightenDataFolder } from './dataEntries.ts';
import { claimForDemo, type DemoState } from './demoState.ts';
import { type DemoFill, type DemoProgress, demoDayMicros, fillDemo } from './fillDemo.ts';
import { type FolderLock, lockFolder } from './folderLock.ts';
import { backupCopiesPath } from './liveBackup.ts';
import type { OpenEngine } from './openEngine.ts';
import { refuseLostStore } from './refuseLostStore.ts';
import { listenError, refuseTakenPort } from './refuseTakenPort.ts';
import { buildServices, type Services } from './services.ts';
import type { Settings } from './settings.ts';
import type { StandbyEngine } from './standbyEngine.ts';
import { StartError } from './startError.ts';

export interface StartInputs {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
  /** Whether sample data is wanted in an empty folder or one that was filled with it before. */
  readonly demo: boolean;
  /** A process for the engine that was started ahead, or undefined. The service ends it with itself, its starter where the service does not start. */
  readonly standbyEngine?: StandbyEngine | undefined;
  /** Another engine than the one that `openEngine` chooses; for tests of the port. */
  readonly openEngine?: OpenEngine | undefined;
  /** Told what takes time while it starts. */
  readonly progress: (sentence: string) => void;
}

/** Sample data of a started service: what was filled in, and a token for the calls that show it. */
export interface StartedDemo {
  readonly fill: DemoFill;
  readonly queryToken: string;
}

export interface RunningService {
  /** Where it listens: `http://host:port`. */
  readonly url: string;
  /** The administration token at the first start of its folder, else undefined. */
  readonly adminToken: string | undefined;
  /** Undefined where no sample data was wanted; `foreign` where the folder holds other data. */
  readonly demo: StartedDemo | 'foreign' | undefined;
  /**
   * Ends it in phases (architecture, "Shutdown in phases with deadlines"): not ready → stop accepting
   * → let calls finish, at most `shutdownMs` → end the queries that still run, whose callers are answered with 503
   * → stop warming → close engine and store → free the folder. Idempotent.
   */
  close(reason: string): Promise<void>;
}

/** How long the answers of queries that were ended may take to reach those who take them. */
const lastAnswersMs = 1_000;
/** Times of last use of tokens, and refused calls, are written this often. */
const countsEveryMs = 60_000;
const hourMicros = 3_600_000_000;
const demoTokenMicros = 24 * hourMicros;
/** How often it is looked whether the data folder is still at its path. */
const lookForFolderMs = 1_000;
/** How often a start tells how far its sample data is. */
const tellEveryMicros = 1_000_000;

/**
 * Starts a service on its data folder; resolves when it listens and is ready. Rejects with a
 * StartError for what the person who starts it can mend; nothing is left running then.
 */
export async function startService(inputs: StartInputs): Promise<RunningService> {
  const { settings, clock } = inputs;
  const lock = lockFolder(settings.dataDir, clock.nowMicros());
  try {
    await refuseTakenPort(settings.host, settings.port);
    refuseLostStore(settings.dataDir);
    tightenDataFolder(settings.dataDir);
    // Before anything else is made in the folder: afterwards it is not empty any more.
    const sample = inputs.demo ? claimForDemo(settings.dataDir, clock.nowMicros() - demoDayMicros) : undefined;
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
  await syncConfiguredTokens(services.tokens, configuredTokens(settings), randomness, startedMicros);
  const adminToken = await firstAdminToken(services.tokens, settings.dataDir, randomness, startedMicros);
  const demo = inputs.demo ? await startDemo(inputs, services, sample) : undefined;
  const server = createHttpServer(services, {
    ...defaultHttpSettings,
    headerPrefix: settings.headerPrefix,
    tokenInUrl: settings.tokenInUrl,
    corsOrigins: originsOf(settings.corsOrigins),
    ingestBodyBytesMax: settings.ingestBytesMax,
    requestsPerMinute: settings.requestsPerMinute,
    trustedProxies: settings.trustedProxies?.split(',') ?? [],
    repeatedBytesMax: Math.floor(settings.cacheBytes / 4),
  });
  const url = await listenOn(server, settings);
  const flushing = setInterval(() => {
    void flushCounts(services, clock.nowMicros());
  }, countsEveryMs);
  flushing.unref();
  const looking = setInterval(() => {
    if (lock.isHeld) return;
    clearInterval(looking);
    observe({ kind: 'folder.gone', message: goneMessage(settings.dataDir) });
  }, lookForFolderMs);
  looking.unref();
  let closing: Promise<void> | undefined;
  return {
    url,
    adminToken,
    demo,
    close: (reason) => {
      closing ??= (async () => {
        observe({ kind: 'service.stopping', reason });
        clearInterval(flushing);
        clearInterval(looking);
        services.stopWatching();
        server.beginDrain();
        const closed = server.close();
        if (!(await isDoneWithin(settings.shutdownMs, closed))) {
          // The engine closes only after its last statement.
          services.running.endAll(
            new ServiceError(
              'service.draining',
              'The service stopped before the query had ended. Call another node, or call again later.',
            ),
          );
          await isDoneWithin(lastAnswersMs, closed);
        }
        await closeServices(services);
        lock.release();
      })();
      return closing;
    },
  };
}

function goneMessage(dataDir: string): string {
  return (
    `The data folder ${dataDir} was moved or removed, or its file "lock" was, while the service ran, so that another service may have what is there now. ` +
    'The service ends at once and changes nothing more. Everything that it acknowledged is in the folder that it was started on.'
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
  if (hours > 0) progress(`Making sample data of the last ${hours === 1 ? 'hour' : `${hours} hours`} ...`);
  let toldMicros = nowMicros;
  const onPiece = ({ events, toMicros }: DemoProgress) => {
    if (toMicros >= nowMicros || clock.nowMicros() - toldMicros < tellEveryMicros) return;
    toldMicros = clock.nowMicros();
    const left = Math.ceil((nowMicros - toMicros) / hourMicros);
    progress(`  ${events} events are stored; ${left === 1 ? 'an hour is' : `${left} hours are`} left to make.`);
  };
  const fill = await fillDemo(settings.dataDir, sample, services.sampleIngest, nowMicros, onPiece).catch((cause) => {
    if (!(cause instanceof ServiceError && cause.code === 'ingest.disk_full')) throw cause;
    throw new StartError(
      `The disk of the data folder ${settings.dataDir} has no room for sample data. Make room there, give another folder with --data-dir or LOGMILL_DATA_DIR, or start without sample data (npm run serve).`,
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

/** Never rejects: what could not be written is written with the next. `nowMicros` is null before the end. */
async function flushCounts(
  { authenticator, refusedCalls, observe }: Services,
  nowMicros: number | null,
): Promise<void> {
  const warn = (what: string) => (cause: unknown) =>
    observe({ kind: 'warning', message: `${what} could not be written`, cause });
  await Promise.all([
    authenticator.flushLastUsed().catch(warn('times of last use of tokens')),
    refusedCalls.flush(nowMicros).catch(warn('refused calls')),
  ]);
}

async function closeServices(services: Services): Promise<void> {
  const { cache, usage, traces, backups, storage, database } = services;
  cache.stopWarming();
  await backups.close();
  await usage.close();
  await traces?.close();
  await flushCounts(services, null);
  // Closing the storage commits what was acknowledged last and ends the engine's process.
  await storage.close();
  await database.destroy();
}

/** Waits for the work, but not longer, and says whether it is done; what still runs then is cut off by what is closed next. */
async function isDoneWithin(deadlineMs: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), deadlineMs);
  });
  try {
    return await Promise.race([work.then(() => true as const), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
