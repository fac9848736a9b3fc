import { join } from 'node:path';
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  TIMESTAMP,
  VARCHAR,
} from '@duckdb/node-api';
import { arrivalColumn, createTableSql, tableLayout } from '../src/engines/duckdb/files/tableLayout.ts';
import { builtinSources } from '../src/sources/builtin.ts';
import type { HotColumn, Source } from '../src/sources/source.ts';
import type { BatchPlace, EventFile } from './eventFile.ts';
import type { SentEvent } from './sentEvent.ts';

const types: Readonly<Record<string, DuckDBType>> = { VARCHAR, TIMESTAMP, BIGINT, DOUBLE, BOOLEAN };

/** Events per second. */
export interface BareRate {
  /** From the bodies as sent, including the time to parse them and make cells. */
  readonly fromJson: number;
  /** From existing cells. */
  readonly fromCells: number;
}

/**
 * Measures the engine alone: the same rows in the same tables, one durable commit per batch, without HTTP, checks or a
 * second process.
 */
export async function bareIngest(folder: string, file: EventFile, batches: readonly BatchPlace[]): Promise<BareRate> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`SET threads = 2; SET checkpoint_threshold = '1TB'`);
  await connection.run(
    `ATTACH '${join(folder, `bare-${process.hrtime.bigint()}.duckdb`)}' AS bare (STORAGE_VERSION 'latest')`,
  );
  for (const source of builtinSources) {
    await connection.run(createTableSql('bare', tableLayout(source), 'active'));
    // Only the product needs arrival numbers.
    await connection.run(`ALTER TABLE bare.main.${source.name} DROP COLUMN ${arrivalColumn}`);
  }
  let jsonMs = 0;
  let cellsMs = 0;
  let events = 0;
  for (const batch of batches) {
    const source = builtinSources.find(({ name }) => name === batch.source);
    if (source === undefined) throw new Error(`no source ${batch.source}`);
    const body = file.read(batch);
    const receivedMs = performance.now();
    const columns = columnsOf(source, JSON.parse(body.toString('utf8')) as readonly SentEvent[]);
    const madeMs = performance.now();
    const chunk = DuckDBDataChunk.create(
      tableLayout(source).columns.map(({ type }) => types[type] ?? VARCHAR),
      batch.events,
    );
    for (const [index, cells] of columns.entries()) chunk.setColumnValues(index, cells);
    await connection.run('BEGIN TRANSACTION');
    const appender = await connection.createAppender(source.name, 'main', 'bare');
    appender.appendDataChunk(chunk);
    appender.closeSync();
    await connection.run('COMMIT');
    jsonMs += performance.now() - receivedMs;
    cellsMs += performance.now() - madeMs;
    events += batch.events;
  }
  connection.closeSync();
  instance.closeSync();
  return { fromJson: (events / jsonMs) * 1000, fromCells: (events / cellsMs) * 1000 };
}

function columnsOf(source: Source, events: readonly SentEvent[]): DuckDBValue[][] {
  const member = source.projectField.kind === 'metadata' ? source.projectField.member : null;
  return [
    events.map(({ id }) => id),
    events.map(({ timestamp }) => new DuckDBTimestampValue(BigInt(timestamp))),
    events.map(({ project, metadata }) => String(member === null ? project : metadata[member])),
    events.map(({ event_message }) => event_message),
    events.map(({ metadata }) => JSON.stringify(metadata)),
    ...source.hotColumns.map((hot) => events.map(({ metadata }) => hotCell(hot, metadata))),
  ];
}

function hotCell(hot: HotColumn, metadata: unknown): DuckDBValue {
  let value = metadata;
  for (const name of hot.path) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  if (value === undefined || value === null) return null;
  switch (hot.kind) {
    case 'presence':
      return true;
    case 'int64':
      return BigInt(Number(value));
    default:
      return value as DuckDBValue;
  }
}
