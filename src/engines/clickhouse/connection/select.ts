import { ServiceError } from '../../../core/errors.ts';
import type { ClickHouseServer } from './clickhouseServer.ts';
import { headerNumber } from './clickhouseServer.ts';
import type { ClickHouseServers } from './clickhouseServers.ts';
import { ClickHouseFailure, unansweredFailure } from './failure.ts';
import { readSettings, type SelectBounds } from './readSettings.ts';

export interface SelectRequest {
  /** A single SELECT without FORMAT and SETTINGS. */
  readonly statement: string;
  /** Unique for each attempt of each query; KILL QUERY names it. */
  readonly queryId: string;
  /** The result of `tableFilters`. */
  readonly filters: ReadonlyMap<string, string>;
  readonly bounds: SelectBounds;
}

export interface SelectSummary {
  readonly rows: number;
  /** Rows that ClickHouse read, before filters. */
  readonly readRows: number;
  readonly readBytes: number;
}

/** A format of ClickHouse, and what reads an answer in it. Each attempt calls `read` once. */
export interface AnswerFormat<T> {
  readonly name: string;
  /** Rejects with a ClickHouseFailure unless the answer is whole. */
  read(body: AsyncIterable<Buffer>, summary: SelectSummary): Promise<T>;
}

/** Time that KILL QUERY may take. */
const killMs = 5_000;

/**
 * Runs a SELECT and reads its answer. A server that does not answer is replaced by another one once. Rejects with a
 * ClickHouseFailure, or with the signal's reason after the query was killed.
 */
export async function select<T>(
  servers: ClickHouseServers,
  request: SelectRequest,
  format: AnswerFormat<T>,
  signal: AbortSignal,
): Promise<T> {
  let attempt = 0;
  return await servers.ask(async (server) => {
    attempt += 1;
    const queryId = attempt === 1 ? request.queryId : `${request.queryId}-${attempt}`;
    return await selectOnce(server, { ...request, queryId }, format, signal);
  });
}

async function selectOnce<T>(
  server: ClickHouseServer,
  { statement, queryId, filters, bounds }: SelectRequest,
  { name, read }: AnswerFormat<T>,
  signal: AbortSignal,
): Promise<T> {
  const settings = readSettings(filters, bounds);
  try {
    const answer = await server.send({ statement: `${statement}\nFORMAT ${name}`, settings, queryId }, signal);
    const stop = () => answer.body.destroy(new Error('the query was given up'));
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await read(answer.body as AsyncIterable<Buffer>, summaryOf(answer.headers['x-clickhouse-summary']));
    } finally {
      signal.removeEventListener('abort', stop);
      // It may not have been read to its end.
      answer.body.destroy();
    }
  } catch (error) {
    if (signal.aborted) {
      // Closing the connection alone has been reported not to end a query.
      void killQuery(server, queryId);
      signal.throwIfAborted();
    }
    throw error instanceof ServiceError ? error : unansweredFailure(error);
  }
}

function summaryOf(header: string | string[] | undefined): SelectSummary {
  const summary: Record<string, unknown> = typeof header === 'string' ? (JSON.parse(header) as never) : {};
  const read = (name: string) => {
    const value = summary[name];
    return typeof value === 'string' ? headerNumber(value) : null;
  };
  const rows = read('result_rows');
  if (rows === null) throw new ClickHouseFailure('damaged', 'an answer has no summary');
  return { rows, readRows: read('read_rows') ?? 0, readBytes: read('read_bytes') ?? 0 };
}

/** Ends a query of the same user. Failures are ignored, because the query then ends at its deadline. */
export async function killQuery(server: ClickHouseServer, queryId: string): Promise<void> {
  const statement = `KILL QUERY WHERE query_id = '${queryId.replaceAll(/[^\w-]/g, '')}' ASYNC`;
  try {
    await server.text({ statement }, AbortSignal.timeout(killMs));
  } catch {
    // The deadline of the query holds in any case.
  }
}
