import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { cleanEnvironment, command } from '../acceptance/startedService.ts';
import { type Hold, readHolds } from '../support/holdRecords.ts';
import type { Disturbances } from './disturbances.ts';

export type LogEntry = Readonly<Record<string, unknown>> & { readonly kind?: string };

export interface SoakedServiceOptions {
  readonly dataDir: string;
  /** Folder for the file with the clock's offset. */
  readonly workDir: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly disturbances: Disturbances;
  /** Called with every structured line of its log. */
  readonly onLog: (entry: LogEntry) => void;
}

/** Far longer than a start takes, so that only a hanging start exceeds it. */
const readyWithinMs = 120_000;

/** The built service on one data folder, in one process after another, with an adjustable clock. */
export class SoakedService {
  readonly #options: SoakedServiceOptions;
  #child: ChildProcess | null = null;
  #closed: Promise<unknown> = Promise.resolve();
  #address: Promise<string> = Promise.reject(new Error('the service was not started'));
  #enginePid: number | null = null;
  #offsetMs = 0;
  #lastLines: string[] = [];
  /** From ready to the signal that ended it, milliseconds since 1970. */
  readonly #lives: { readonly fromMs: number; toMs: number }[] = [];
  /** Statuses of requests whose id begins with `slow-`, by id; 499 if the client was dropped. */
  readonly completed = new Map<string, number>();
  starts = 0;
  /** When this run became ready, by `performance.now()`. */
  readyAtMs = 0;

  constructor(options: SoakedServiceOptions) {
    this.#options = options;
    this.#address.catch(() => undefined);
    this.setClock(0);
  }

  /** Address of the run that is ready, or will be ready next. */
  get address(): Promise<string> {
    return this.#address;
  }

  /** Whether its process is ready for calls, as far as its last line tells. */
  get isReady(): boolean {
    return this.#lives.at(-1)?.toMs === Number.POSITIVE_INFINITY;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get enginePid(): number | null {
    return this.#enginePid;
  }

  /** Offset of the service's clock in milliseconds. */
  get clockOffsetMs(): number {
    return this.#offsetMs;
  }

  setClock(offsetMs: number): void {
    this.#offsetMs = offsetMs;
    writeFileSync(this.#clockFile, String(offsetMs));
  }

  /**
   * Starts the service; resolves when it is ready. Calls count as disturbed from the end of the last run until then.
   */
  async start(): Promise<void> {
    const { dataDir, settings } = this.#options;
    this.#lastLines = [];
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const loaded = ['shiftedClock.mjs', join('..', 'support', 'holdProbe.mjs')].flatMap((name) => [
      '--import',
      pathToFileURL(join(import.meta.dirname, name)).href,
    ]);
    const files = { SOAK_CLOCK_FILE: this.#clockFile, HOLDS_FILE: this.#holdsFile, HOLDS_PROFILE: '1' };
    const child = spawn(
      process.execPath,
      [...loaded, command, 'serve', '--port', '0', '--data-dir', dataDir, ...flags],
      { env: { ...cleanEnvironment(), ...files }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#child = child;
    this.#closed = once(child, 'close');
    this.starts++;
    createInterface({ input: child.stderr }).on('line', (line) => this.#readLine(line));
    this.#address = new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const url = /listening on (http:\/\/\S+)/.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      });
      const fail = (why: string) => reject(new Error(`the service ${why}:\n${this.#lastLines.join('\n')}`));
      void this.#closed.then(() => fail('ended before it was ready'));
      setTimeout(fail, readyWithinMs, `was not ready within ${readyWithinMs} ms`).unref();
    });
    this.#address.catch(() => undefined);
    await this.#address;
    this.readyAtMs = performance.now();
    this.#lives.push({ fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY });
  }

  /**
   * Ends the service with a signal and starts it again; `between` runs while it is stopped. Returns the milliseconds
   * until it had ended, and until it was ready again.
   */
  async restart(
    signal: 'SIGKILL' | 'SIGTERM',
    between: () => Promise<void> = async () => undefined,
  ): Promise<{ readonly endedMs: number; readonly readyMs: number }> {
    const isOver = this.#options.disturbances.begin('service-down', this);
    const fromMs = performance.now();
    await this.end(signal);
    const endedMs = performance.now() - fromMs;
    await between();
    const startMs = performance.now();
    await this.start();
    isOver();
    return { endedMs, readyMs: performance.now() - startMs };
  }

  /** Ends it with a signal; resolves when it has ended. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.#child === null) return;
    const life = this.#lives.at(-1);
    if (life?.toMs === Number.POSITIVE_INFINITY) life.toMs = Date.now();
    this.#child.kill(signal);
    await this.#closed;
    this.#child = null;
    this.#enginePid = null;
  }

  /** Each time that the main thread was blocked while the service was ready. */
  holds(): readonly Hold[] {
    const all = existsSync(this.#holdsFile) ? readHolds(readFileSync(this.#holdsFile, 'utf8')) : [];
    return all.filter(({ endMs, heldMs }) =>
      this.#lives.some(({ fromMs, toMs }) => endMs - heldMs >= fromMs && endMs <= toMs),
    );
  }

  get #holdsFile(): string {
    return join(this.#options.workDir, 'holds');
  }

  get #clockFile(): string {
    return join(this.#options.workDir, 'clock');
  }

  #readLine(line: string): void {
    this.#lastLines = [...this.#lastLines.slice(-20), line];
    if (!line.startsWith('{')) return;
    const entry = JSON.parse(line) as LogEntry;
    if (entry.kind === 'engine.started' && entry.role === undefined && typeof entry.pid === 'number')
      this.#enginePid = entry.pid;
    const { requestId } = entry;
    if (entry.kind === 'request.completed' && typeof requestId === 'string' && requestId.startsWith('slow-')) {
      this.completed.set(requestId, Number(entry.status));
    }
    this.#options.onLog(entry);
  }
}
