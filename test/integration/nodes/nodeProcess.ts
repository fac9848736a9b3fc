import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A node of a service in a process of its own, which can be killed at any moment. */
export class NodeProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  /** Resolves when it is ready. */
  static async start(settings: Readonly<Record<string, unknown>>): Promise<NodeProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'logmill-node-'));
    const given = JSON.stringify({ port: 0, dataDir: join(folder, 'data'), logLevel: 'silent', ...settings });
    const entry = join(inject('processesDir'), 'memoryNode', 'main.js');
    const child = spawn(process.execPath, [entry, given], { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    const url = await new Promise<string>((resolve, reject) => {
      const read = (text: string) => {
        printed += text;
        const found = /listening on (http:\/\/\S+)/.exec(printed)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout.setEncoding('utf8').on('data', read);
      child.stderr.setEncoding('utf8').on('data', read);
      child.once('exit', () => reject(new Error(`the node ended before it was ready:\n${printed}`)));
    });
    return new NodeProcess(url, child, folder);
  }

  async request(path: string, token: string, method = 'GET', body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { 'x-api-key': token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Ends it like kill -9, or in order. */
  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit');
      this.#child.kill(signal);
      await exited;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
