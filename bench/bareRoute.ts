import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { token } from './benchedService.ts';
import { listeningUrl } from './listeningUrl.ts';

/** A cached answer, as a bare route repeats it. */
export interface Hit {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** The service's answer to a GET, without the headers of the connection. `more`: headers in addition to the token. */
export async function fetchHit(url: string, more: Readonly<Record<string, string>> = {}): Promise<Hit> {
  // Without codings, which `fetch` would request by default, because the measured load requests none.
  const response = await fetch(url, { headers: { 'x-api-key': token, 'accept-encoding': 'identity', ...more } });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${url} was answered with ${response.status}: ${body.toString()}`);
  const ofConnection = new Set(['connection', 'content-length', 'date', 'keep-alive']);
  return { body, headers: Object.fromEntries([...response.headers].filter(([name]) => !ofConnection.has(name))) };
}

/** A Fastify route that checks a token and answers with the bytes and headers of a hit, in its own process. */
export class BareRoute {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** `folder` is for the files that the process answers with. */
  static async start(folder: string, hit: Hit): Promise<BareRoute> {
    const bodyFile = join(folder, 'body.json');
    const headersFile = join(folder, 'headers.json');
    writeFileSync(bodyFile, hit.body);
    writeFileSync(headersFile, JSON.stringify(hit.headers));
    const script = join(import.meta.dirname, 'bareFastify.ts');
    const child = spawn(process.execPath, ['--import', 'tsx', script, bodyFile, headersFile, token], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = `${await listeningUrl(child, 'the bare route')}/rows`;
    return new BareRoute(child, url);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }
}
