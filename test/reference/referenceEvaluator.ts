import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { freePort } from '../support/freePort.ts';
import { decodeTable, type ReferenceAnswer, type WireTable } from './decodeValue.ts';
import type { ReferencePackage } from './install.ts';

/** Not what BigQuery does, or not finished in the evaluator. */
const withoutFeatures: ReadonlySet<string> = new Set(['FEATURE_TIMESTAMP_NANOS']);

/** What the evaluator does not count among its features although it has them. */
const moreFeatures: readonly string[] = [
  'FEATURE_INTERVAL_TYPE',
  'FEATURE_TIME_BUCKET_FUNCTIONS',
  'FEATURE_INVERSE_TRIG_FUNCTIONS',
  'FEATURE_V_1_4_GROUPING_BUILTIN',
];

interface LanguageOptions {
  readonly enabledLanguageFeatures: readonly string[];
}

type Reply<T> = (error: GrpcError | null, value: T) => void;

/** The calls of its gRPC service that are used here. */
interface Service {
  readonly waitForReady: (deadlineMs: number, done: (error?: Error) => void) => void;
  readonly getLanguageOptions: (request: { maximumFeatures: true }, reply: Reply<LanguageOptions>) => void;
  readonly EvaluateQuery: (request: object, options: { deadline: number }, reply: Reply<WireTable>) => void;
  readonly close: () => void;
}

interface Grpc {
  readonly credentials: { readonly createInsecure: () => unknown };
  readonly loadPackageDefinition: (definition: unknown) => {
    readonly zetasql: {
      readonly local_service: { readonly ZetaSqlLocalService: new (address: string, credentials: unknown) => Service };
    };
  };
}

interface ProtoLoader {
  readonly loadSync: (file: string, options: object) => unknown;
}

/** The evaluator refused a query, or failed on its data. */
export class EvaluatorError extends Error {
  /** Whether it ran the query and failed on a value; else it does not take the query at all. */
  readonly isAboutData: boolean;

  constructor({ details, message, code }: GrpcError) {
    super((details ?? message).split('\n')[0]);
    this.isAboutData = code === outOfRange;
  }
}

interface GrpcError extends Error {
  readonly details?: string;
  readonly code?: number;
}

/** gRPC's code for it. */
const outOfRange = 11;

/** Google's reference evaluator of GoogleSQL as a process that answers queries. Its zone is UTC. */
export class ReferenceEvaluator {
  readonly #server: ChildProcess;
  readonly #service: Service;
  readonly #options: object;

  private constructor(server: ChildProcess, service: Service, options: object) {
    this.#server = server;
    this.#service = service;
    this.#options = options;
  }

  static async start(reference: ReferencePackage): Promise<ReferenceEvaluator> {
    const load = createRequire(join(reference.folder, 'package.json'));
    const grpc = load('@grpc/grpc-js') as Grpc;
    const loader = load('@grpc/proto-loader') as ProtoLoader;
    const definition = loader.loadSync('local_service.proto', {
      oneofs: true,
      longs: String,
      enums: String,
      includeDirs: [reference.protos],
    });
    const { ZetaSqlLocalService } = grpc.loadPackageDefinition(definition).zetasql.local_service;
    const port = await freePort();
    const server = spawn(reference.server, ['localhost', String(port)], { stdio: 'ignore' });
    const service = new ZetaSqlLocalService(`localhost:${port}`, grpc.credentials.createInsecure());
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.once('exit', (code) => reject(new Error(`the reference evaluator ended with ${code}`)));
        service.waitForReady(Date.now() + 60_000, (error) => (error === undefined ? resolve() : reject(error)));
      });
      const known = await new Promise<LanguageOptions>((resolve, reject) => {
        service.getLanguageOptions({ maximumFeatures: true }, (error, value) =>
          error === null ? resolve(value) : reject(error),
        );
      });
      const features = known.enabledLanguageFeatures.filter((feature) => !withoutFeatures.has(feature));
      const language = {
        ...known,
        productMode: 'PRODUCT_EXTERNAL',
        enabledLanguageFeatures: [...features, ...moreFeatures],
      };
      return new ReferenceEvaluator(server, service, language);
    } catch (error) {
      server.kill('SIGKILL');
      throw error;
    }
  }

  /** The rows of a query, as the service shows values. Throws EvaluatorError with the evaluator's sentence. */
  async run(sql: string): Promise<ReferenceAnswer> {
    const request = {
      sql,
      options: { languageOptions: this.#options, defaultTimezone: 'UTC' },
      simpleCatalog: { builtinFunctionOptions: { languageOptions: this.#options } },
    };
    const table = await new Promise<WireTable>((resolve, reject) => {
      this.#service.EvaluateQuery(request, { deadline: Date.now() + 20_000 }, (error, value) => {
        if (error === null) resolve(value);
        else reject(new EvaluatorError(error));
      });
    });
    return decodeTable(table);
  }

  get isRunning(): boolean {
    return this.#server.exitCode === null && this.#server.signalCode === null;
  }

  async close(): Promise<void> {
    this.#service.close();
    if (!this.isRunning) return;
    this.#server.kill('SIGKILL');
    await once(this.#server, 'exit');
  }
}
