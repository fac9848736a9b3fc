import { rename, rm } from 'node:fs/promises';
import { ServiceError } from '../../../core/errors.ts';
import type { EngineRole, Observe } from '../../../core/observation.ts';
import type { EngineOptions } from '../process/protocol.ts';
import { EngineConnection, MissingProgram } from './engineConnection.ts';
import { engineDeath, engineLostAtStart, startAttemptsMax } from './engineFailure.ts';

export interface SupervisorOptions {
  readonly engine: EngineOptions;
  /** A process that was started ahead, to be used first. If it is not used, the code that started it ends it. */
  readonly standby?: EngineConnection | undefined;
  readonly processBytesMax: number;
  readonly observe: Observe;
  /** Brings a new process to the state of the store: attaches its files. Runs before any other call is sent. */
  readonly prepare: (engine: EngineConnection) => Promise<void>;
  /** Whether the first use starts the first process, instead of `start`. */
  readonly isStartedByUse?: boolean;
  readonly role?: EngineRole;
  /** Another supervisor that has started: the processes of both must be of one build. */
  readonly sameAs?: EngineSupervisor;
}

/**
 * Reasons to kill a process.
 * - `memory`: it outgrew `processBytesMax`.
 * - `stuck`: a statement ignored its interrupt.
 * - `failed`: the engine refuses a file.
 * - `disk`: the device refused to store what a statement spilled, which the engine keeps on the device until it ends.
 */
export type KillReason = 'memory' | 'stuck' | 'failed' | 'disk';

interface Waiter {
  readonly resolve: (engine: EngineConnection) => void;
  readonly reject: (error: ServiceError) => void;
}

const memoryCheckMs = 200;
/**
 * The share of its limit above which a process is expected to outgrow it: more than its engine's memory and its own
 * together.
 */
const expectedAbove = 0.75;
/** How long a process that was started ahead waits for the end of the running one. */
const standbyKeptMs = 30_000;
/** Pause before a new attempt to start; doubled after each failure, because its cause may last. */
const restartPauseMs = { first: 100, longest: 3_000 };

/** Keeps one engine process running: starts it, watches its memory, starts another one when it ends. */
export class EngineSupervisor {
  readonly #options: SupervisorOptions;
  #engine: EngineConnection | null = null;
  #waiters: Waiter[] = [];
  #standby: EngineConnection | undefined;
  /** Digest of the program of the first process. Another build could use another protocol, and redact differently. */
  #program: string | undefined;
  #isClosing = false;
  #isUsed = false;
  #isRedacting = false;
  #spillsLeft = 0;
  #cancelDismissal = () => {};
  #restarting: Promise<void> = Promise.resolve();
  #endPause: () => void = () => undefined;
  /** Why we killed a process, until it has ended. */
  readonly #killReasons = new WeakMap<EngineConnection, KillReason>();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#standby = options.standby;
  }

  get #role(): { readonly role?: EngineRole } {
    const { role } = this.#options;
    return role === undefined ? {} : { role };
  }

  /**
   * Starts the first process, and others if it ends meanwhile.
   *
   * @throws the error that prevented it, at once, or UnreadableStorage if `startAttemptsMax` processes ended
   */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#startOne();
        return;
      } catch (error) {
        const death = engineDeath(error);
        if (death === undefined) throw error;
        if (attempt >= startAttemptsMax) throw engineLostAtStart(death);
        this.#options.observe({
          kind: 'warning',
          message: 'the engine process ended while it started; it is started again',
          cause: error,
        });
        await this.#leaveSpill();
      }
    }
  }

  /** The running process; null while there is none. */
  get engine(): EngineConnection | null {
    return this.#engine;
  }

  /** Digest of the program of each process; undefined before the first one has started. */
  get program(): string | undefined {
    return this.#program;
  }

  killReason(engine: EngineConnection): KillReason | undefined {
    return this.#killReasons.get(engine);
  }

  /** Waits for a process. @throws ServiceError `service.draining` if there will be none */
  async ready(): Promise<EngineConnection> {
    if (this.#engine !== null) return this.#engine;
    if (this.#isClosing) throw draining();
    this.startAhead();
    return await new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /**
   * Like `ready`, with a time limit.
   *
   * @throws ServiceError `engine.restarting` after `waitMs`, or the signal's reason
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

  /**
   * Starts the next process ahead of time if the running one may soon have to be killed. Others then wait only until
   * its files are attached, not until its program is loaded. If the running one survives, the next one is ended after a
   * while.
   */
  expectEnd(engine: EngineConnection): void {
    if (engine !== this.#engine || this.#isClosing) return;
    this.#cancelDismissal();
    const dismissal = setTimeout(() => this.#dismissStandby(), standbyKeptMs);
    dismissal.unref();
    this.#cancelDismissal = () => clearTimeout(dismissal);
    if (this.#standby?.hasEnded === false) return;
    try {
      this.#standby = this.#newProcess();
    } catch {
      // The error is reported when the process is needed.
      this.#standby = undefined;
    }
  }

  #newProcess(): EngineConnection {
    return new EngineConnection(this.#options.engine.statementsMax, this.#options.role);
  }

  #dismissStandby(): void {
    this.#cancelDismissal();
    this.#standby?.kill();
    this.#standby = undefined;
  }

  /** Kills a process, because of an error if there is one; the next process starts automatically. */
  kill(engine: EngineConnection, reason: KillReason, cause?: unknown): void {
    if (engine.hasEnded || this.#killReasons.has(engine)) return;
    this.#killReasons.set(engine, reason);
    this.#options.observe({ kind: 'engine.killed', pid: engine.pid, reason, cause });
    engine.kill();
  }

  /**
   * Checkpoints the named files and ends the process; kills it if that takes longer than `deadlineMs`, and at once for 0.
   */
  async close(checkpoint: readonly string[], deadlineMs: number): Promise<void> {
    this.#startNoMore();
    // A process that is being started ends itself when it is ready.
    await this.#restarting;
    const engine = this.#engine;
    if (engine === null) return;
    if (deadlineMs === 0) {
      engine.kill();
      await engine.ended;
      return;
    }
    const timer = setTimeout(() => engine.kill(), deadlineMs);
    try {
      await engine.call('close', { checkpoint });
    } catch (cause) {
      // Nothing is lost: acknowledged events are in the log, which the next start replays.
      this.#options.observe({ kind: 'warning', message: 'the engine did not close cleanly', cause });
      engine.kill();
    }
    await engine.ended;
    clearTimeout(timer);
  }

  /** Starts the first process of a supervisor that otherwise waits for the first use. Does nothing afterwards. */
  startAhead(): void {
    if (this.#isClosing || this.#options.isStartedByUse !== true || this.#isUsed) return;
    this.#isUsed = true;
    this.#restarting = this.#restart();
  }

  /** Like `startAhead`, for a process that will redact: warms its redaction, and that of each process that replaces it. */
  prepareRedaction(): void {
    this.#isRedacting = true;
    if (this.#engine === null) this.startAhead();
    else this.#warmRedaction(this.#engine);
  }

  #warmRedaction(engine: EngineConnection): void {
    engine.call('warmRedaction', {}).catch((cause: unknown) => {
      if (engine.hasEnded) return;
      this.#options.observe({ kind: 'warning', message: 'the first redacted query may be slow', cause });
    });
  }

  async #startOne(): Promise<void> {
    const startedAt = performance.now();
    const standby = this.#standby;
    this.#standby = undefined;
    this.#cancelDismissal();
    const engine = standby?.hasEnded === false ? standby : this.#newProcess();
    try {
      const program = await engine.program;
      this.#program ??= this.#options.sameAs?.program ?? program;
      if (program !== this.#program) throw new ReplacedProgram();
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
    if (this.#isRedacting) this.#warmRedaction(engine);
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

  /**
   * Rejects everyone who waits for a process, or asks for one from now on, because none will start and closing would
   * wait too.
   */
  #startNoMore(): void {
    this.#isClosing = true;
    this.#dismissStandby();
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
        await this.#leaveSpill();
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

  /**
   * The spilled data of a killed process may take gigabytes, and is no longer needed. Removing it takes seconds, so it
   * is moved aside first, and the next process need not wait.
   */
  async #leaveSpill(): Promise<void> {
    const { spillDir } = this.#options.engine;
    const aside = `${spillDir}.${++this.#spillsLeft}`;
    await rename(spillDir, aside).catch(() => rm(spillDir, { recursive: true, force: true }));
    rm(aside, { recursive: true, force: true }).catch((cause: unknown) => {
      this.#options.observe({
        kind: 'warning',
        message: `the temporary data of an ended engine could not be removed from ${aside}`,
        cause,
      });
    });
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
      const bytes = engine.residentBytes();
      if (bytes === null) return;
      if (bytes > this.#options.processBytesMax) this.kill(engine, 'memory');
      else if (bytes > this.#options.processBytesMax * expectedAbove) this.expectEnd(engine);
    }, memoryCheckMs);
    timer.unref();
    return () => clearInterval(timer);
  }
}

class ReplacedProgram extends Error {
  constructor() {
    super('the program was rebuilt or reinstalled while the service ran, so the service ends and must be restarted');
    this.name = 'ReplacedProgram';
  }
}

function failedStart(cause: unknown): string {
  if (!(cause instanceof MissingProgram)) return 'the engine could not be restarted';
  return `the engine could not be restarted, because its program ${cause.path} is missing: put it back, or reinstall and restart Logmill`;
}

const draining = (): ServiceError => new ServiceError('service.draining', 'The service is shutting down.');

const restarting = (): ServiceError =>
  new ServiceError('engine.restarting', 'The query engine is being restarted. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  });
