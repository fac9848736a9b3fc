import { readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { constants } from 'node:os';
import { type EngineProcess, endInWords, stderrCharsMax } from './engineProcess.ts';

/** How long the shell may take to report the end of a process whose pipe was closed. */
const reportMs = 2_000;

/** One process that the launcher's shell starts, which connects to a socket of its own. */
export class LaunchedProcess implements EngineProcess {
  readonly pid: Promise<number>;
  readonly pipe: Promise<Socket>;
  readonly ended: Promise<string>;
  readonly #stderr: string;
  readonly #server: Server;
  #known: (pid: number) => void = () => undefined;
  #end: (reason: string) => void = () => undefined;
  #pid: number | undefined;
  #state: 'starting' | 'connected' | 'closed' | 'ended' = 'starting';
  #status: number | undefined;
  #isKilled = false;
  #giveUp = () => {};

  /** Waits at a path for the process, which prints errors to the file `stderr`. `onRefused` hears if it cannot. */
  constructor(path: string, stderr: string, onRefused: () => void) {
    this.#stderr = stderr;
    this.pid = new Promise((resolve) => {
      this.#known = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#server = createServer();
    this.pipe = new Promise((resolve) => {
      this.#server.once('connection', (pipe) => {
        this.#state = 'connected';
        this.#server.close();
        pipe.on('error', () => {
          // The process is ending.
        });
        pipe.once('close', () => this.#hasClosed());
        resolve(pipe);
      });
    });
    this.#server.once('error', (error) => {
      onRefused();
      this.kill();
      this.#settle(error.message);
    });
    this.#server.listen(path);
  }

  kill(): void {
    this.#isKilled = true;
    // Another process may have the number of one that has ended.
    if (this.#pid !== undefined && this.#status === undefined && this.#state !== 'ended') killProcess(this.#pid);
  }

  /** The shell reports the process id. */
  hasStarted(pid: number): void {
    this.#pid = pid;
    this.#known(pid);
    if (this.#isKilled) this.kill();
  }

  /** The shell reports the exit status. */
  hasEnded(status: number): void {
    this.#status = status;
    if (this.#state === 'closed') this.#settle(this.#inWords(status));
    // A connection that was made before is accepted in the next turn of the loop at the latest.
    if (this.#state === 'starting') setImmediate(() => setImmediate(() => this.#endUnlessConnected(status)));
  }

  /** The shell has ended. Whether it read the command is unknown, unless it said so. */
  isLost(): void {
    if (this.#pid !== undefined || this.#state !== 'starting') return;
    this.kill();
    this.#settle('the shell that starts processes has ended');
  }

  #endUnlessConnected(status: number): void {
    if (this.#state === 'starting') this.#settle(this.#inWords(status));
  }

  #hasClosed(): void {
    this.#state = 'closed';
    if (this.#status !== undefined) {
      this.#settle(this.#inWords(this.#status));
      return;
    }
    // Somebody may have ended the part of the shell that waits for the process.
    const timer = setTimeout(() => {
      this.kill();
      this.#settle('it closed its pipe');
    }, reportMs);
    this.#giveUp = () => clearTimeout(timer);
  }

  #inWords(status: number): string {
    const signal = Object.entries(constants.signals).find(([, number]) => number === status - 128)?.[0];
    let printed = '';
    try {
      printed = readFileSync(this.#stderr, 'utf8').slice(-stderrCharsMax);
    } catch {
      // Somebody removed the file.
    }
    return endInWords(status, signal ?? null, printed);
  }

  #settle(reason: string): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#giveUp();
    this.#server.close();
    rmSync(this.#stderr, { force: true });
    this.#end(reason);
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
