import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { ManualClock } from '../../../src/core/clock.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import type { EndpointDefinition } from '../../../src/endpoints/definition.ts';
import { EndpointDirectory } from '../../../src/endpoints/endpointDirectory.ts';
import type { HttpSettings } from '../../../src/http/services.ts';
import type { QueryEngine, RunRequest } from '../../../src/ports/queryEngine.ts';
import type { StoreDatabase } from '../../../src/stores/sql/schema.ts';
import { SqlEndpointStore } from '../../../src/stores/sql/sqlEndpointStore.ts';
import { SqlTokenStore } from '../../../src/stores/sql/sqlTokenStore.ts';
import { openDatabase } from '../../../src/stores/sqlite/database.ts';
import { Authenticator } from '../../../src/tokens/authenticator.ts';
import type { TokenRecord } from '../../../src/tokens/tokenStore.ts';
import { type ExampleService, startExampleService } from './exampleService.ts';

/** What the one row of every answer tells of the run that it comes from. */
export interface RunRow {
  readonly run: number;
  readonly project: string | null;
  readonly projects: readonly string[] | null;
  readonly rowsMax: number;
  readonly profile: string;
  readonly isRedactedAtScan: boolean;
  /** An address, as a row of logs may hold one. */
  readonly client: string;
}

export const rawClient = '203.0.113.7';

/** An answer as it came over the wire, its body decoded. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly bytes: number;
  readonly text: string;
}

class EchoEngine implements QueryEngine {
  runs = 0;
  fails = false;

  async run({ parameters, projects, rowsMax, profile, redaction }: RunRequest) {
    const run = ++this.runs;
    if (this.fails) throw new ServiceError('engine.failed', 'The query engine failed.');
    const value = parameters.get('project');
    const project = value?.kind === 'string' ? value.value : null;
    const isRedactedAtScan = redaction !== null;
    const row: RunRow = { run, project, projects, rowsMax, profile, isRedactedAtScan, client: rawClient };
    return {
      // Some answers are large enough to be compressed.
      rows: Buffer.from(JSON.stringify({ ...row, ...(project === 'q' ? { padding: 'x'.repeat(1500) } : {}) })),
      rowCount: 1,
      hasMore: false,
      cutByBytes: false,
      rowsScanned: null,
      elapsedMs: 2,
    };
  }

  explain(): Promise<never> {
    return Promise.reject(new Error('no dry runs here'));
  }
}

/** A service with real tokens and definitions in a store of its own, which another process can change as well. */
export class RepeatingService {
  readonly engine = new EchoEngine();
  /** The state of the events; null while it is unknown. */
  state: string | null = 'first';
  readonly #folder = mkdtempSync(join(tmpdir(), 'logmill-repeated-'));
  readonly #agent = new Agent({ keepAlive: true });
  #connections: readonly StoreDatabase[] = [];
  #service: ExampleService | undefined;
  readonly #stores: { readonly tokens: SqlTokenStore; readonly endpoints: SqlEndpointStore }[] = [];

  async start(clock: ManualClock, settings: Partial<HttpSettings>): Promise<void> {
    this.#connections = [await openDatabase(this.#folder), await openDatabase(this.#folder)];
    for (const database of this.#connections) {
      this.#stores.push({ tokens: new SqlTokenStore(database), endpoints: new SqlEndpointStore(database) });
    }
    const { tokens, endpoints } = this.by('itself');
    this.#service = await startExampleService(settings, {
      clock,
      engine: this.engine,
      changes: { stateOf: () => this.state, settled: async () => undefined },
      tokens: new Authenticator(tokens),
      endpoints: (cache) =>
        new EndpointDirectory(endpoints, (current) =>
          cache.keepOnly(new Map(current.map(({ id, version }) => [id, version]))),
        ),
    });
  }

  by(who: 'itself' | 'another process') {
    const stores = this.#stores[who === 'itself' ? 0 : 1];
    if (stores === undefined) throw new Error('the service is not started');
    return stores;
  }

  async define(definitions: readonly EndpointDefinition[], tokens: readonly TokenRecord[]): Promise<void> {
    for (const each of definitions) await this.by('itself').endpoints.create(each, 0);
    for (const each of tokens) await this.by('itself').tokens.create(each);
  }

  /** Sends a request; a header with several values is sent as often. */
  send(path: string, headers: OutgoingHttpHeaders, method = 'GET'): Promise<WireAnswer> {
    const agent = this.#agent;
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#service?.url}${path}`, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const body = Buffer.concat(chunks);
          const coding = body.length === 0 ? undefined : response.headers['content-encoding'];
          const plain = coding === 'gzip' ? gunzipSync(body) : coding === 'br' ? brotliDecompressSync(body) : body;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes: body.length,
            text: plain.toString(),
          });
        });
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  get url(): string {
    if (this.#service === undefined) throw new Error('the service is not started');
    return this.#service.url;
  }

  get observations() {
    return this.#service?.observations ?? [];
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#service?.server.close();
    for (const database of this.#connections) await database.destroy();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
