import { hotColumnsOf, membersOf } from '../../../sources/existingMembers.ts';
import type { ExistingColumn, ExistingTable } from '../../../sources/existingTable.ts';
import { pathKey, type Source } from '../../../sources/source.ts';
import { unreadableKey } from '../emit/readableJson.ts';
import { quoteIdentifier, quoteText, timestampLiteral } from '../sqlText.ts';
import { onCluster } from '../tables/createTable.ts';
import { arrivalColumn, hotCountColumn, irregularColumn, readTable, type TablePlace } from '../tables/tableLayout.ts';
import { typeName } from './columnTypes.ts';

/** The row of the table, so that no name of an output takes the place of a column. */
const row = 'existing_row';
const columnSql = (name: string): string => `${row}.${quoteIdentifier(name)}`;

/**
 * The statement that makes the view through which a source reads a table of others. The view has the columns of our own
 * tables (tableLayout.ts), so that queries, their checks and their filters are the same for both.
 */
export function createViewStatement(source: Source & { readonly existing: ExistingTable }, place: TablePlace): string {
  const { existing } = source;
  const { database, table, time, project, message } = existing;
  const from = `${quoteIdentifier(database)}.${quoteIdentifier(table)}`;
  const engine = existing.isFinal ? ' FINAL' : '';
  const projectText = textOf(columnOf(existing, project));
  const items: readonly (readonly [sql: string, name: string])[] = [
    [idSql(existing), 'id'],
    [`toDateTime64(${columnSql(time)}, 6, 'UTC')`, 'timestamp'],
    [projectText, 'project'],
    [`toValidUTF8(${textOf(columnOf(existing, message))})`, 'event_message'],
    [metadataSql(existing), 'metadata'],
    ...hotItems(existing),
    [irregularSql(existing), irregularColumn],
    [`toUInt16(${source.hotColumns.length})`, hotCountColumn],
    [`toInt64(bitShiftRight(sipHash64(${identity(existing)}), 11))`, arrivalColumn],
  ];
  return [
    `CREATE OR REPLACE VIEW ${readTable(place, source.name)}${onCluster(place)} AS`,
    `SELECT ${items.map(([sql, name]) => `${sql} AS ${quoteIdentifier(name)}`).join(',\n  ')}`,
    `FROM ${from} AS ${row}${engine}`,
    // An event has a project, and names that differ only in bytes that are no text must not become one.
    `WHERE ${projectText} != '' AND isValidUTF8(${projectText})`,
  ].join('\n');
}

/** Conditions on the table itself, so that its own indexes serve them; empty if every row may be read. */
export function existingConditions(
  existing: ExistingTable,
  projects: readonly string[] | null,
  { fromMicros, toMicros }: TimeBounds,
): readonly string[] {
  const time = quoteIdentifier(existing.time);
  return [
    ...(projects === null ? [] : [ofProjects(existing, projects)]),
    ...timeCondition(`${time} >=`, fromMicros, -secondMicros),
    ...timeCondition(`${time} <=`, toMicros, secondMicros),
  ];
}

export interface TimeBounds {
  readonly fromMicros: bigint | number | null;
  readonly toMicros: bigint | number | null;
}

const secondMicros = 1_000_000n;
/** Every precision of a time can be compared with those in between. */
const comparableMicros = 9_000_000_000_000_000n;

/** A second wider than the bound, which the statement itself has exactly: times may have other digits than ours. */
function timeCondition(compared: string, bound: bigint | number | null, wider: bigint): readonly string[] {
  if (bound === null) return [];
  const micros = BigInt(bound) + wider;
  if (micros > comparableMicros || micros < -comparableMicros) return [];
  return [`${compared} ${timestampLiteral(micros)}`];
}

/** TRUE for exactly the rows of these projects. */
function ofProjects(existing: ExistingTable, projects: readonly string[]): string {
  if (projects.length === 0) return '0';
  const column = columnOf(existing, existing.project);
  const name = quoteIdentifier(column.name);
  const text = typeName(column.type) === 'String' ? name : textSql(column, name);
  return `${text} IN (${projects.map(quoteText).join(', ')})`;
}

function columnOf({ columns }: ExistingTable, name: string): ExistingColumn {
  const found = columns.find((column) => column.name === name);
  if (found === undefined) throw new Error(`the column ${name} of an existing table is not known`);
  return found;
}

/** Text that is never NULL. */
const textOf = (column: ExistingColumn): string => textSql(column, columnSql(column.name));

function textSql({ type }: ExistingColumn, sql: string): string {
  const text = typeName(type) === 'FixedString' ? `toStringCutToZero(${sql})` : `CAST(${sql}, 'Nullable(String)')`;
  return `ifNull(${text}, '')`;
}

/** What tells rows apart as far as the declaration says it; without NULL, of which every hash is NULL. */
function identity(existing: ExistingTable): string {
  const { id, time, project, message } = existing;
  const texts = (id === null ? [project, message] : [id]).map((name) => textOf(columnOf(existing, name)));
  return [...(id === null ? [columnSql(time)] : []), ...texts].join(', ');
}

function idSql(existing: ExistingTable): string {
  if (existing.id !== null) return `toValidUTF8(${textOf(columnOf(existing, existing.id))})`;
  return `lower(hex(sipHash128(${identity(existing)})))`;
}

function hotItems(existing: ExistingTable): readonly (readonly [string, string])[] {
  const members = new Map(membersOf(existing).map((member) => [member.name, member]));
  return hotColumnsOf(existing).map(({ column, path }) => {
    const member = members.get(path[0] ?? '');
    if (member !== undefined) return [memberSql(member), column];
    // Members always make an object, which need not be written to know it.
    const isThere = existing.metadata === null ? String(members.size > 0) : `isNotNull(${metadataSql(existing)})`;
    return [`if(${isThere}, CAST(true, 'Nullable(Bool)'), NULL)`, column];
  });
}

/** The value of a member in its typed column, as `HotColumn` requires it. */
function memberSql({ name, type, kind }: ExistingColumn): string {
  const sql = columnSql(name);
  switch (kind) {
    case 'int64':
      return typeName(type) === 'UInt64' ? `accurateCastOrNull(${sql}, 'Int64')` : `CAST(${sql}, 'Nullable(Int64)')`;
    case 'float64': {
      // JSON has neither NaN nor infinities, and one zero.
      const float = `CAST(${sql}, 'Nullable(Float64)')`;
      return `if(ifNull(isFinite(${float}), false), ${float} + 0., NULL)`;
    }
    case 'string':
      return memberText(typeName(type), sql);
    case null:
      return sql;
  }
}

function memberText(type: string, sql: string): string {
  if (type === 'FixedString') return `toValidUTF8(toStringCutToZero(${sql}))`;
  if (type === 'String') return `toValidUTF8(CAST(${sql}, 'Nullable(String)'))`;
  if (type === 'DateTime' || type === 'DateTime64')
    return `replaceOne(concat(toString(toDateTime64(${sql}, 6, 'UTC')), 'Z'), ' ', 'T')`;
  return `CAST(${sql}, 'Nullable(String)')`;
}

/** The path of a member whose typed column does not say what its JSON says, if the row is one of those; otherwise ''. */
function irregularMember({ name, type, kind }: ExistingColumn): readonly string[] {
  const sql = columnSql(name);
  const beyond =
    typeName(type) === 'UInt64'
      ? `${sql} > 9223372036854775807`
      : kind === 'float64'
        ? `isFinite(${sql}) AND abs(${sql}) > 9007199254740991`
        : null;
  return beyond === null ? [] : [`if(ifNull(${beyond}, false), ${quoteText(pathKey([name]))}, '')`];
}

function irregularSql(existing: ExistingTable): string {
  const found = membersOf(existing).flatMap(irregularMember);
  // A Map may hold a name twice, and ClickHouse reads the first of them, so queries read members from JSON in DuckDB.
  const all = [quoteText(unreadableKey), ...found].join(', ');
  return `CAST(arrayFilter(key -> key != '', [${all}]), 'Array(LowCardinality(String))')`;
}

function metadataSql(existing: ExistingTable): string {
  const sql = existing.metadata === null ? membersJson(existing) : columnJson(columnOf(existing, existing.metadata));
  return `CAST(${sql}, 'Nullable(String)')`;
}

function membersJson(existing: ExistingTable): string {
  const members = membersOf(existing);
  if (members.length === 0) return 'NULL';
  const values = members.map((member) =>
    typeName(member.type) === 'UInt64' ? columnSql(member.name) : memberSql(member),
  );
  const types = members.map(({ name, type, kind }) => `${quoteIdentifier(name)} ${jsonType(type, kind)}`);
  return `toValidUTF8(toJSONString(CAST(tuple(${values.join(', ')}), ${quoteText(`Tuple(${types.join(', ')})`)})))`;
}

function jsonType(type: string, kind: ExistingColumn['kind']): string {
  if (typeName(type) === 'UInt64') return 'Nullable(UInt64)';
  return kind === 'int64'
    ? 'Nullable(Int64)'
    : kind === 'float64'
      ? 'Nullable(Float64)'
      : kind === 'string'
        ? 'Nullable(String)'
        : type;
}

/** A text that is no JSON object is not shown, because redaction knows personal members by their names. */
const unreadable = quoteText('{"unreadable":true}');

function columnJson({ name, type }: ExistingColumn): string {
  const sql = columnSql(name);
  if (typeName(type) === 'JSON') return `toValidUTF8(toJSONString(${sql}))`;
  const text = `ifNull(CAST(${sql}, 'Nullable(String)'), '')`;
  return `multiIf(${text} = '', NULL, isValidJSON(${text}) AND JSONType(${text}) = 'Object', toValidUTF8(${text}), ${unreadable})`;
}
