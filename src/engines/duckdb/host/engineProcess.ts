import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** A program to run, with its whole environment. */
export interface ProgramCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A process that runs the engine, however it was started. Nothing in it is undone; each promise settles once or never. */
export interface EngineProcess {
  /** Resolves with its process id. */
  readonly pid: Promise<number>;
  /** Resolves with the pipe to it. */
  readonly pipe: Promise<Socket>;
  /** Resolves with how it ended, after its pipe was read to its end; also if it never started. */
  readonly ended: Promise<string>;
  /** Sends SIGKILL; as soon as there is a process, if there is none yet. */
  kill(): void;
}

/** How many characters of what an ended process last printed on standard error are reported. */
export const stderrCharsMax = 4_096;

/** How a process ended, in words. */
export function endInWords(code: number | null, signal: string | null, stderr: string): string {
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  return stderr === '' || code === 0 ? how : `${how}: ${stderr.trim()}`;
}

/** Starts a program as a child of this process. @throws Error if the service has too many open files */
export function spawnEngine({ command, args, env }: ProgramCall): EngineProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], env: { ...env } });
  requirePipes(child);
  const pipe = child.stdio[3] as Socket;
  pipe.on('error', () => {
    // The process is ending.
  });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-stderrCharsMax);
  });
  return {
    pid: child.pid === undefined ? new Promise(() => undefined) : Promise.resolve(child.pid),
    pipe: Promise.resolve(pipe),
    ended: new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      // `close` comes after the pipe was read to its end.
      child.once('close', (code, signal) => resolve(endInWords(code, signal, stderr)));
    }),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Throws if the service has too many open files. Node then makes no pipes, and emits the error later, even without a listener. */
export function requirePipes(child: ChildProcess): void {
  if ((child.stdio as ChildProcess['stdio'] | undefined) !== undefined) return;
  child.once('error', () => undefined);
  throw new Error('no process can be started, because the service has too many open files (EMFILE)');
}
