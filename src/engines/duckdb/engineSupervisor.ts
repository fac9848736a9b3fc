import { rm } from 'node:fs/promises';
import { ServiceError } from '../../core/errors.ts';
import type { EngineRole, Observe } from '../../core/observation.ts';
import { EngineConnection, MissingProgram } from './engineConnection.ts';
import type { EngineOptions } from './process/protocol.ts';

export interface SupervisorOptions {
  readonly engine: EngineOptions;
  /** A process that was started ahead for this one, to be the first; whoever started it ends it where it is not taken. */
  readonly standby?: EngineConnection | undefined;
  readonly processBytesMax: number;
  readonly observe: Observe;
  /** Brings a fresh process to the state of the store: attaches its files. Runs before anything else is sent. */
  readonly prepare: (engine: EngineConnection) => Promise<void>;
  /** Whether whoever waits for the first process starts it, instead of `start`. */
  readonly isStartedByUse?: boolean;
  readonly role?: EngineRole;
}

/**
 * - `memory`: outgrew `processBytesMax`.
 * - `stuck`: a statement ignored its interrupt.
 * - `failed`: the engine gave a file up.
 */
export type KillReason = 'memory' | 'stuck' | 'failed';

interface Waiter {
  readonly resolve: (engine: EngineConnection) => void;
  readonly reject: (error: ServiceError) => void;
}

const memoryCheckMs = 200;
/** Before a start is tried again; twice as long after each that failed, as what prevents it may last. */
const restartPauseMs = { first: 100, longest: 3_000 };

/** Keeps one engine process alive: starts it, watches its memory, starts another one when it ends. */
export class EngineSupervisor {
  readonly #options: SupervisorOptions;
  #engine: EngineConnection | null = null;
  #waiters: Waiter[] = [];
  #standby: EngineConnection | undefined;
  /** Digest of what the first process ran. One of another build could speak otherwise, and redact otherwise. */
  #program: string | undefined;
  #isClosing = false;
  #isUsed = false;
  #restarting: Promise<void> = Promise.resolve();
  #endPause: () => void = () => undefined;
  /** Why a process was killed by us, until it has ended. */
  readonly #killReasons = new WeakMap<EngineConnection, KillReason>();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#standby = options.standby;
  }

  get #role(): { readonly role?: EngineRole } {
    const { role } = this.#options;
    return role === undefined ? {} : { role };
  }

  /** Starts the first process. @throws what prevented it; there is no second attempt then. */
  async start(): Promise<void> {
    await this.#startOne();
  }

  /** The running process, or null while there is none. */
  get engine(): EngineConnection | null {
    return this.#engine;
  }

  killReason(engine: EngineConnection): KillReason | undefined {
    return this.#killReasons.get(engine);
  }

  /** The process as soon as there is one. @throws ServiceError `service.draining` when there will be none. */
  async ready(): Promise<EngineConnection> {
    if (this.#engine !== null) return this.#engine;
    if (this.#isClosing) throw draining();
    this.#startByUse();
    return await new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /**
   * As `ready`, for a caller that does not wait for ever.
   *
   * @throws ServiceError `engine.restarting` after `waitMs`, or the signal's reason.
   */
  async readyWithin(waitMs: number, signal: AbortSignal): Promise<EngineConnection> {
    signal.throwIfAborted();
    return await new Promise((resolve, reject) => {
      const giveUp = (error: unknown) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        reject(error);
      };
      const onAbort = () => giveUp(signal.reason);
      const timer = setTimeout(() => giveUp(restarting()), waitMs);
      signal.addEventListener('abort', onAbort, { once: true });
      this.ready().then((engine) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        resolve(engine);
      }, giveUp);
    });
  }

  /** Ends a process that does not obey; the next one starts by itself. */
  kill(engine: EngineConnection, reason: KillReason): void {
    if (engine.hasEnded || this.#killReasons.has(engine)) return;
    this.#killReasons.set(engine, reason);
    this.#options.observe({ kind: 'engine.killed', pid: engine.pid, reason });
    engine.kill();
  }

  /** Checkpoints the named files and ends the process; kills it where that takes longer than `deadlineMs`. */
  async close(checkpoint: readonly string[], deadlineMs: number): Promise<void> {
    this.#startNoMore();
    // A process that is just being started ends itself when it is ready.
    await this.#restarting;
    const engine = this.#engine;
    if (engine === null) return;
    const timer = setTimeout(() => engine.kill(), deadlineMs);
    try {
      await engine.call('close', { checkpoint });
    } catch (cause) {
      // Nothing is lost: what was acknowledged is in the log and is replayed at the next start.
      this.#options.observe({ kind: 'warning', message: 'the engine did not close cleanly', cause });
      engine.kill();
    }
    await engine.ended;
    clearTimeout(timer);
  }

  #startByUse(): void {
    if (this.#options.isStartedByUse !== true || this.#isUsed) return;
    this.#isUsed = true;
    this.#restarting = this.#restart();
  }

  async #startOne(): Promise<void> {
    const startedAt = performance.now();
    const engine = this.#standby ?? new EngineConnection(this.#options.engine.statementsMax);
    this.#standby = undefined;
    this.#program ??= engine.program;
    try {
      if (engine.program !== this.#program) throw new ReplacedProgram();
      await engine.call('open', this.#options.engine);
      await this.#options.prepare(engine);
      if (this.#isClosing) throw draining();
    } catch (error) {
      engine.kill();
      await engine.ended;
      throw error;
    }
    this.#options.observe({
      kind: 'engine.started',
      pid: engine.pid,
      elapsedMs: performance.now() - startedAt,
      ...this.#role,
    });
    this.#engine = engine;
    const stopWatching = this.#watchMemory(engine);
    void engine.ended.then((reason) => {
      stopWatching();
      this.#engine = null;
      if (this.#isClosing) return;
      this.#options.observe({ kind: 'engine.exited', pid: engine.pid, reason, ...this.#role });
      this.#restarting = this.#restart();
    });
    for (const waiter of this.#takeWaiters()) waiter.resolve(engine);
  }

  /** Whoever waits for a process, or asks for one from now on, is refused: none comes, and what closes the service would wait too. */
  #startNoMore(): void {
    this.#isClosing = true;
    this.#endPause();
    for (const waiter of this.#takeWaiters()) waiter.reject(draining());
  }

  #takeWaiters(): readonly Waiter[] {
    const waiters = this.#waiters;
    this.#waiters = [];
    return waiters;
  }

  async #restart(): Promise<void> {
    for (
      let pauseMs = restartPauseMs.first;
      !this.#isClosing;
      pauseMs = Math.min(2 * pauseMs, restartPauseMs.longest)
    ) {
      try {
        // What a killed process had spilled may be gigabytes, and nobody reads it any more.
        await rm(this.#options.engine.spillDir, { recursive: true, force: true });
        await this.#startOne();
        return;
      } catch (cause) {
        if (this.#isClosing) return;
        if (cause instanceof ReplacedProgram) {
          this.#startNoMore();
          this.#options.observe({ kind: 'engine.replaced', message: cause.message });
          return;
        }
        const message = `${failedStart(cause)}; it is tried again in ${pauseMs / 1000} s`;
        this.#options.observe({ kind: 'warning', message, cause });
        await this.#pause(pauseMs);
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #watchMemory(engine: EngineConnection): () => void {
    const timer = setInterval(() => {
      const bytes = engine.memory.read();
      if (bytes !== null && bytes > this.#options.processBytesMax) this.kill(engine, 'memory');
    }, memoryCheckMs);
    timer.unref();
    return () => clearInterval(timer);
  }
}

class ReplacedProgram extends Error {
  constructor() {
    super(
      'the program was built or installed anew while the service ran; the service ends, and is to be started again',
    );
    this.name = 'ReplacedProgram';
  }
}

function failedStart(cause: unknown): string {
  if (!(cause instanceof MissingProgram)) return 'the engine could not be restarted';
  return `the engine could not be restarted, as its program ${cause.path} is gone: put it back, or install Logmill again and restart it`;
}

const draining = (): ServiceError => new ServiceError('service.draining', 'The service is shutting down.');

const restarting = (): ServiceError =>
  new ServiceError('engine.restarting', 'The query engine is being restarted. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  });
