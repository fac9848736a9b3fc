import { rm } from 'node:fs/promises';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { dirname } from 'node:path';
import { type StartedService, startService } from '../acceptance/startedService.ts';

export const token = 'token-of-the-fuzzers-0123456789abcdefghij';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The same as it came. */
  readonly bytes: Buffer;
  readonly elapsedMs: number;
}

export interface Sent {
  readonly method: string;
  /** As it goes on the wire. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const answerWithinMs = 20_000;

/** A running service that is sent whatever a fuzzer makes up. */
export class FuzzedService {
  readonly #service: StartedService;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #pid: number | undefined;

  private constructor(service: StartedService) {
    this.#service = service;
    this.#pid = service.child.pid;
  }

  static async start(): Promise<FuzzedService> {
    return new FuzzedService(
      await startService(['--log-level', 'warn'], { environment: { LOGMILL_ADMIN_TOKEN: token } }),
    );
  }

  get dataDir(): string {
    return this.#service.dataDir;
  }

  /** Whether it is the process that was started. */
  get isAlive(): boolean {
    return this.#service.child.exitCode === null && this.#service.child.pid === this.#pid;
  }

  get log(): string {
    return this.#service.stderr();
  }

  /** Rejects where there is no whole answer. */
  send({ method, path, headers, body }: Sent): Promise<Answer> {
    const startedMs = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request(
        this.#service.url,
        {
          method,
          path,
          agent: this.#agent,
          timeout: answerWithinMs,
          headers: { 'x-api-key': token, 'content-length': String(body.length), ...headers },
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.once('error', reject);
          response.once('end', () => {
            const bytes = Buffer.concat(parts);
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: bytes.toString('utf8'),
              bytes,
              elapsedMs: performance.now() - startedMs,
            });
          });
        },
      );
      sent.once('timeout', () => sent.destroy(new Error(`no answer within ${answerWithinMs} ms`)));
      sent.once('error', reject);
      sent.end(body);
    });
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.#service.stop();
  }
  /** Removes what a stopped service kept. */
  async removeData(): Promise<void> {
    await rm(dirname(this.dataDir), { recursive: true, force: true });
  }
}
