import type { Clock } from '../../../core/clock.ts';
import type { Timer } from '../../../core/timer.ts';
import type { ArrivalRange } from '../../../googlesql/plan/scanBounds.ts';
import type { CommitLedger } from '../../../ports/commitLedger.ts';
import {
  type DayContents,
  dayMicros,
  type EventCopies,
  type PlacedEvent,
  pageBytesMax,
  pageEventsMax,
  pagesByNumber,
  type UnnumberedPlace,
} from '../../../ports/eventCopies.ts';
import type { ClickHouseServers } from '../connection/clickhouseServers.ts';
import { ClickHouseFailure, unansweredFailure } from '../connection/failure.ts';
import { meaningSettings } from '../connection/readSettings.ts';
import { untilAnswered } from '../connection/untilAnswered.ts';
import type { ClickHouseEventLog } from '../log/clickhouseEventLog.ts';
import type { StoredTables } from '../removal/storedTables.ts';
import { timestampLiteral } from '../sqlText.ts';
import { arrivalColumn, readTable, type TablePlace } from '../tables/tableLayout.ts';
import type { VisibleRows } from '../tables/visibleRows.ts';
import { insertsEnded } from './insertsEnded.ts';

export interface ClickHouseCopiesOptions {
  readonly servers: ClickHouseServers;
  readonly place: TablePlace;
  readonly tables: StoredTables;
  readonly visible: VisibleRows;
  readonly ledger: Pick<CommitLedger, 'state' | 'skip' | 'identities' | 'remember'>;
  /** Reads the ledger again. */
  readonly refresh: () => Promise<unknown>;
  readonly log: ClickHouseEventLog;
  /** Names of the sources that have tables. */
  readonly sources: () => readonly string[];
  readonly clock: Clock;
  readonly timer: Timer;
  /** Time of one statement. Milliseconds. */
  readonly changeMs: number;
  /** How long a statement is repeated that was not answered. Milliseconds. */
  readonly patienceMs: number;
}

/**
 * Copies events from and to the tables in ClickHouse. The ledger skips numbers before events are stored under them, so it
 * gives none of them again, wherever a copy is interrupted. It does not show that a copy is unfinished (sqlEventCopies.ts).
 */
export function clickhouseCopies(options: ClickHouseCopiesOptions): EventCopies {
  const { servers, place, tables, visible, ledger, refresh, log, sources, clock, timer, changeMs, patienceMs } =
    options;
  const settings = {
    ...meaningSettings,
    max_execution_time: changeMs / 1000,
    timeout_overflow_mode: 'throw',
    output_format_json_quote_64bit_integers: 0,
    // The whole answer is ready before its first byte is sent, so that a failure has a status of its own.
    wait_end_of_query: 1,
    // A damaged or lagging shard must fail the statement, not shorten its answer.
    skip_unavailable_shards: 0,
  };

  /** A copy takes hours, and one broken connection must not end it. */
  const again = async <R>(work: () => Promise<R>): Promise<R> =>
    await untilAnswered(work, { timer, withinMs: patienceMs });

  async function* rowsOf<T>(statement: string): AsyncGenerator<readonly T[]> {
    const request = { statement: `${statement} FORMAT JSONCompactEachRow`, settings };
    const { body } = await servers.ask(
      async (server) => await server.send(request, AbortSignal.timeout(changeMs + 5_000)),
    );
    try {
      yield* linesOf<T>(received(body));
    } finally {
      body.destroy();
    }
  }

  async function allRows<T>(statement: string): Promise<readonly T[]> {
    return await again(async () => {
      const rows: T[] = [];
      for await (const some of rowsOf<T>(statement)) for (const row of some) rows.push(row);
      return rows;
    });
  }

  /** Reads a page without pauses, because the server would give up a slow reader. */
  async function readPage(
    source: string,
    { after, to }: ArrivalRange,
    from: UnnumberedPlace | null,
  ): Promise<readonly PlacedEvent[]> {
    await visible.ready();
    const known = from?.count ?? 0;
    const conditions = [
      `(${visible.condition(source, null, clock.nowMicros())})`,
      `${arrivalColumn} > ${after}`,
      `${arrivalColumn} <= ${to}`,
      ...(from === null ? [] : [`(${arrivalColumn} > 0 OR ${hash} >= toUInt64('${from.hash}'))`]),
    ];
    const order = `${arrivalColumn}, ifNull(${hashOfUnnumbered}, 0), id`;
    const columns = `${arrivalColumn}, ${micros}, id, project, event_message, metadata, toString(${hashOfUnnumbered})`;
    const statement = `SELECT ${columns} FROM ${readTable(place, source)} WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT ${pageEventsMax + known}`;
    return await again(async () => {
      const page: PlacedEvent[] = [];
      let bytes = 0;
      for await (const rows of rowsOf<Row>(statement)) {
        for (const row of rows) {
          page.push(eventOf(row));
          bytes += row[4].length + (row[5]?.length ?? 0);
        }
        if (bytes >= pageBytesMax && page.length > known) break;
      }
      return page;
    });
  }

  async function extreme(which: 'min' | 'max', after: number): Promise<number | null> {
    await visible.ready();
    const found: number[] = [];
    for (const source of sources()) {
      const condition = visible.condition(source, null, clock.nowMicros());
      const [row] = await allRows<readonly [number, number]>(
        `SELECT count(), ${which}(${arrivalColumn}) FROM ${readTable(place, source)} WHERE (${condition}) AND ${arrivalColumn} > ${after}`,
      );
      if (row !== undefined && row[0] > 0) found.push(row[1]);
    }
    return found.length === 0 ? null : Math[which](...found);
  }

  /** The highest number of any stored event, visible or not. */
  async function highest(): Promise<number | null> {
    const found: number[] = [];
    for (const source of sources()) {
      const number = await again(async () => await tables.highest(source, arrivalColumn, 0));
      if (number !== null) found.push(number);
    }
    return found.length === 0 ? null : Math.max(...found);
  }

  return {
    isDamaged: false,
    end: async () => (await ledger.state()).end,
    next: async (after) => await extreme('min', after),
    last: highest,
    read: ({ name }, range, from = null) =>
      pagesByNumber(range, from, async (after, place) => await readPage(name, { ...range, after }, place)),
    unnumbered: async ({ name }) => {
      await visible.ready();
      const condition = visible.condition(name, null, clock.nowMicros());
      const [last] = await allRows<readonly [string, number]>(
        `SELECT toString(${hash} AS hash), count() FROM ${readTable(place, name)} WHERE (${condition}) AND ${arrivalColumn} = 0 GROUP BY hash ORDER BY hash DESC LIMIT 1`,
      );
      return last === undefined ? null : { hash: last[0], count: last[1] };
    },
    days: async ({ name }, to) => {
      await visible.ready();
      const condition = visible.condition(name, null, clock.nowMicros());
      const statement = `SELECT DISTINCT ${dayOf} AS day FROM ${readTable(place, name)} WHERE (${condition}) AND ${arrivalColumn} <= ${to} ORDER BY day`;
      return (await allRows<readonly [number]>(statement)).map(([day]) => day);
    },
    contents: async ({ name }, day, to, nowMicros) => {
      await visible.ready();
      const conditions = [
        `(${visible.condition(name, null, nowMicros)})`,
        `${arrivalColumn} <= ${to}`,
        `timestamp >= ${timestampLiteral(day * dayMicros)}`,
        `timestamp < ${timestampLiteral((day + 1) * dayMicros)}`,
      ];
      const statement = `SELECT project, count(), toString(sum(toUInt128(${hash}))) FROM ${readTable(place, name)} WHERE ${conditions.join(' AND ')} GROUP BY project`;
      const rows = await allRows<readonly [string, number, string]>(statement);
      return new Map<string, DayContents>(rows.map(([project, events, checksum]) => [project, { events, checksum }]));
    },
    resume: async (chunk) => {
      const number = await highest();
      if (number === null) return -1;
      await insertsEnded({ servers: servers.all, database: place.database, timer, withinMs: patienceMs });
      // Some sources or shards may still lack their events of the last chunk.
      const first = Math.floor(number / chunk) * chunk;
      for (const source of sources()) {
        await again(async () => await tables.delete(source, `${arrivalColumn} >= ${first}`));
      }
      return first - 1;
    },
    write: async (batches) => {
      const last = Math.max(...batches.map(({ first, events }) => first + events.length - 1));
      await ledger.skip(last);
      await refresh();
      await log.storeNumbered(batches);
    },
    identities: () => ledger.identities(),
    remember: async (identities) => await ledger.remember(identities),
    finish: async (end) => {
      await ledger.skip(end - 1);
      await refresh();
    },
  };
}

const micros = 'toUnixTimestamp64Micro(timestamp)';
const dayOf = `intDiv(${micros} - ((${micros} % ${dayMicros}) + ${dayMicros}) % ${dayMicros}, ${dayMicros})`;
const md5 = (text: string): string => `lower(hex(MD5(${text})))`;
/** The text whose hash stands for an event (eventCopies.ts); the same as in duckdbCopies.ts. */
const hashed = `concat(${md5('id')}, ${md5('event_message')}, if(isNull(metadata), '-', ${md5("ifNull(metadata, '')")}), toString(${micros}), ' ', toString(${arrivalColumn}))`;
/** The number that DuckDB's `md5_number_lower` gives. */
const hash = `reinterpretAsUInt64(substring(MD5(${hashed}), 9, 8))`;

const hashOfUnnumbered = `if(${arrivalColumn} = 0, ${hash}, NULL)`;

type Row = readonly [
  number: number,
  micros: number,
  id: string,
  project: string,
  message: string,
  metadata: string | null,
  hash: string | null,
];

function eventOf([number, timestampMicros, id, project, eventMessage, metadata, hashOfIt]: Row): PlacedEvent {
  return { event: { number, timestampMicros, id, project, eventMessage, metadata }, hash: hashOfIt };
}

const lineFeed = 0x0a;

/** The parts of an answer. Fails with a ClickHouseFailure if the connection breaks. */
async function* received(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw unansweredFailure(error);
  }
}

/** Yields the rows of an answer as its parts arrive. */
async function* linesOf<T>(body: AsyncIterable<Buffer>): AsyncGenerator<readonly T[]> {
  let begun: Buffer[] = [];
  for await (const part of body) {
    const end = part.lastIndexOf(lineFeed);
    if (end < 0) {
      begun.push(part);
      continue;
    }
    const lines = Buffer.concat([...begun, part.subarray(0, end)]).toString();
    begun = end + 1 < part.length ? [part.subarray(end + 1)] : [];
    yield lines.split('\n').map((line) => JSON.parse(line) as T);
  }
  if (begun.length > 0) throw new ClickHouseFailure('damaged', 'an answer ends within a row');
}
