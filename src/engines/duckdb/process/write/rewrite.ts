import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { syncPath } from '../../../../files/durableFiles.ts';
import {
  arrivalColumn,
  createTableSql,
  ordinalColumn,
  plainColumns,
  type TableLayout,
  tableInFile,
} from '../../files/tableLayout.ts';
import { quoteIdentifier, quoteText } from '../../sqlText.ts';
import { CancelledCall } from '../callFailure.ts';
import type { EngineCalls, RemovedCount, RewrittenSource } from '../protocol.ts';
import { attach, detach } from '../read/attach.ts';
import type { Job } from '../read/statements.ts';
import { readRows } from '../read/wholeResult.ts';
import { arrivalCounts, arrivalsOf } from './arrivalRange.ts';
import { fragmentFilters } from './foreignRuns.ts';
import { type InputTable, inputTables, layoutsOf } from './rewriteInputs.ts';
import { writeSorted } from './rewriteTable.ts';

type Rewrite = EngineCalls['rewrite'];

/** Small row groups, so that a project's few rows are read without much around them. */
const rowGroupRows = 20_480;

/**
 * Writes the events of all inputs, except those that are left out, into one file; each source is sorted by project,
 * time and arrival. The file is complete and durable when this resolves, still under its temporary name; a crash leaves
 * only that. `giveWay` is awaited between batches, so that it can let other work go first.
 */
export async function rewrite(
  connection: DuckDBConnection,
  call: Rewrite['takes'],
  job: Job,
  giveWay: () => Promise<void>,
): Promise<Rewrite['gives']> {
  const output = quoteIdentifier(call.outputAlias);
  await rm(call.temporaryPath, { force: true });
  await rm(`${call.temporaryPath}.wal`, { force: true });
  await attach(
    connection,
    `ATTACH ${quoteText(call.temporaryPath)} AS ${output} (STORAGE_VERSION 'latest', ROW_GROUP_SIZE ${rowGroupRows})`,
  );
  const beforePortion = async () => {
    await giveWay();
    if (job.isCancelled) throw new CancelledCall();
  };
  const written: WrittenTable[] = [];
  const removed: RemovedCount[] = [];
  try {
    job.interrupt = () => connection.interrupt();
    const inputs = await inputTables(connection, call.inputs, call.leftOut);
    for (const input of inputs) removed.push(...(await countRemoved(connection, input)));
    for (const layout of layoutsOf(call.tables, inputs)) {
      const ofSource = inputs.filter(({ table }) => table === layout.table);
      const table = await rewriteTable(connection, call, layout, ofSource, beforePortion);
      if (table !== null) written.push(table);
    }
    await connection.run(`CHECKPOINT ${output}`);
  } finally {
    job.interrupt = () => {};
    await detach(connection, call.outputAlias);
  }
  if (job.isCancelled) throw new CancelledCall();
  await syncPath(call.temporaryPath);
  await syncPath(dirname(call.temporaryPath));
  const sources = await readBack(connection, call, written, beforePortion);
  return { bytes: (await stat(call.temporaryPath)).size, sources, removed };
}

/**
 * Counts the rows that are left out. Together with the written rows they must equal the known contents of the input.
 */
export async function countRemoved(
  connection: DuckDBConnection,
  { alias, table, kept, undeleted }: InputTable,
): Promise<readonly RemovedCount[]> {
  if (kept === 'TRUE') return [];
  const rows = await readRows(
    connection,
    `SELECT project, count(*), count(*) FILTER (WHERE NOT (${undeleted})) FROM ${tableInFile(alias, table)}
     WHERE NOT (${kept}) GROUP BY project`,
  );
  return rows.map(([project, events, deleted]) => ({
    input: alias,
    source: table,
    project: String(project),
    events: Number(events),
    deleted: Number(deleted),
  }));
}

interface WrittenTable {
  readonly layout: TableLayout;
  readonly events: number;
}

/** Null if no input holds events of the source; its table is then left out. */
async function rewriteTable(
  connection: DuckDBConnection,
  call: Rewrite['takes'],
  layout: TableLayout,
  inputs: readonly InputTable[],
  beforePortion: () => Promise<void>,
): Promise<WrittenTable | null> {
  let events = 0;
  const filled: InputTable[] = [];
  for (const input of inputs) {
    const [row] = await readRows(
      connection,
      `SELECT count(*) FROM ${tableInFile(input.alias, input.table)} WHERE ${input.kept}`,
    );
    if (Number(row?.[0]) > 0) filled.push(input);
    events += Number(row?.[0]);
  }
  if (filled.length === 0) return null;
  await connection.run(createTableSql(call.outputAlias, layout, 'sealed'));
  const { outputAlias: output, portionEventsMax } = call;
  await writeSorted({ connection, inputs: filled, output, layout, portionEventsMax, beforePortion });
  return { layout, events };
}

/** Reads the contents of the written file. @throws Error if it lacks an event of the inputs */
async function readBack(
  connection: DuckDBConnection,
  call: Rewrite['takes'],
  tables: readonly WrittenTable[],
  beforePortion: () => Promise<void>,
): Promise<readonly RewrittenSource[]> {
  const output = quoteIdentifier(call.outputAlias);
  await attach(connection, `ATTACH ${quoteText(call.temporaryPath)} AS ${output} (READ_ONLY)`);
  try {
    const sources: RewrittenSource[] = [];
    for (const { layout, events } of tables) {
      const found = await countSorted(connection, call.outputAlias, layout.table);
      const count = found.counts.reduce((sum, each) => sum + each, 0);
      if (count !== events) throw new Error(`rewriting ${layout.table} gave ${count} events instead of ${events}`);
      const typed = layout.columns.slice(plainColumns);
      const filters = await fragmentFilters(connection, call.outputAlias, layout, events, beforePortion);
      sources.push({ ...found, hotColumns: typed.map(({ name, type }) => [name, type]), filters });
    }
    return sources;
  } finally {
    await detach(connection, call.outputAlias);
  }
}

/**
 * Times, counts and ordinals per project of a written table, and its arrival numbers. @throws Error if a project has
 * two ordinals
 */
async function countSorted(connection: DuckDBConnection, alias: string, table: string) {
  const rows = await readRows(
    connection,
    `SELECT project, epoch_us(min(timestamp)), epoch_us(max(timestamp)), count(*), min(${ordinalColumn}), max(${ordinalColumn}),
     ${arrivalCounts(arrivalColumn)}
     FROM ${tableInFile(alias, table)} GROUP BY project`,
  );
  const sorted = rows
    .map(([project, first, last, count, ordinal, lastOrdinal]) => {
      if (ordinal === null || ordinal !== lastOrdinal)
        throw new Error(`a project of ${table} has no ordinal of its own`);
      return {
        project: String(project),
        first: Number(first),
        last: Number(last),
        count: Number(count),
        ordinal: Number(ordinal),
      };
    })
    .sort((a, b) => (a.project < b.project ? -1 : 1));
  return {
    source: table,
    projects: sorted.map((row) => row.project),
    firstMicros: sorted.map((row) => row.first),
    lastMicros: sorted.map((row) => row.last),
    counts: sorted.map((row) => row.count),
    ordinals: sorted.map((row) => row.ordinal),
    ...arrivalsOf(rows.map((row) => row.slice(6))),
  };
}
