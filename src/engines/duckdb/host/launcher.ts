import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { type EngineProcess, type ProgramCall, requirePipes, spawnEngine } from './engineProcess.ts';
import { LaunchedProcess } from './launchedProcess.ts';

/** The shortest limit of a system for the path of a socket is 103 bytes, and the random part and a number are added. */
const prefixBytesMax = 80;

/**
 * A shell that starts engine processes. The system copies the page tables of whoever starts a process, which holds the main
 * thread for tens of milliseconds once the service has a few hundred megabytes; the shell has one (decision 134).
 *
 * It reads commands until this process ends, however that ends, and then removes its folder. It keeps nothing alive.
 */
export class Launcher {
  /** Only this user may enter it. It has the sockets of processes that are starting, and what processes print. */
  readonly #folder: string;
  readonly #shell: ChildProcessByStdio<Writable, Readable, null>;
  readonly #launched = new Map<number, LaunchedProcess>();
  #last = 0;
  #hasEnded = false;
  #isRefused = false;

  /** @throws Error if there is no place for its folder, or the service has too many open files */
  constructor() {
    const prefix = join(tmpdir(), 'logmill-engine-');
    // Node cuts a longer path, and the socket would be in another folder.
    if (Buffer.byteLength(prefix) > prefixBytesMax) throw new Error(`the path of ${tmpdir()} is too long for sockets`);
    this.#folder = mkdtempSync(prefix);
    // The argument tells whoever lists processes what it is.
    this.#shell = spawn('/bin/sh', ['-s', 'logmill-launcher'], { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
    try {
      requirePipes(this.#shell);
    } catch (error) {
      rmdirSync(this.#folder);
      throw error;
    }
    const { stdin, stdout } = this.#shell;
    // A missing shell, or one that somebody ended.
    this.#shell.once('error', () => this.#end());
    this.#shell.once('exit', () => this.#end());
    stdin.on('error', () => this.#end());
    for (const each of [this.#shell, stdin, stdout]) (each as unknown as { unref(): void }).unref();
    createInterface(stdout).on('line', (line) => this.#read(line));
    // A terminal sends its signals to all processes; the service decides when this one ends.
    stdin.write(`trap '' HUP INT QUIT TERM; trap ${quoted(`rm -rf ${quoted(this.#folder)}`)} EXIT\n`);
  }

  /** Whether its shell has ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Starts a program, which gets the path of a socket to connect to as another argument.
   *
   * @throws Error if its folder has no space or refuses sockets, its shell has ended, or the service has too many open files
   */
  launch({ command, args, env }: ProgramCall): EngineProcess {
    if (this.#hasEnded) throw new Error('the shell that starts processes has ended');
    if (this.#isRefused) throw new Error('the system refused a socket in the folder of the launcher');
    const id = ++this.#last;
    const place = join(this.#folder, String(id));
    const stderr = `${place}.err`;
    this.#create(stderr);
    const launched = new LaunchedProcess(place, stderr, () => {
      this.#isRefused = true;
    });
    this.#launched.set(id, launched);
    void launched.ended.then(() => this.#launched.delete(id));
    const set = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
    const run = [...set, ...[command, ...args, place].map(quoted)].join(' ');
    // `jobs` has the shell forget the processes that have ended.
    this.#shell.stdin.write(
      `jobs >/dev/null; ( ${run} >/dev/null 2>${quoted(stderr)} & echo ${id} pid $!; wait $!; echo ${id} end $? ) &\n`,
    );
    return launched;
  }

  #create(path: string): void {
    const create = () => closeSync(openSync(path, 'wx', 0o600));
    try {
      create();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      // Systems remove temporary folders that have not changed for days.
      mkdirSync(this.#folder, { mode: 0o700 });
      create();
    }
  }

  #read(line: string): void {
    const [id, what, number] = line.split(' ');
    const launched = this.#launched.get(Number(id));
    if (what === 'pid') launched?.hasStarted(Number(number));
    else launched?.hasEnded(Number(number));
  }

  /** Its processes go on, but a command that the shell has not read is lost. */
  #end(): void {
    this.#hasEnded = true;
    for (const each of this.#launched.values()) each.isLost();
  }
}

/** A word of the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

let launcher: Launcher | undefined;

/**
 * Starts a program with the launcher. The first program is a child of this process, which is small then and starts the
 * launcher too; so is one that the launcher cannot start.
 *
 * @throws Error if the service has too many open files
 */
export function startProcess(program: ProgramCall): EngineProcess {
  if (launcher?.hasEnded === false) {
    try {
      return launcher.launch(program);
    } catch {
      // What is wrong concerns only the launcher.
      return spawnEngine(program);
    }
  }
  const spawned = spawnEngine(program);
  launcher = newLauncher();
  return spawned;
}

/** Undefined if there is no place for its folder, or too many files are open. */
function newLauncher(): Launcher | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    return new Launcher();
  } catch {
    return undefined;
  }
}
