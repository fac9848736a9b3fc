import { systemRandomness } from '../../../core/ids.ts';
import { compileCaller, compileStored } from '../../../googlesql/compile.ts';
import { normalise } from '../../../ingest/normalise.ts';
import { eventTerms } from '../../../ingest/senderTerms.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { never, type TestStorage } from '../storage.fixture.ts';
import { DuckDbQueryEngine } from './duckdbQueryEngine.ts';

/** An event of edge_logs; `message` tells it from others. */
export interface Request {
  readonly project: string;
  readonly message: string;
  /** The member `request` of its metadata. */
  readonly request: unknown;
}

export interface Asked {
  readonly only?: readonly string[] | null;
  readonly isRedacted?: boolean;
  /** The stored query against whose tables the query runs; without one, it is itself stored. */
  readonly stored?: string;
  /** Values of parameters, all strings. */
  readonly given?: Readonly<Record<string, string>>;
}

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const edgeLogs = builtinSources.find(({ name }) => name === 'edge_logs');
const arrivalMicros = 1_700_000_000_000_000;

export async function appendRequests(test: TestStorage, requests: readonly Request[]): Promise<void> {
  const events = requests.map(({ project, message, request }) => {
    if (edgeLogs === undefined) throw new Error('no source edge_logs');
    const sent = { project, event_message: message, timestamp: arrivalMicros, metadata: { request } };
    const result = normalise(JSON.parse(JSON.stringify(sent)), {
      source: edgeLogs,
      arrivalMicros,
      defaultProject: null,
      projects: null,
      eventBytesMax: 2 ** 20,
      oldestMicros: () => null,
      terms: eventTerms,
      randomness: systemRandomness,
    });
    if (result.kind !== 'event') throw new Error(`the event was rejected: ${result.message}`);
    return result.event;
  });
  await test.storage.log.append({ source: 'edge_logs', events, identity: null });
}

function requestOf(test: TestStorage, sql: string, asked: Asked) {
  const { only = null, isRedacted = false, stored, given = {} } = asked;
  const context = { sources, parameters: new Map(Object.keys(given).map((name) => [name, 'string' as const])) };
  return {
    query: stored === undefined ? compileStored(sql, context) : compileCaller(sql, stored, context),
    parameters: new Map(Object.entries(given).map(([name, value]) => [name, { kind: 'string' as const, value }])),
    projects: only,
    redaction: isRedacted ? test.storage.statements.redactor.description : null,
    nowMicros: arrivalMicros,
    rowsMax: 20_000,
    bytesMax: 2 ** 24,
    profile: 'plain' as const,
  };
}

/** The rows of a query as JSON, with commas between them. */
export async function answerOf(test: TestStorage, sql: string, asked: Asked = {}): Promise<string> {
  const engine = new DuckDbQueryEngine(test.storage.files, test.storage.statements);
  return Buffer.from((await engine.run(requestOf(test, sql, asked), never)).rows).toString();
}

/** The engine's statement for a query. */
export async function statementOf(test: TestStorage, sql: string): Promise<string> {
  const engine = new DuckDbQueryEngine(test.storage.files, test.storage.statements);
  return (await engine.explain(requestOf(test, sql, {}), never)).statement;
}

/** The pattern that matches the same texts and requires no run. */
export const grouped = (pattern: string): string => `(?:${pattern})`;
