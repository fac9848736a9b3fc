import { mkdirSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { systemRandomness } from '../src/core/ids.ts';
import { SeededRandom } from '../src/demo/seededRandom.ts';
import { EventFilePaths } from '../src/engines/duckdb/files/eventFilePaths.ts';
import { createTableSql, type TableLayout, tableLayout } from '../src/engines/duckdb/files/tableLayout.ts';
import { BatchReader } from '../src/engines/duckdb/process/write/batchReader.ts';
import { encodeBatch } from '../src/engines/duckdb/process/write/columnarBatch.ts';
import { rewrite } from '../src/engines/duckdb/process/write/rewrite.ts';
import { quoteText } from '../src/engines/duckdb/sqlText.ts';
import { normalise } from '../src/ingest/normalise.ts';
import { eventTerms } from '../src/ingest/senderTerms.ts';
import type { StoredEvent } from '../src/ports/eventLog.ts';
import type { FileManifest } from '../src/ports/fileManifest.ts';
import { builtinSources } from '../src/sources/builtin.ts';
import type { Source } from '../src/sources/source.ts';
import { daysSpread } from './generateEvents.ts';
import { projectShares, projects } from './projects.ts';
import { streams, syntheticEvent } from './syntheticEvent.ts';

/** Events of one rotation: 160 MiB of encoded events of this kind. */
export const eventsPerFile = 140_000;
/** Maximum number of distinct events to draw from; id, time and project also vary. */
const poolEventsMax = 100_000;
/** Placeholder for the project, of the same length. */
const anyProject = 'projectXXXXXreference'.slice(0, 20);
const dayMicros = 86_400_000_000;

/**
 * Fills a data folder with sealed segments like those of a rotation, without the service: the engine draws events of
 * the benchmark's generator for each segment.
 */
export async function loadSealedFiles(
  dataDir: string,
  manifest: FileManifest,
  events: number,
  nowMicros: number,
): Promise<void> {
  const folder = new EventFilePaths(dataDir);
  mkdirSync(folder.path, { recursive: true });
  await drawEvents(events, nowMicros, async ({ connection, alias, number, layouts }) => {
    const { bytes, sources } = await rewrite(
      connection,
      {
        inputs: [alias],
        outputAlias: `sealing_${number}`,
        temporaryPath: folder.temporaryPath(number),
        tables: layouts,
        leftOut: [],
        portionEventsMax: eventsPerFile,
        isInBackground: false,
      },
      { isCancelled: false, interrupt: () => {} },
      async () => {},
    );
    await folder.publish(number);
    const record = { number, bytes, events: 0, sealedMicros: nowMicros, mergedFrom: [] };
    const sealed = sources.map((source) => ({ ...source, irregular: [] }));
    const written = sealed.flatMap(({ counts }) => counts).reduce((sum, each) => sum + each, 0);
    await manifest.commit({ ...record, events: written, sources: sealed }, []);
  });
}

/** Events of one rotation, as tables of an attached database in memory. */
export interface DrawnEvents {
  readonly connection: DuckDBConnection;
  readonly alias: string;
  /** From 1 on. */
  readonly number: number;
  readonly layouts: readonly TableLayout[];
}

/** Draws events of the benchmark's generator, and gives those of each rotation to `store`. */
export async function drawEvents(
  events: number,
  nowMicros: number,
  store: (drawn: DrawnEvents) => Promise<void>,
): Promise<void> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  try {
    const pools = await makePools(connection, Math.min(poolEventsMax, events));
    const files = Math.ceil(events / eventsPerFile);
    const spanMicros = Math.floor((daysSpread * dayMicros) / files);
    for (let number = 1; number <= files; number++) {
      const count = Math.min(eventsPerFile, events - (number - 1) * eventsPerFile);
      const fromMicros = nowMicros - (files - number + 1) * spanMicros;
      const alias = `drawn_${number}`;
      await connection.run(`ATTACH ':memory:' AS ${alias}`);
      for (const pool of pools) await draw(connection, pool, alias, { count, number, fromMicros, spanMicros });
      await store({ connection, alias, number, layouts: pools.map(({ layout }) => layout) });
      await connection.run(`DETACH ${alias}`);
    }
  } finally {
    connection.closeSync();
  }
}

interface Pool {
  readonly source: Source;
  readonly layout: TableLayout;
  readonly share: number;
  readonly events: number;
}

/** Creates an in-memory table of events per source, and the projects with the start of their share. */
async function makePools(connection: DuckDBConnection, poolEvents: number): Promise<readonly Pool[]> {
  const random = new SeededRandom('bench');
  const shares = streams.reduce((sum, [, share]) => sum + share, 0);
  const rows = projects.map((project, rank) => `(${quoteText(project)}, ${projectShares[rank - 1] ?? 0}::DOUBLE)`);
  await connection.run(`CREATE TABLE projects AS FROM (VALUES ${rows.join(', ')}) AS p(name, begins)`);
  const pools: Pool[] = [];
  for (const [name, share, maker] of streams) {
    const source = builtinSources.find((each) => each.name === name);
    if (source === undefined) throw new Error(`no source ${name}`);
    const events = Math.ceil((poolEvents * share) / shares);
    const made: StoredEvent[] = [];
    for (let n = 0; n < events; n++) {
      const normalised = normalise(JSON.parse(syntheticEvent(maker, random, anyProject, Date.now() * 1000)), {
        source,
        arrivalMicros: Date.now() * 1000,
        defaultProject: null,
        projects: null,
        eventBytesMax: 2 ** 20,
        oldestMicros: () => null,
        terms: eventTerms,
        randomness: systemRandomness,
      });
      if (normalised.kind !== 'event') throw new Error(`a made-up event was rejected: ${normalised.message}`);
      made.push(normalised.event);
    }
    const layout = tableLayout(source);
    await fill(connection, layout, made);
    pools.push({ source, layout, share: share / shares, events });
  }
  return pools;
}

async function fill(connection: DuckDBConnection, layout: TableLayout, events: readonly StoredEvent[]): Promise<void> {
  await connection.run(createTableSql('memory', layout, 'active'));
  const batch = new BatchReader(layout, encodeBatch(layout, events));
  const appender = await connection.createAppender(layout.table, 'main', 'memory');
  for (const chunk of batch.chunks(1)) appender.appendDataChunk(chunk);
  appender.closeSync();
}

interface Drawing {
  readonly count: number;
  readonly number: number;
  readonly fromMicros: number;
  readonly spanMicros: number;
}

/** Draws a segment's share of events from a pool; the same numbers draw the same events. */
async function draw(connection: DuckDBConnection, pool: Pool, alias: string, drawing: Drawing): Promise<void> {
  const { layout, share, events } = pool;
  const { count, number, fromMicros, spanMicros } = drawing;
  const chance = (what: string, below: number) => `hash(n, ${number}, '${layout.table} ${what}') % ${below}`;
  const values = layout.columns.map(({ name, type }) => {
    if (name === 'id') return `md5(concat(n, ' ${number} ${layout.table}'))`;
    if (name === 'timestamp')
      return `make_timestamp(${fromMicros} + (${chance('time', spanMicros)})::BIGINT) AS "timestamp"`;
    if (name === 'project') return 'p.name';
    return type === 'VARCHAR' ? `replace(e."${name}", '${anyProject}', p.name)` : `e."${name}"`;
  });
  await connection.run(createTableSql(alias, layout, 'active'));
  await connection.run(
    `INSERT INTO ${alias}.main."${layout.table}" SELECT drawn.*, ${number * 1_000_000_000} + row_number() OVER (ORDER BY "timestamp")
     FROM (SELECT ${values.join(', ')}
     FROM (SELECT n, ${chance('event', events)} AS pick, (${chance('project', 1_000_000_007)}) / 1000000007 AS at
           FROM range(${Math.round(count * share)}) AS r(n)) AS d
     ASOF JOIN projects AS p ON d.at >= p.begins
     JOIN memory.main."${layout.table}" AS e ON e.rowid = d.pick) AS drawn`,
  );
}
