import { open, rm } from 'node:fs/promises';
import type { ClickHouseServers } from './clickhouseServers.ts';
import { answeredFailure, ClickHouseFailure } from './failure.ts';
import { unlessFull } from './fullDisk.ts';
import { type SelectRequest, type SelectSummary, select } from './select.ts';

export interface ParquetRequest extends SelectRequest {
  /** File that the answer is written to. It is replaced. */
  readonly path: string;
}

export interface ParquetAnswer extends SelectSummary {
  /** Of the file. */
  readonly bytes: number;
}

const endOfParquet = Buffer.from('PAR1');

/** Runs a SELECT like `select`, and writes its answer to a file as Parquet. */
export async function selectParquet(
  servers: ClickHouseServers,
  { path, ...request }: ParquetRequest,
  signal: AbortSignal,
): Promise<ParquetAnswer> {
  const { answerBytesMax } = request.bounds;
  const read = async (body: AsyncIterable<Buffer>, summary: SelectSummary) => ({
    ...summary,
    bytes: await writeParquet(body, path, answerBytesMax),
  });
  return await select(servers, request, { name: 'Parquet', read }, signal);
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
