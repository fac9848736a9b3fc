import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listeningUrl } from './listeningUrl.ts';
import { descendantsOf, processorSecondsOfTree } from './processTree.ts';

export const token = 'token-of-the-benchmark-0123456789abcdefgh';

/** The built `logmill serve` on a data folder. */
export class BenchedService {
  readonly url: string;
  /** From the start of the process to its ready line. */
  readonly startMs: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string, startMs: number) {
    this.#child = child;
    this.url = url;
    this.startMs = startMs;
  }

  /** `given` are additional environment variables; `nodeFlags` precede the program. */
  static async start(
    dataDir: string,
    given: Readonly<Record<string, string>> = {},
    nodeFlags: readonly string[] = [],
  ): Promise<BenchedService> {
    const command = join(import.meta.dirname, '..', 'dist', 'cli', 'main.js');
    const startedMs = performance.now();
    const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('LOGMILL_'));
    const child = spawn(
      process.execPath,
      [...nodeFlags, command, 'serve', '--port', '0', '--data-dir', dataDir, '--log-level', 'warn'],
      {
        env: { ...Object.fromEntries(environment), LOGMILL_ADMIN_TOKEN: token, ...given },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const url = await listeningUrl(child, 'the service');
    return new BenchedService(child, url, performance.now() - startedMs);
  }

  /** Process id of the main process. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The main process and all that it started, including the engine; only the main process elsewhere than on Linux. */
  pids(): readonly number[] {
    const { pid } = this.#child;
    return pid === undefined ? [] : [pid, ...descendantsOf(pid)];
  }

  /** Processor time that all processes of the service have used, milliseconds. */
  processorMs(): number {
    const { pid } = this.#child;
    return pid === undefined ? Number.NaN : processorSecondsOfTree(pid) * 1000;
  }

  /** Resident mebibytes of all processes of the service; null if the system does not report them. */
  residentMiB(): number | null {
    const { pid } = this.#child;
    if (pid === undefined) return null;
    try {
      return Math.round(this.pids().reduce((sum, each) => sum + residentKiB(each), 0) / 1024);
    } catch {
      return null;
    }
  }

  /** Ends all processes of the service with SIGKILL, as a crash of the machine would. */
  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    for (const pid of this.pids().toReversed()) killUnlessEnded(pid);
    await exited;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
  }
}

/** The shell that waits for an engine ends with it. */
function killUnlessEnded(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause;
  }
}

function residentKiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}
