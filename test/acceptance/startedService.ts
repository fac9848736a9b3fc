import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Shell, shells } from '../support/shellExamples.ts';

const root = join(import.meta.dirname, '..', '..');

/** The built command, as an installed package runs it. */
export const command = join(root, 'dist', 'cli', 'main.js');

/** A new folder that does not exist yet. */
export function newDataDir(): string {
  return join(mkdtempSync(join(tmpdir(), 'logmill-acceptance-')), 'data');
}

/** Builds the command if its sources changed, unless `npm test` has; the tests of this folder run what a user runs. */
export function build(): void {
  if (process.env.TESTS_ARE_BUILT === '1') return;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the build failed:\n${stdout}${stderr}`);
}

export interface StartedService {
  readonly url: string;
  readonly dataDir: string;
  readonly child: ChildProcess;
  /** Everything on standard output up to now. */
  stdout(): string;
  stderr(): string;
  /** Ends it with a signal and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface StartOptions {
  readonly dataDir?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The script to run instead of the built command. */
  readonly command?: string;
  /** Start it with this command line of npm instead, such as `run serve`. */
  readonly npm?: string;
}

const started = new Set<ChildProcess>();

/** Starts `logmill serve` on a port that the system picks; resolves at its ready line. */
export async function startService(args: readonly string[], options: StartOptions = {}): Promise<StartedService> {
  const dataDir = options.dataDir ?? newDataDir();
  const flags = ['--port', '0', '--data-dir', dataDir, ...args];
  const [program, programArgs] =
    options.npm === undefined
      ? [process.execPath, [options.command ?? command, 'serve', ...flags]]
      : ['npm', [...options.npm.split(' '), '--', ...flags]];
  const child = spawn(program, programArgs, {
    cwd: root,
    env: { ...cleanEnvironment(), ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  const exited = once(child, 'exit').then(([code]) => {
    started.delete(child);
    return code as number | null;
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const found = /listening on (http:\/\/\S+)/.exec(stdout)?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then((code) =>
      reject(new Error(`the service ended with ${code} before it was ready:\n${stdout}${stderr}`)),
    );
  });
  return {
    url,
    dataDir,
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Ends whatever a failed test left running. */
export function killAll(): void {
  for (const child of started) child.kill('SIGKILL');
}

/** The packages that an installation of the product brings along, from the lock file: production ones only. */
export function productionPackages(): readonly string[] {
  const lock: { packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean }> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  return Object.entries(lock.packages)
    .filter(
      ([path, { dev, devOptional }]) =>
        /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && dev !== true && devOptional !== true,
    )
    .map(([path]) => path);
}

/** The environment without settings of the service. */
export function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => !name.startsWith('LOGMILL_') && value !== undefined,
  );
  return Object.fromEntries(kept) as Record<string, string>;
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command to its end. */
export function runCommand(
  args: readonly string[],
  options: {
    readonly environment?: Readonly<Record<string, string>>;
    readonly input?: string;
    readonly cwd?: string;
  } = {},
): Promise<CliResult> {
  const child = spawn(process.execPath, [command, ...args], {
    env: { ...cleanEnvironment(), ...options.environment },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  return ended(child, options.input);
}

interface ShellOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Default: bash. */
  readonly shell?: Shell;
}

/** Runs a line of shell to its end. */
export function runShell(line: string, options: ShellOptions = {}): Promise<CliResult> {
  return ended(spawnShell(line, options), undefined);
}

/** Starts a line of shell in a process group of its own. */
export function spawnShell(line: string, { environment, cwd, shell = 'bash' }: ShellOptions = {}) {
  const [program, ...flags] = shells[shell];
  return spawn(program, [...flags, '-e', '-o', 'pipefail', '-c', line], {
    env: { ...cleanEnvironment(), ...environment },
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
  });
}

async function ended(child: ReturnType<typeof spawn>, input: string | undefined): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin?.end(input);
  const [code] = await once(child, 'close');
  return { code: code as number | null, stdout, stderr };
}
