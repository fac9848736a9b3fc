import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../src/core/clock.ts';
import { systemRandomness } from '../../src/core/ids.ts';
import type { Observation, Observe } from '../../src/core/observation.ts';
import { parseDefinition } from '../../src/endpoints/parseDefinition.ts';
import type { OpenEngine } from '../../src/start/engineInputs.ts';
import { settingsSchema } from '../../src/start/settings.ts';
import { startService } from '../../src/start/startService.ts';
import { SqlEndpointStore } from '../../src/stores/sql/sqlEndpointStore.ts';
import { SqlTokenStore } from '../../src/stores/sql/sqlTokenStore.ts';
import { openDatabase } from '../../src/stores/sqlite/database.ts';
import { createToken } from '../../src/tokens/createToken.ts';
import { redacting, restrictedTo } from '../../src/tokens/restrictions.ts';
import { parseScopes } from '../../src/tokens/scope.ts';
import { engineUnderTest } from './enginesUnderTest.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface Notice {
  readonly code: string;
  readonly message: string;
  readonly parameter?: string;
}

/** The body of an answer: `result` and `meta` of a 200, otherwise the members of a problem document. */
export interface AnswerBody {
  readonly result: readonly Row[];
  readonly meta: {
    readonly endpoint: { readonly id: string; readonly name: string; readonly version: number };
    readonly columns: readonly { readonly name: string; readonly type: string }[];
    readonly row_count: number;
    readonly truncated: boolean;
    readonly truncated_by?: string;
    readonly notices: readonly Notice[];
    readonly query: { readonly elapsed_ms: number; readonly rows_scanned?: number };
    readonly redaction: { readonly applied: boolean; readonly counts: Readonly<Record<string, number>> };
  };
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly errors: readonly Readonly<Record<string, unknown>>[];
  readonly error: { readonly message: string; readonly code: string };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** As received. */
  readonly text: string;
  readonly body: AnswerBody;
}

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'FORM';
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface WholeService {
  readonly url: string;
  /** The port that receives syslog. */
  readonly syslogPort: number | undefined;
  readonly clock: ManualClock;
  readonly observations: readonly Observation[];
  readonly adminToken: string;
  readonly dataDir: string;
  consoleLink(): string;
  /** Stores events over HTTP; fails unless every one is accepted. */
  send(source: string, events: readonly object[]): Promise<void>;
  /** Adds an endpoint, with the fields of a definition file, directly in the store, like another process. */
  define(fields: Readonly<Record<string, unknown>>): Promise<void>;
  /** Creates a token in the store, as the command line does, and returns its text. Without projects it reaches all. */
  makeToken(scopes: readonly string[], projects?: readonly string[], isRedacted?: boolean): Promise<string>;
  /** Calls an endpoint by ID or name. A string of parameters is sent unchanged as the query string. */
  call(idOrName: string, parameters: Readonly<Record<string, string>> | string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface WholeServiceInputs {
  readonly nowMicros: number;
  /** As in a configuration file, in camelCase. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Also called with every observation. */
  readonly observe?: Observe;
  /** Instead of the engine under test. */
  readonly openEngine?: OpenEngine;
}

/**
 * Starts the whole service on a new folder, as `start` builds it: real store, engine under test (in a real process),
 * real sockets. Only the clock is the test's. Must be closed.
 */
export async function startWholeService({
  nowMicros,
  settings = {},
  observe,
  openEngine = engineUnderTest.openForService,
}: WholeServiceInputs): Promise<WholeService> {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-whole-'));
  const dataDir = join(folder, 'data');
  const clock = new ManualClock(nowMicros);
  const observations: Observation[] = [];
  const service = await startService({
    settings: settingsSchema.parse({ port: 0, dataDir, logLevel: 'silent', ...settings }),
    clock,
    randomness: systemRandomness,
    observe: (observation) => {
      observations.push(observation);
      observe?.(observation);
    },
    demo: false,
    progress: () => undefined,
    lookMsMax: 300_000,
    openEngine,
  });
  const { url, adminToken } = service;
  if (adminToken === undefined) throw new Error('the first start of a folder made no administration token');
  return {
    url,
    syslogPort: service.syslogPort,
    clock,
    observations,
    adminToken,
    dataDir,
    consoleLink: () => service.consoleLink(),
    send: (source, events) => send(url, adminToken, source, events),
    call: (idOrName, parameters, options = {}) => call(url, adminToken, idOrName, parameters, options),
    async define(fields) {
      const database = await openDatabase(dataDir);
      try {
        await new SqlEndpointStore(database).create(
          parseDefinition(fields, { label: String(fields.name) }),
          clock.nowMicros(),
        );
      } finally {
        await database.destroy();
      }
      // Changes by other processes are checked twice a second.
      clock.advanceMs(1000);
    },
    async makeToken(scopes, projects, isRedacted = false) {
      const database = await openDatabase(dataDir);
      try {
        const ofProjects = projects === undefined ? null : restrictedTo(projects);
        const restrictions = isRedacted ? redacting(ofProjects) : ofProjects;
        const request = { description: '', scopes: parseScopes(scopes), restrictions };
        const store = new SqlTokenStore(database);
        return (await createToken(store, request, systemRandomness, clock.nowMicros())).text;
      } finally {
        await database.destroy();
      }
    },
    async close() {
      await service.close('end of the test');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The names that an error lists as allowed, in alphabetical order. */
export function allowedNames(body: Pick<AnswerBody, 'errors'>): readonly string[] {
  const allowed = body.errors[0]?.allowed;
  if (!Array.isArray(allowed)) throw new Error(`the refusal names nothing that is allowed: ${JSON.stringify(body)}`);
  return [...allowed].sort();
}

async function send(url: string, token: string, source: string, events: readonly object[]): Promise<void> {
  const response = await fetch(`${url}/api/logs?source=${source}`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
    body: JSON.stringify(events),
  });
  const text = await response.text();
  if (response.status !== 200 || JSON.parse(text).accepted !== events.length) {
    throw new Error(`the events of ${source} were not stored: ${response.status} ${text.slice(0, 2000)}`);
  }
}

async function call(
  url: string,
  token: string,
  idOrName: string,
  parameters: Readonly<Record<string, string>> | string,
  { method = 'GET', headers = {}, signal }: CallOptions,
): Promise<Answer> {
  const path = `${url}/api/endpoints/query/${encodeURIComponent(idOrName)}`;
  const query = typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString();
  const common = { 'x-api-key': token, ...headers };
  const withSignal = signal === undefined ? {} : { signal };
  const response =
    method === 'GET'
      ? await fetch(`${path}?${query}`, { headers: common, ...withSignal })
      : await fetch(path, {
          method: 'POST',
          headers: {
            ...common,
            'content-type': method === 'FORM' ? 'application/x-www-form-urlencoded' : 'application/json',
          },
          body: method === 'FORM' ? query : JSON.stringify(parameters),
          ...withSignal,
        });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}
