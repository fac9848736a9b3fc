import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { token } from './benchedService.ts';
import { listeningUrl } from './listeningUrl.ts';

/** A call of the pair: the statements that it runs, and the size of its answer. */
export interface PairedCall {
  readonly statements: readonly string[];
  readonly bytes: number;
}

const agent = new Agent({ keepAlive: true });

/**
 * The least that a service with an engine in another process does for a call: a bare Fastify route checks the token and
 * sends a number through a pipe; the engine's process runs the statements, reads all rows, and answers with as many bytes
 * as the real answer has, which it made before. It checks no query and writes no JSON.
 */
export class TwoProcesses {
  readonly #url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  /** `folder` is for the file of calls; `dataDir` has the events. */
  static async start(folder: string, dataDir: string, calls: readonly PairedCall[]): Promise<TwoProcesses> {
    const callsFile = join(folder, 'calls.json');
    writeFileSync(callsFile, JSON.stringify(calls));
    const script = join(import.meta.dirname, 'twoProcessesFront.ts');
    const child = spawn(process.execPath, ['--import', 'tsx', script, dataDir, callsFile, token], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await listeningUrl(child, 'the pair of processes');
    return new TwoProcesses(child, url);
  }

  /** Makes the call of this number and reads the whole answer; resolves with its bytes. */
  call(number: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#url}/calls/${number}`, { agent, headers: { 'x-api-key': token } }, (response) => {
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
        });
        response.once('end', () => {
          if (response.statusCode === 200) resolve(bytes);
          else reject(new Error(`the two processes answered with ${response.statusCode}`));
        });
      });
      sent.once('error', reject);
      sent.end();
    });
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }
}
