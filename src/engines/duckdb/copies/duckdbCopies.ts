import type { Clock } from '../../../core/clock.ts';
import type { ArrivalRange } from '../../../googlesql/plan/scanBounds.ts';
import {
  type DayContents,
  dayMicros,
  type EventCopies,
  type PlacedEvent,
  pageBytesMax,
  pageEventsMax,
  pageIdentitiesMax,
  pagesByNumber,
  type UnnumberedPlace,
} from '../../../ports/eventCopies.ts';
import type { EventFile, EventFiles } from '../files/eventFiles.ts';
import { arrivalColumn, tableInFile } from '../files/tableLayout.ts';
import type { ArrivalNumbers } from '../log/arrivalNumbers.ts';
import type { DuckDbEventLog } from '../log/duckdbEventLog.ts';
import type { EngineRunner, StatementValue } from '../query/statementRunner.ts';
import { VisibleFile } from '../query/visibleFile.ts';

export interface DuckDbCopiesOptions {
  readonly files: EventFiles;
  readonly statements: EngineRunner;
  readonly log: DuckDbEventLog;
  readonly arrivals: ArrivalNumbers;
  /** Names of the sources that have tables. */
  readonly sources: () => readonly string[];
  readonly clock: Clock;
}

const never = new AbortController().signal;

/** Copies events from and to the segments of this engine. Its commits are atomic, so a copy can continue after any event. */
export function duckDbCopies(options: DuckDbCopiesOptions): EventCopies {
  const { files, statements, log, arrivals, sources, clock } = options;

  /** A subquery of the rows of a source within the range; null if no segment can hold any. */
  function rowsOf(
    leased: readonly EventFile[],
    source: string,
    columns: readonly string[],
    { after, to }: ArrivalRange,
    nowMicros: number,
  ): string | null {
    const arms = leased
      .filter((file) => mayHold(file, source, after, to))
      .map((file) => {
        const number = file.numbered(source) === 'none' ? '0' : `coalesce(${arrivalColumn}, 0)`;
        const kept = new VisibleFile(file, files.removals, nowMicros).keptCondition(source, null);
        const conditions = [`${number} > ${after}`, `${number} <= ${to}`, ...(kept === null ? [] : [kept])];
        const list = [`${number} AS number`, ...columns.map((column) => `"${column}"`)];
        return `SELECT ${list.join(', ')} FROM ${tableInFile(file.alias, source)} WHERE ${conditions.join(' AND ')}`;
      });
    return arms.length === 0 ? null : `(${arms.join(' UNION ALL ')})`;
  }

  /** Calls `run` with such a subquery while its segments stay attached; returns `none` if there is none. */
  async function overRows<T>(
    source: string,
    columns: readonly string[],
    range: ArrivalRange,
    nowMicros: number,
    none: T,
    run: (rows: string) => Promise<T>,
  ): Promise<T> {
    const lease = files.lease();
    try {
      const rows = rowsOf(lease.files, source, columns, range, nowMicros);
      return rows === null ? none : await run(rows);
    } finally {
      lease.release();
    }
  }

  const valuesOf = async (sql: string) => await statements.runValues(sql, never);

  async function readPage(
    source: string,
    { after, to }: ArrivalRange,
    from: UnnumberedPlace | null,
  ): Promise<readonly PlacedEvent[]> {
    return await overRows(source, plainNames, { after, to }, clock.nowMicros(), [], async (rows) => {
      const row =
        'json_array(number, epoch_us("timestamp"), id, project, event_message, metadata, CAST(hash AS VARCHAR))';
      const condition = from === null ? '' : ` WHERE number > 0 OR hash >= CAST('${from.hash}' AS UBIGINT)`;
      const known = from?.count ?? 0;
      const rowsMax = pageEventsMax + known;
      const sql = `SELECT CAST(${row} AS VARCHAR) FROM (SELECT *, ${hashOfUnnumbered} AS hash FROM ${rows})${condition} ORDER BY number, hash, id LIMIT ${rowsMax}`;
      for (let bytesMax = pageBytesMax; ; bytesMax *= 2) {
        const found = await statements.runRows(sql, { rowsMax, bytesMax }, never);
        if (found.rowCount > known || !found.cutByBytes) return parsePage(found.rows);
      }
    });
  }

  return {
    get isDamaged() {
      return files.damaged.files.length > 0 || files.damaged.isUnknown;
    },
    end: async () => arrivals.end,
    next: async (after) => {
      const range = { after, to: Number.MAX_SAFE_INTEGER };
      return await extreme('min', sources(), async (source, sql) =>
        overRows(source, [], range, clock.nowMicros(), [], async (rows) => await valuesOf(sql(rows))),
      );
    },
    last: async () => {
      const range = { after: -1, to: Number.MAX_SAFE_INTEGER };
      return await extreme('max', sources(), async (source, sql) =>
        overRows(source, [], range, clock.nowMicros(), [], async (rows) => await valuesOf(sql(rows))),
      );
    },
    read: ({ name }, range, from = null) =>
      pagesByNumber(range, from, async (after, place) => await readPage(name, { ...range, after }, place)),
    unnumbered: async ({ name }) => {
      const range = { after: -1, to: 0 };
      const [last] = await overRows(name, plainNames, range, clock.nowMicros(), [], async (rows) =>
        valuesOf(
          `SELECT CAST(hash AS VARCHAR), count(*) FROM (SELECT ${hashOfUnnumbered} AS hash FROM ${rows}) GROUP BY hash ORDER BY hash DESC LIMIT 1`,
        ),
      );
      return last === undefined ? null : { hash: String(last[0]), count: Number(last[1]) };
    },
    days: async (source, to) =>
      await overRows(source.name, ['timestamp'], { after: -1, to }, clock.nowMicros(), [], async (rows) =>
        (await valuesOf(`SELECT DISTINCT ${dayOf} AS day FROM ${rows} ORDER BY day`)).map(([day]) => Number(day)),
      ),
    contents: async (source, day, to, nowMicros) =>
      await overRows(
        source.name,
        plainNames,
        { after: -1, to },
        nowMicros,
        new Map<string, DayContents>(),
        async (rows) => {
          const within = `"timestamp" >= make_timestamp(${day * dayMicros}) AND "timestamp" < make_timestamp(${(day + 1) * dayMicros})`;
          const found = await valuesOf(
            `SELECT project, count(*), CAST(sum(${hash}) AS VARCHAR) FROM ${rows} WHERE ${within} GROUP BY project`,
          );
          return new Map(
            found.map(([project, events, checksum]) => [
              String(project),
              { events: Number(events), checksum: String(checksum) },
            ]),
          );
        },
      ),
    resume: async () => (arrivals.committed === 0 ? -1 : arrivals.committed),
    write: async (batches) => await log.appendNumbered(batches),
    identities: async function* () {
      const all = log.identities();
      for (let first = 0; first < all.length; first += pageIdentitiesMax)
        yield all.slice(first, first + pageIdentitiesMax);
    },
    remember: async (identities) => await log.rememberStored(identities),
    finish: async (end) => await arrivals.skipTo(end),
  };
}

const plainNames = ['id', 'timestamp', 'project', 'event_message', 'metadata'];
const micros = 'epoch_us("timestamp")';
const dayOf = `(${micros} - ((${micros} % ${dayMicros}) + ${dayMicros}) % ${dayMicros}) // ${dayMicros}`;
/** The text whose hash stands for an event (eventCopies.ts); the same as in clickhouseCopies.ts. */
const hashed = `concat(md5(id), md5(event_message), CASE WHEN metadata IS NULL THEN '-' ELSE md5(metadata) END, CAST(${micros} AS VARCHAR), ' ', CAST(number AS VARCHAR))`;

const hash = `md5_number_lower(${hashed})`;
const hashOfUnnumbered = `CASE WHEN number = 0 THEN ${hash} END`;

function mayHold(file: EventFile, source: string, after: number, to: number): boolean {
  if (!file.hasTable(source)) return false;
  if (file.kind === 'sealed' && file.stats(source, null) === null) return false;
  const numbers = file.arrivals(source);
  // Events without a number count as 0.
  const first = file.numbered(source) === 'all' ? (numbers?.[0] ?? 0) : 0;
  return first <= to && (numbers?.[1] ?? 0) > after;
}

/** The lowest or highest number over all sources; null if there are no events. */
async function extreme(
  which: 'min' | 'max',
  sources: readonly string[],
  ask: (source: string, sql: (rows: string) => string) => Promise<readonly (readonly StatementValue[])[]>,
): Promise<number | null> {
  const found: number[] = [];
  for (const source of sources) {
    const [row] = await ask(source, (rows) => `SELECT ${which}(number) FROM ${rows}`);
    const value = row?.[0] ?? null;
    if (value !== null) found.push(Number(value));
  }
  return found.length === 0 ? null : Math[which](...found);
}

type Page = readonly (readonly [number, number, string, string, string, string | null, string | null])[];

function parsePage(rows: Uint8Array): readonly PlacedEvent[] {
  const page = JSON.parse(`[${Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength).toString()}]`) as Page;
  return page.map(([number, timestampMicros, id, project, eventMessage, metadata, hash]) => ({
    event: { number, timestampMicros, id, project, eventMessage, metadata },
    hash,
  }));
}
