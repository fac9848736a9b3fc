import { open, rm } from 'node:fs/promises';
import { ServiceError } from '../../../core/errors.ts';
import type { ClickHouseServer } from './clickhouseServer.ts';
import { headerNumber } from './clickhouseServer.ts';
import type { ClickHouseServers } from './clickhouseServers.ts';
import { answeredFailure, ClickHouseFailure, unansweredFailure } from './failure.ts';
import { unlessFull } from './fullDisk.ts';
import { readSettings, type SelectBounds } from './readSettings.ts';

export interface SelectRequest {
  /** A single SELECT without FORMAT and SETTINGS. */
  readonly statement: string;
  /** Unique for each attempt of each query; KILL QUERY names it. */
  readonly queryId: string;
  /** The result of `tableFilters`. */
  readonly filters: ReadonlyMap<string, string>;
  readonly bounds: SelectBounds;
  /** File that the answer is written to. It is replaced. */
  readonly path: string;
}

export interface SelectAnswer {
  /** Of the file. */
  readonly bytes: number;
  readonly rows: number;
  /** Rows that ClickHouse read, before filters. */
  readonly readRows: number;
  readonly readBytes: number;
}

/** Time that KILL QUERY may take. */
const killMs = 5_000;
const endOfParquet = Buffer.from('PAR1');

/**
 * Runs a SELECT and writes its answer to a file as Parquet. A server that does not answer is replaced by another one once.
 * Rejects with a ClickHouseFailure, or with the signal's reason after the query was killed. The answer is accepted only
 * if the transfer was complete, without an exception, and is a whole Parquet file.
 */
export async function selectParquet(
  servers: ClickHouseServers,
  request: SelectRequest,
  signal: AbortSignal,
): Promise<SelectAnswer> {
  let attempt = 0;
  return await servers.ask(async (server) => {
    attempt += 1;
    const queryId = attempt === 1 ? request.queryId : `${request.queryId}-${attempt}`;
    return await selectOnce(server, { ...request, queryId }, signal);
  });
}

async function selectOnce(
  server: ClickHouseServer,
  { statement, queryId, filters, bounds, path }: SelectRequest,
  signal: AbortSignal,
): Promise<SelectAnswer> {
  const settings = readSettings(filters, bounds);
  try {
    const answer = await server.send({ statement: `${statement}\nFORMAT Parquet`, settings, queryId }, signal);
    const stop = () => answer.body.destroy(new Error('the query was given up'));
    signal.addEventListener('abort', stop, { once: true });
    try {
      const bytes = await writeParquet(answer.body as AsyncIterable<Buffer>, path, bounds.answerBytesMax);
      return { bytes, ...summaryOf(answer.headers['x-clickhouse-summary']) };
    } finally {
      signal.removeEventListener('abort', stop);
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

/** Returns the number of bytes. */
async function writeParquet(body: AsyncIterable<Buffer>, path: string, bytesMax: number): Promise<number> {
  await rm(path, { force: true });
  const file = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    let end = Buffer.alloc(0);
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new ClickHouseFailure('bound', `an answer has more than ${bytesMax} bytes`);
      // Unlike `write`, it writes all of the chunk.
      await file.writeFile(chunk).catch(unlessFull);
      end = Buffer.concat([end.subarray(-4096), chunk]).subarray(-4096);
    }
    if (bytes < 8 || !end.subarray(-4).equals(endOfParquet)) {
      // A late exception is text at the end of the body.
      const text = end.toString();
      const code = text.lastIndexOf('Code: ');
      if (text.includes('__exception__') && code >= 0) throw answeredFailure(200, null, text.slice(code));
      throw new ClickHouseFailure('damaged', 'an answer is no whole Parquet file');
    }
    return bytes;
  } finally {
    await file.close();
  }
}

function summaryOf(header: string | string[] | undefined): Omit<SelectAnswer, 'bytes'> {
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
