import { ServiceError } from '../../../core/errors.ts';
import { nearestName } from '../../../core/nearestName.ts';
import type { ExistingTable, TableChoice } from '../../../sources/existingTable.ts';
import type { ClickHouseServers } from '../connection/clickhouseServers.ts';
import { meaningSettings } from '../connection/readSettings.ts';
import { refusedStatement } from '../connection/refusal.ts';
import { textWithin } from '../connection/textWithin.ts';
import { quoteIdentifier, quoteText } from '../sqlText.ts';
import type { TablePlace } from '../tables/tableLayout.ts';
import { isJsonType, isNameType, isTextType, isTimeType, memberKind } from './columnTypes.ts';

export interface DescribeTableOptions {
  /** Makes the view of the table. */
  readonly writer: ClickHouseServers;
  /** Runs queries over it. */
  readonly reader: ClickHouseServers;
  readonly place: TablePlace;
  readonly shardCount: number;
  readonly timeoutMs: number;
}

/** More would make the statement of the view too long. */
const columnsMax = 1_000;

/** Databases whose tables tell of other users of the server. */
const systemDatabases: ReadonlySet<string> = new Set(['system', 'information_schema', 'INFORMATION_SCHEMA']);

/** See `EngineCapabilities.describeTable`. */
export async function describeTable(
  choice: TableChoice,
  { writer, reader, place, shardCount, timeoutMs }: DescribeTableOptions,
): Promise<ExistingTable> {
  const { database, table } = choice;
  if (database === place.database) {
    throw refused(choice, `the tables of the database ${database} are Logmill's own, and sources already`);
  }
  if (systemDatabases.has(database)) throw refused(choice, `tables of the database ${database} cannot be a source`);
  const rows = async (statement: string) => await rowsOf(writer, statement, timeoutMs);
  const where = (name: string) => `database = ${quoteText(database)} AND ${name} = ${quoteText(table)}`;
  const [found] = await rows(`SELECT engine FROM system.tables WHERE ${where('name')}`);
  const engine = found?.[0] ?? '';
  if (engine === '') {
    throw refused(
      choice,
      `there is no such table, or the ClickHouse user ${writer.userName} has no right to SELECT from it`,
    );
  }
  const kind = /^(Replicated|Shared)?(Replacing)?MergeTree$/.exec(engine);
  if (kind === null) {
    throw refused(choice, `its engine is ${engine}; a source reads MergeTree and ReplacingMergeTree, also replicated`);
  }
  if (place.cluster !== null && (shardCount > 1 || kind[1] === undefined)) {
    throw refused(choice, 'on a cluster, a source reads only a replicated table, and only if there is one shard');
  }
  // An EPHEMERAL column has no value to read.
  const listed = await rows(
    `SELECT name, type FROM system.columns WHERE ${where('table')} AND default_kind != 'EPHEMERAL' ORDER BY position`,
  );
  const columns = listed.map(([name = '', type = '']) => ({ name, type, kind: memberKind(type) }));
  if (columns.length > columnsMax) throw refused(choice, `it has more than ${columnsMax} columns`);
  requireColumns(choice, columns);
  const used = new Set([choice.time, choice.project, choice.message, choice.id, choice.metadata]);
  const read = choice.metadata === null ? columns : columns.filter(({ name }) => used.has(name));
  const names = read.map(({ name }) => quoteIdentifier(name)).join(', ');
  const probe = `SELECT ${names} FROM ${quoteIdentifier(database)}.${quoteIdentifier(table)} WHERE 0`;
  // Without this, a missing right would show only at the first query.
  for (const servers of [writer, reader]) await rowsOf(servers, probe, timeoutMs);
  return { ...choice, columns: read, isFinal: kind[2] !== undefined };
}

const wanted = {
  time: { isFit: isTimeType, types: 'DateTime or DateTime64' },
  project: { isFit: isNameType, types: 'String, UUID, an integer or an Enum' },
  message: { isFit: isTextType, types: 'String' },
  id: { isFit: isNameType, types: 'String, UUID, an integer or an Enum' },
  metadata: { isFit: isJsonType, types: 'JSON or String' },
} as const;

function requireColumns(
  choice: TableChoice,
  columns: readonly { readonly name: string; readonly type: string }[],
): void {
  const names = columns.map(({ name }) => name);
  for (const part of ['time', 'project', 'message', 'id', 'metadata'] as const) {
    const name = choice[part];
    if (name === null) continue;
    const column = columns.find((each) => each.name === name);
    if (column === undefined) {
      const nearest = nearestName(name, names);
      const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      throw invalid(part, name, `The table ${choice.database}.${choice.table} has no column ${name}.${hint}`, names);
    }
    const { isFit, types } = wanted[part];
    if (isFit(column.type)) continue;
    throw invalid(part, name, `The column ${name} is ${column.type}; the column of ${part} must be ${types}.`);
  }
}

async function rowsOf(
  servers: ClickHouseServers,
  statement: string,
  timeoutMs: number,
): Promise<readonly (readonly string[])[]> {
  const settings = { ...meaningSettings, readonly: 1, max_execution_time: timeoutMs / 1000 };
  try {
    const text = await servers.ask(
      async (server) =>
        await textWithin(server, { statement: `${statement} FORMAT JSONCompactEachRow`, settings }, timeoutMs),
    );
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as readonly string[]);
  } catch (cause) {
    throw refusedStatement(cause, servers.userName, () => notDescribed(cause));
  }
}

const notDescribed = (cause: unknown): ServiceError =>
  new ServiceError('engine.restarting', 'ClickHouse did not describe the table. Try again in a few seconds.', {
    retryAfterSeconds: 5,
    cause,
  });

function refused({ database, table }: TableChoice, why: string): ServiceError {
  return invalid('name', `${database}.${table}`, `The table ${database}.${table} cannot be a source: ${why}.`);
}

function invalid(part: string, value: string, sentence: string, allowed?: readonly string[]): ServiceError {
  const more = allowed === undefined ? {} : { allowed };
  return new ServiceError('source.invalid', sentence, { errors: [{ parameter: `table.${part}`, value, ...more }] });
}
