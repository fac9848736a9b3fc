import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type User, usersXml } from './users.ts';

export interface EngineRequest {
  /** Unique among all requests of this process, and so also part of the names of its files. */
  readonly id: string;
  /** Connection to keep after the statement; null for one of its own. */
  readonly session: string | null;
  /** Statements that prepare the connection, such as SET. */
  readonly prelude: readonly string[];
  /** Settings that the prelude changes, and that a kept connection gets back after the statement. */
  readonly settingsToRestore: readonly string[];
  readonly statement: string;
  readonly params: Readonly<Record<string, string>>;
}

/** What the engine says about a statement that it completed. */
export interface EngineAnswer {
  readonly resultRows: number;
  readonly resultBytes: number;
  readonly elapsedNs: string;
  readonly readRows: number;
  readonly readBytes: number;
  readonly writtenRows: number;
  readonly writtenBytes: number;
}

/** An error of ClickHouse; `message` is its whole text, which begins with "Code: N." */
export class ClickHouseError extends Error {
  readonly code: number;

  constructor(message: string) {
    super(unwrapped(message));
    this.name = 'ClickHouseError';
    this.code = Number(/^Code: (\d+)/.exec(message)?.[1] ?? 49);
  }
}

/** The process of ClickHouse has ended, as if the server had: there is no answer. */
export class EngineGone extends ClickHouseError {}

/** The library wraps some errors in another one of the same number; a server does not. */
function unwrapped(message: string): string {
  const inner =
    /^Code: (\d+)\. DB::Exception: (Code: \1\. DB::Exception: [\s\S]*) \(version [\d.]+\)\. \(\w+\)\s*$/.exec(
      message,
    )?.[2];
  return inner === undefined ? message : unwrapped(inner);
}

/** The message of the engine process; see engineProcess.mjs. */
interface Reply {
  readonly id?: string;
  readonly ok?: boolean;
  readonly message?: string;
  readonly version?: string;
  readonly strayBytes?: number;
  readonly rows?: number;
  readonly bytes?: number;
  readonly elapsedNs?: string;
  readonly readRows?: number;
  readonly readBytes?: number;
  readonly writtenRows?: number;
  readonly writtenBytes?: number;
}

interface Waiting {
  readonly request: EngineRequest;
  readonly resolve: (answer: EngineAnswer) => void;
  readonly reject: (error: ClickHouseError) => void;
}

const startMsMax = 120_000;

/**
 * ClickHouse in a process of its own, which runs one statement at a time. An answer counts only if it carries the id of the
 * statement that is running. If the process ends, or gives an answer that cannot be right, it is started again on the same
 * folder, and the statement fails.
 */
export class Engine {
  readonly #packageFolder: string;
  readonly #folder: string;
  readonly #program: string;
  #users: readonly User[];
  #process: ChildProcess | null = null;
  #running: Waiting | null = null;
  #starting: Promise<void> | null = null;
  /** The end of the last process: two at once cannot have the folder. */
  #ended: Promise<unknown> = Promise.resolve();
  readonly #queue: Waiting[] = [];
  #isClosed = false;
  /** Number of processes that were started. */
  starts = 0;
  /** Messages that carried another id than that of the running statement. */
  discarded = 0;
  version = '';

  /** `program` is the file of the process; tests of this class use others. */
  constructor(packageFolder: string, folder: string, users: readonly User[], program: string) {
    this.#packageFolder = packageFolder;
    this.#folder = folder;
    this.#users = users;
    this.#program = program;
    mkdirSync(join(folder, 'data'), { recursive: true });
    // Files of requests that a killed process has left.
    rmSync(join(folder, 'files'), { recursive: true, force: true });
    mkdirSync(join(folder, 'files'), { recursive: true });
  }

  get users(): readonly User[] {
    return this.#users;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** The path of a file that belongs to one request. */
  fileOf(id: string, purpose: string): string {
    return join(this.#folder, 'files', `${id}.${purpose}`);
  }

  async run(request: EngineRequest): Promise<EngineAnswer> {
    return await new Promise((resolve, reject) => {
      this.#queue.push({ request, resolve, reject });
      void this.#next();
    });
  }

  /** Closes the connection of a session, once the statements before have ended. */
  closeSession(session: string): void {
    if (this.#process !== null) this.#process.send({ id: '', close: session });
  }

  /** Starts the process if none is running. */
  async start(): Promise<void> {
    if (this.#process !== null) return;
    this.#starting ??= this.#launch().finally(() => {
      this.#starting = null;
    });
    await this.#starting;
  }

  /** Ends a statement that runs or waits. Returns whether it did. Ending one that runs ends the process. */
  kill(id: string, error: ClickHouseError): boolean {
    const at = this.#queue.findIndex(({ request }) => request.id === id);
    if (at >= 0) {
      this.#queue.splice(at, 1)[0]?.reject(error);
      return true;
    }
    if (this.#running?.request.id !== id) return false;
    this.#end(error);
    return true;
  }

  /** Replaces the process, such as for other users. The running statement fails. */
  async restart(users: readonly User[] = this.#users): Promise<void> {
    this.#users = users;
    this.#end(new EngineGone('Code: 236. DB::Exception: The server was restarted. (ABORTED)'));
    await this.start();
  }

  /** Ends the process. Removes the folder unless it is kept. */
  async close(keepsFolder = false): Promise<void> {
    this.#isClosed = true;
    this.#end(new EngineGone('Code: 236. DB::Exception: The server is shutting down. (ABORTED)'));
    await this.#starting?.catch(() => {});
    await this.#ended;
    if (!keepsFolder) rmSync(this.#folder, { recursive: true, force: true });
  }

  async #next(): Promise<void> {
    if (this.#running !== null) return;
    const waiting = this.#queue.shift();
    if (waiting === undefined) return;
    this.#running = waiting;
    try {
      await this.start();
    } catch (error) {
      this.#settle(waiting, (each) => each.reject(new ClickHouseError(`Code: 49. ${String(error)} (LOGICAL_ERROR)`)));
      return;
    }
    // It may have been killed while the process started.
    if (this.#running === waiting) this.#process?.send(waiting.request);
    else void this.#next();
  }

  #answered(reply: Reply): void {
    const running = this.#running;
    if (reply.id === '') return;
    if (running === null || reply.id !== running.request.id) {
      this.discarded += 1;
      return;
    }
    if (reply.ok !== true) {
      this.#settle(running, ({ reject }) => reject(new ClickHouseError(reply.message ?? 'Code: 49. (LOGICAL_ERROR)')));
      return;
    }
    const { strayBytes = 0, rows = 0, bytes = 0, elapsedNs = '0' } = reply;
    if (strayBytes !== 0) {
      // The library's buffer holds something that this statement did not write: nothing that it says can be trusted.
      const text = `the stand-in received ${strayBytes} bytes that do not belong to this statement`;
      this.#end(new ClickHouseError(`Code: 49. DB::Exception: ${text}. (LOGICAL_ERROR)`));
      return;
    }
    const { readRows = 0, readBytes = 0, writtenRows = 0, writtenBytes = 0 } = reply;
    this.#settle(running, ({ resolve }) =>
      resolve({
        resultRows: rows,
        resultBytes: bytes,
        elapsedNs,
        readRows,
        readBytes,
        writtenRows,
        writtenBytes,
      }),
    );
  }

  #settle(waiting: Waiting, how: (waiting: Waiting) => void): void {
    if (this.#running === waiting) this.#running = null;
    how(waiting);
    void this.#next();
  }

  /** Ends the process and fails the running statement. The next statement starts another process. */
  #end(error: ClickHouseError): void {
    const process = this.#process;
    this.#process = null;
    if (process !== null && process.exitCode === null && process.signalCode === null) {
      this.#ended = once(process, 'exit');
      process.kill('SIGKILL');
    }
    const running = this.#running;
    if (running !== null) this.#settle(running, ({ reject }) => reject(error));
  }

  async #launch(): Promise<void> {
    await this.#ended;
    if (this.#isClosed) throw new Error('the stand-in is closed');
    const config = join(this.#folder, 'config.xml');
    const usersFile = join(this.#folder, 'users.xml');
    writeFileSync(usersFile, usersXml(this.#users));
    writeFileSync(config, configXml(usersFile));
    const child = fork(this.#program, [this.#packageFolder, join(this.#folder, 'data'), config], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.starts += 1;
    let complaint = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-4000);
    });
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), startMsMax);
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        reject(new Error(`ClickHouse did not start (${signal ?? code}): ${complaint}`));
      });
      child.once('message', (reply: Reply) => {
        clearTimeout(timer);
        this.version = reply.version ?? '';
        resolve();
      });
    });
    child.on('message', (reply: Reply) => {
      if (this.#process === child) this.#answered(reply);
      else this.discarded += 1;
    });
    child.on('exit', (code, signal) => {
      if (this.#process !== child) return;
      const text = `the ClickHouse process ended (${signal ?? code}) ${complaint}`;
      this.#end(new EngineGone(`Code: 210. DB::Exception: ${text} (NETWORK_ERROR)`));
    });
    this.#process = child;
    if (this.#isClosed) this.#end(new EngineGone('Code: 236. DB::Exception: closed (ABORTED)'));
  }
}

/** With clusters of one and of two shards for Distributed tables. Every shard is this process. */
function configXml(usersFile: string): string {
  const shard =
    '<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>9000</port></replica></shard>';
  return `<clickhouse><users_config>${usersFile}</users_config><tcp_port>9000</tcp_port>
<remote_servers><one_shard>${shard}</one_shard><two_shards>${shard}${shard}</two_shards></remote_servers></clickhouse>`;
}
