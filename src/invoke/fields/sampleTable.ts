import { type JsonObject, memberOf } from '../../core/jsonValue.ts';
import { parseTimestamp } from '../../endpoints/parseTimestamp.ts';
import type { CallerTable } from '../../googlesql/callerTables.ts';
import { printIdentifier } from '../../googlesql/syntax/printText.ts';
import type { ColumnOrigins } from '../../redact/createRedactor.ts';
import { MemberTally, type TalliedMember } from './memberTally.ts';
import type { ReadingValues, RowShape, TableReader } from './tableRows.ts';

/** How many rows of a table are read, at most. */
export interface SampleBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
  /** If a table has more rows, its time is divided into this many parts, and rows are read from each. */
  readonly parts: number;
}

export const defaultSampleBounds: SampleBounds = { rowsMax: 2_000, bytesMax: 4 * 2 ** 20, parts: 8 };

/** The time range, microseconds since 1970. */
export interface SampleWindow {
  /** Rows at this time are not in it. */
  readonly afterMicros: number;
  /** Rows at this time are in it. */
  readonly untilMicros: number;
}

/** The years 1 to 9999. */
export const allTime: SampleWindow = { afterMicros: -62_135_596_800_000_000, untilMicros: 253_402_300_799_000_000 };

/** What a table has, by a sample of its rows or by all of them. */
export interface TableSample {
  /** Rows of the table in the window. */
  readonly rows: number;
  readonly rowsRead: number;
  /** Times of the first and last row; null if there is none, or if rows have no time. */
  readonly firstMicros: number | null;
  readonly lastMicros: number | null;
  readonly members: readonly TalliedMember[];
  /** Whether some members were left out because of a limit. */
  readonly hasLeftOut: boolean;
  readonly origins: ColumnOrigins;
}

/**
 * Reads rows of a table and collects their members. If the table has a column `timestamp`, a sample is spread over time,
 * and each of its rows stands for those of its part of the time. Reads only the columns of `isRead`, and the time.
 */
export async function sampleTable(
  table: CallerTable,
  { window, isRead = () => true }: SampledPart,
  reader: Pick<TableReader, 'read' | 'shape' | 'takeIfOver'>,
  bounds: SampleBounds = defaultSampleBounds,
): Promise<TableSample> {
  const name = printIdentifier({ name: table.name, quoted: true });
  const isTimed = hasTime(table);
  const from = `from ${name}${isTimed ? ' where timestamp > @_after and timestamp <= @_until' : ''}`;
  const select = `select ${selectList(table, isRead)} ${from}`;
  const values = { _after: window.afterMicros, _until: window.untilMicros, _first: 0, _width: 1 };
  const { rowsMax, bytesMax } = bounds;
  const collected = new CollectedRows(await reader.shape(select), isTimed, reader);
  const times = isTimed ? ', unix_micros(min(timestamp)) as earliest, unix_micros(max(timestamp)) as latest' : '';
  const [counted] = (await reader.read(`select count(*) as n${times} ${from}`, values, { ...oneRow, isOwn: true }))
    .rows;
  const rows = numberOf(counted, 'n') ?? 0;
  if (rows <= rowsMax) {
    const all = await reader.read(select, values, { rowsMax, bytesMax, isOwn: true, onlyAll: true });
    if (!all.hasMore) {
      await collected.add(all.rows, 1);
      return collected.sample(all.rows.length);
    }
  }
  const [first, last] = [numberOf(counted, 'earliest'), numberOf(counted, 'latest')];
  const parts =
    first === null || last === null
      ? [{ values, rows, rowsMax }]
      : await partsOf(from, { ...values, _after: first - 1, _until: last, _first: first }, reader, bounds);
  for (const part of parts) {
    const limits = { rowsMax: part.rowsMax, bytesMax: Math.ceil(bytesMax / parts.length), isOwn: true };
    const read = await reader.read(select, part.values, limits);
    await collected.add(read.rows, part.rows / read.rows.length);
  }
  return { ...(await collected.sample(rows)), firstMicros: first, lastMicros: last };
}

/** The part of a table that is read. */
export interface SampledPart {
  readonly window: SampleWindow;
  /** Whether a column is read. Default: all are. */
  readonly isRead?: (column: string) => boolean;
}

/** All columns if none would be read, or if a column has no name or shares its name, because then SQL cannot name it. */
function selectList({ columns }: CallerTable, isRead: (column: string) => boolean): string {
  const kept = columns.filter(({ name }) => isRead(name) || isTimestamp(name));
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  if (kept.length === 0 || names.size < columns.length || names.has('')) return '*';
  return kept.map(({ name }) => printIdentifier({ name, quoted: true })).join(', ');
}

/** The members of the rows that were read so far. */
class CollectedRows {
  readonly #tally: MemberTally;
  readonly #origins: ColumnOrigins;
  readonly #timestamp: string | undefined;
  readonly #reader: Pick<TableReader, 'takeIfOver'>;
  #rowsRead = 0;
  #first: number | null = null;
  #last: number | null = null;

  constructor({ query, origins }: RowShape, isTimed: boolean, reader: Pick<TableReader, 'takeIfOver'>) {
    const columns = query.columns.map((column) => column.name);
    this.#tally = new MemberTally(columns);
    this.#origins = origins;
    this.#timestamp = isTimed ? columns.find(isTimestamp) : undefined;
    this.#reader = reader;
  }

  async add(rows: readonly JsonObject[], weight: number): Promise<void> {
    for (const row of rows) {
      const micros = this.#timestamp === undefined ? null : timeOf(row, this.#timestamp);
      if (micros !== null) {
        this.#first = Math.min(this.#first ?? micros, micros);
        this.#last = Math.max(this.#last ?? micros, micros);
      }
      this.#tally.add(row, weight, micros);
      await this.#reader.takeIfOver();
    }
    this.#rowsRead += rows.length;
  }

  async sample(rows: number): Promise<TableSample> {
    const members: TalliedMember[] = [];
    for (const member of this.#tally.members()) {
      members.push(member);
      await this.#reader.takeIfOver();
    }
    return {
      rows,
      rowsRead: this.#rowsRead,
      firstMicros: this.#first,
      lastMicros: this.#last,
      members,
      hasLeftOut: this.#tally.hasLeftOut,
      origins: this.#origins,
    };
  }
}

interface Part {
  readonly values: ReadingValues;
  /** Rows in the part. */
  readonly rows: number;
  /** Rows to read. */
  readonly rowsMax: number;
}

const oneRow = { rowsMax: 1, bytesMax: 4096 };

/** Divides the time from the first to the last row evenly, and leaves out parts without rows. */
async function partsOf(
  from: string,
  values: ReadingValues,
  reader: Pick<TableReader, 'read'>,
  { parts, rowsMax }: SampleBounds,
): Promise<readonly Part[]> {
  const { _first: first, _until: last } = values;
  const width = Math.ceil((last - first + 1) / parts);
  const part = 'div(unix_micros(timestamp) - @_first, @_width)';
  const sql = `select ${part} as part, count(*) as n ${from} group by part order by part`;
  const limits = { rowsMax: parts, bytesMax: 64 * 1024, isOwn: true };
  const read = await reader.read(sql, { ...values, _width: width }, limits);
  const each = Math.ceil(rowsMax / Math.max(1, read.rows.length));
  return read.rows.map((row) => {
    const start = first + (numberOf(row, 'part') ?? 0) * width;
    const end = Math.min(last, start + width - 1);
    return { values: { ...values, _after: start - 1, _until: end }, rows: numberOf(row, 'n') ?? 0, rowsMax: each };
  });
}

const isTimestamp = (name: string): boolean => name.toLowerCase() === 'timestamp';

/** Whether `timestamp` means one column, a TIMESTAMP. */
function hasTime({ columns }: CallerTable): boolean {
  const [only, ...others] = columns.filter(({ name }) => isTimestamp(name));
  return only?.type.kind === 'TIMESTAMP' && others.length === 0;
}

function numberOf(row: JsonObject | undefined, column: string): number | null {
  const value = row === undefined ? undefined : memberOf(row, column);
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
}

function timeOf(row: JsonObject, column: string): number | null {
  const value = memberOf(row, column);
  return typeof value === 'string' ? (parseTimestamp(value) ?? null) : null;
}
