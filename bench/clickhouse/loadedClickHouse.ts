import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabaseStatement, createStatements } from '../../src/engines/clickhouse/tables/createTable.ts';
import {
  arrivalColumn,
  hotCountColumn,
  irregularColumn,
  readTable,
} from '../../src/engines/clickhouse/tables/tableLayout.ts';
import { quoteIdentifier, quoteText } from '../../src/engines/duckdb/sqlText.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import type { Source } from '../../src/sources/source.ts';
import { startStandIn, type TestClickHouse } from '../../test/clickhouse/startClickHouse.ts';
import { drawEvents } from '../loadSealedFiles.ts';
import { presentMs, sourcesDigest } from '../suite/preparedEvents.ts';
import { setPresent } from '../suite/shiftedClock.mjs';

/** Where the service has its tables by default. */
export const place = { database: 'logmill', cluster: null };

/** Arrival numbers that each source has in one file of events. */
const numbersOfSource = 50_000_000;

/** A ClickHouse with the benchmark's events, in the tables that the service makes. */
export interface LoadedClickHouse {
  readonly clickhouse: TestClickHouse;
  readonly events: number;
  /** No event has this arrival number or a higher one. */
  readonly end: number;
  /** Bytes on disk and rows by source. */
  readonly stored: Readonly<Record<string, { readonly rows: number; readonly bytes: number; readonly raw: number }>>;
}

/**
 * Starts ClickHouse's stand-in with this many events, which takes about half a minute per million, or opens the folder of
 * an earlier run. Older folders of the same size are removed.
 */
export async function loadedClickHouse(
  parent: string,
  events: number,
  say: (text: string) => void,
): Promise<LoadedClickHouse> {
  const path = join(parent, `clickhouse-${events}-${sourcesDigest(decisive)}`);
  const note = join(path, 'loaded.json');
  if (!existsSync(note)) {
    for (const name of readdirSync(parent).filter((each) => each.startsWith(`clickhouse-${events}-`)))
      rmSync(join(parent, name), { recursive: true });
    const making = `${path}-making-${process.pid}`;
    try {
      mkdirSync(making, { recursive: true });
      const end = await fill(making, events, say);
      writeFileSync(join(making, 'loaded.json'), JSON.stringify({ end }));
      renameSync(making, path);
    } finally {
      rmSync(making, { recursive: true, force: true });
    }
  }
  const { end } = JSON.parse(readFileSync(note, 'utf8')) as { readonly end: number };
  const clickhouse = await startStandIn({ folder: join(path, 'engine'), users: [benchUser] });
  try {
    const stored = await storedOf(clickhouse);
    const found = Object.values(stored).reduce((sum, { rows }) => sum + rows, 0);
    if (found !== events) throw new Error(`ClickHouse holds ${found} of ${events} events`);
    return { clickhouse, events, end, stored };
  } catch (error) {
    await clickhouse.close();
    throw error;
  }
}

/**
 * The user of the service and of the statements by hand. Otherwise, ClickHouse would remember for repeated conditions which
 * parts of a table they can match, and only the first call of each query would count.
 */
export const benchUser = {
  name: 'bench',
  password: 'bench',
  grants: ['ALL ON *.* WITH GRANT OPTION'],
  settings: { use_query_condition_cache: '0' },
};

/** Sources that determine the contents. */
const decisive = {
  folders: [
    'src/engines/duckdb/files',
    'src/engines/duckdb/process/write',
    'src/engines/clickhouse/tables',
    'src/sources',
    'src/ingest',
  ],
  benchFiles: [
    'loadSealedFiles.ts',
    'syntheticEvent.ts',
    'projects.ts',
    'generateEvents.ts',
    'clickhouse/loadedClickHouse.ts',
  ],
};

/** Returns the end of the arrival numbers. */
async function fill(folder: string, events: number, say: (text: string) => void): Promise<number> {
  const clickhouse = await startStandIn({ folder: join(folder, 'engine') });
  try {
    say(`storing ${events} events in ClickHouse ${clickhouse.version}`);
    await clickhouse.run(createDatabaseStatement(place));
    const settings = { storagePolicy: null, cold: null };
    for (const source of builtinSources) {
      for (const statement of createStatements(source, place, settings)) await clickhouse.run(statement);
    }
    setPresent(presentMs);
    const parquet = join(folder, 'rows.parquet');
    await drawEvents(events, presentMs * 1000, async ({ connection, alias, layouts }) => {
      for (const [position, { table }] of layouts.entries()) {
        const source = builtinSources.find(({ name }) => name === table);
        if (source === undefined) throw new Error(`no source ${table}`);
        const rows = `${rowsOf(source, alias, position)} TO ${quoteText(parquet)} (FORMAT parquet)`;
        await connection.run(`COPY ${rows}`);
        await insert(clickhouse, source, readFileSync(parquet));
      }
    });
    rmSync(parquet);
    say('merging parts');
    let end = 0;
    for (const source of builtinSources) {
      const table = readTable(place, source.name);
      // So that every run reads the same parts.
      await clickhouse.run(`OPTIMIZE TABLE ${table} FINAL`);
      const highest = Number(await clickhouse.run(`SELECT max(${arrivalColumn}) FROM ${table}`));
      end = Math.max(end, highest + 1);
    }
    return end;
  } finally {
    await clickhouse.close();
  }
}

const columnsOf = ({ hotColumns }: Source): readonly string[] => [
  'id',
  'timestamp',
  'project',
  'event_message',
  'metadata',
  ...hotColumns.map(({ column }) => column),
  irregularColumn,
  hotCountColumn,
  arrivalColumn,
];

/** The rows of a file as the service would store them. Numbers of different sources differ. */
function rowsOf(source: Source, alias: string, position: number): string {
  const values = columnsOf(source).map((column) => {
    if (column === irregularColumn) return `CAST([] AS VARCHAR[]) AS ${column}`;
    if (column === hotCountColumn) return `${source.hotColumns.length} AS ${column}`;
    if (column === arrivalColumn) return `${column} + ${position * numbersOfSource} AS ${column}`;
    return quoteIdentifier(column);
  });
  return `(SELECT ${values.join(', ')} FROM ${alias}.main.${quoteIdentifier(source.name)} ORDER BY ${arrivalColumn})`;
}

async function insert(clickhouse: TestClickHouse, source: Source, rows: Buffer): Promise<void> {
  const columns = columnsOf(source)
    .map((column) => `\`${column}\``)
    .join(', ');
  const query = `INSERT INTO ${readTable(place, source.name)} (${columns}) FORMAT Parquet`;
  const response = await fetch(`${clickhouse.url}/?${new URLSearchParams({ query, wait_end_of_query: '1' })}`, {
    method: 'POST',
    headers: { 'X-ClickHouse-User': clickhouse.user, 'X-ClickHouse-Key': clickhouse.password },
    body: new Uint8Array(rows),
  });
  const text = await response.text();
  if (!response.ok || text !== '') throw new Error(`ClickHouse did not store ${source.name}: ${text}`);
}

async function storedOf(clickhouse: TestClickHouse): Promise<LoadedClickHouse['stored']> {
  // Nodes store events of their own, too.
  const names = builtinSources.map(({ name }) => quoteText(name)).join(', ');
  const text = await clickhouse.run(
    `SELECT table, sum(rows), sum(data_compressed_bytes), sum(data_uncompressed_bytes) FROM system.parts
     WHERE active AND database = '${place.database}' AND table IN (${names}) GROUP BY table ORDER BY table FORMAT JSONCompactEachRow`,
    { output_format_json_quote_64bit_integers: '0' },
  );
  const lines = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [table, rows, bytes, raw] = JSON.parse(line) as [string, number, number, number];
      return [table, { rows, bytes, raw }];
    }),
  );
}
