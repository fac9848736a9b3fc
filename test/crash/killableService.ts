import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cleanEnvironment, command } from '../acceptance/startedService.ts';
import { enginesOf } from '../support/enginesOf.ts';

export const queryToken = 'query-token-of-the-crash-tests-0123456789';
export const ingestToken = 'ingest-token-of-the-crash-tests-012345678';

/** Events after which a segment is rotated: so few that rotation and sealing happen all the time. */
const segmentEvents = 1000;

/** Far longer than a start takes, even on a busy machine, so that only a hanging start exceeds it. */
const readyWithinMs = 120_000;

/** One run of `logmill serve`, which may be killed at any moment, even before it is ready. */
export class KillableService {
  readonly pid: number;
  /** Its address once it is ready; rejects if it ends before. */
  readonly url: Promise<string>;
  readonly #child: ChildProcess;
  readonly #closed: Promise<number | null>;
  #log = '';

  /** `environment`: further variables. */
  constructor(dataDir: string, environment: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(
      process.execPath,
      [command, 'serve', '--port', '0', '--data-dir', dataDir, '--segment-events', String(segmentEvents)],
      {
        env: {
          ...cleanEnvironment(),
          LOGMILL_QUERY_TOKEN: queryToken,
          LOGMILL_INGEST_TOKEN: ingestToken,
          ...environment,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.pid = this.#child.pid ?? -1;
    this.#closed = once(this.#child, 'close').then(([code]) => code as number | null);
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text;
    });
    this.url = new Promise((resolve, reject) => {
      let printed = '';
      this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        const url = /listening on (http:\/\/\S+)/.exec(printed)?.[1];
        if (url !== undefined) resolve(url);
      });
      const fail = (why: string) => reject(new Error(`the service ${why}:\n${printed}${this.#log}`));
      void this.#closed.then(() => fail('ended before it was ready'));
      setTimeout(fail, readyWithinMs, `was not ready within ${readyWithinMs} ms`).unref();
    });
    // A test that kills it before it is ready does not wait for the address.
    this.url.catch(() => undefined);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Entries of its log of one kind, such as `engine.started`, so far. */
  logged(kind: string): readonly Readonly<Record<string, unknown>>[] {
    const lines = this.#log.slice(0, this.#log.lastIndexOf('\n') + 1).split('\n');
    return lines.flatMap((line) => {
      if (!line.includes(`"kind":"${kind}"`)) return [];
      return [JSON.parse(line) as Record<string, unknown>];
    });
  }

  /** Process id of the last started engine; undefined before the first. */
  get enginePid(): number | undefined {
    const pid = this.logged('engine.started').at(-1)?.pid;
    return typeof pid === 'number' ? pid : undefined;
  }

  /** Sends kill -9 to its oldest engine process. False if there is none, or if that is unknown. */
  killEngine(): boolean {
    const [pid] = enginesOf(this.pid ?? 0);
    if (pid === undefined) return process.platform !== 'linux';
    process.kill(pid, 'SIGKILL');
    return true;
  }

  /** Ends it with a signal; resolves with its exit code, or null if the signal ended it. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    return await this.#closed;
  }
}
