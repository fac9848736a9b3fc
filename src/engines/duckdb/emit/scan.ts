import type { ScanRead } from '../../../googlesql/plan/attachScans.ts';
import type { ScanRelation } from '../../../googlesql/resolve/tree.ts';
import { isValueMember } from '../../../redact/namedValues.ts';
import { arrivalColumn } from '../files/tableLayout.ts';
import { type Block, Emission, type ScanSource } from './emission.ts';
import { onlyElement, readMember } from './jsonRead.ts';
import { redactedJson, redactedText } from './redactedRead.ts';
import { byRow } from './rowByRow.ts';

const storedTypes = {
  id: 'VARCHAR',
  timestamp: 'TIMESTAMP',
  event_message: 'VARCHAR',
  metadata: 'VARCHAR',
  project: 'VARCHAR',
} as const;

const hotTypes = { string: 'VARCHAR', int64: 'BIGINT', float64: 'DOUBLE', presence: 'BOOLEAN' } as const;

/**
 * Reads the events of a source from every chosen file, and only the columns that the query needs. With redaction, only
 * redacted values, times, projects, numbers and booleans leave a scan.
 */
export function emitScan(scan: ScanRelation, emission: Emission): Block {
  const source = emission.scans.get(scan.columns.timestamp);
  if (source === undefined) throw new Error(`no files were chosen for ${scan.source.name}`);
  const stored = new Map<string, string>();
  const items: string[] = [];
  const alias = emission.newAlias();
  for (const [name, column] of Object.entries(scan.columns)) {
    if (!emission.used.has(column)) continue;
    stored.set(name, storedTypes[name as keyof typeof storedTypes]);
    items.push(`${columnSql(name as keyof typeof storedTypes, source)} AS ${Emission.columnAlias(column)}`);
    const given = `${alias}.${Emission.columnAlias(column)}`;
    if (name === 'metadata' && source.redactionTag === null) emission.setText(column, given);
    else emission.setName(column, given);
  }
  for (const read of source.reads) {
    if (!emission.used.has(read.column)) continue;
    items.push(`${readSql(read, source, stored)} AS ${Emission.columnAlias(read.column)}`);
    emission.setName(read.column, `${alias}.${Emission.columnAlias(read.column)}`);
  }
  const { arrival, databases, redactionTag } = source;
  if (arrival !== null && emission.used.has(arrival)) {
    stored.set(arrivalColumn, 'BIGINT');
    items.push(`${quoteName(arrivalColumn)} AS ${Emission.columnAlias(arrival)}`);
    emission.setName(arrival, `${alias}.${Emission.columnAlias(arrival)}`);
  }
  const before = emission.stored.get(scan.columns.timestamp) ?? [];
  emission.stored.set(scan.columns.timestamp, new Set([...before, ...stored.keys()]));
  const list = items.length === 0 ? '1 AS one' : items.join(', ');
  // Renamed columns, and expressions over a single file, need no SELECT around those of the files.
  const isPlain = !emission.isByRow && (items.every((item) => plainItem.test(item)) || databases.length === 1);
  if (databases.length > 0 && redactionTag === null && isPlain) {
    return { from: `(${selectOfFiles(scan, source, items)}) AS ${alias}`, where: [] };
  }
  return { from: `(SELECT ${list} FROM ${emitFiles(scan, source, stored, emission)}) AS ${alias}`, where: [] };
}

const plainItem = /^"(?:[^"]|"")*" AS \w+$/;

function columnSql(name: keyof typeof storedTypes, { redactionTag }: ScanSource): string {
  if (name === 'metadata' && redactionTag !== null) return redactedJson(name, [name], 'JSON', redactionTag);
  const mayBePersonal = name === 'id' || name === 'event_message';
  return redactionTag !== null && mayBePersonal ? redactedText(name, [name], redactionTag) : quoteName(name);
}

function readSql(read: ScanRead, source: ScanSource, stored: Map<string, string>): string {
  const tag = source.redactionTag;
  const path = ['metadata', ...read.path];
  if (read.hot !== null) {
    stored.set(read.hot.column, hotTypes[read.hot.kind]);
    const sql = quoteName(read.hot.column);
    // A number whose member is personal is not read from its typed column (emitStatement.ts).
    return tag === null || read.hot.kind !== 'string' ? sql : redactedText(sql, path, tag);
  }
  stored.set('metadata', storedTypes.metadata);
  const passesArrays = read.path.some((_, i) => i > 0 && source.mayHoldArrays(read.path.slice(0, i)));
  if (tag === null) return readMember('metadata', read.path, read.wanted, passesArrays);
  // The redactor needs the name next to a value, so it redacts the object that holds both, and the value is read from
  // the result.
  const value = read.path.findIndex(isValueMember);
  if (value < 0) return redactedJson(readMember('metadata', read.path, 'JSON', passesArrays), path, read.wanted, tag);
  const object = readMember('metadata', read.path.slice(0, value), 'JSON', passesArrays);
  const shown = onlyElement(redactedJson(object, path.slice(0, value + 1), 'JSON', tag));
  return readMember(shown, read.path.slice(value), read.wanted, passesArrays);
}

function emitFiles(
  scan: ScanRelation,
  source: ScanSource,
  stored: ReadonlyMap<string, string>,
  { isByRow }: Emission,
): string {
  const columns = [...stored.keys()].map(quoteName);
  if (source.databases.length === 0) {
    const nulls = [...stored].map(([name, type]) => `CAST(NULL AS ${type}) AS ${quoteName(name)}`);
    return `(SELECT ${nulls.length === 0 ? '1 AS one' : nulls.join(', ')} WHERE FALSE)`;
  }
  const files = `(${selectOfFiles(scan, source, columns)})`;
  if (!isByRow || columns.length === 0) return files;
  const items = [...stored].map(([name, type]) => {
    const column = quoteName(name);
    return type === 'VARCHAR' ? `${byRow(column)} AS ${column}` : column;
  });
  return `(SELECT ${items.join(', ')} FROM ${files})`;
}

/**
 * The selected events of every file. Each SELECT has the form that the isolation check expects
 * (process/isolation/isolationCheck.ts).
 */
function selectOfFiles(scan: ScanRelation, source: ScanSource, items: readonly string[]): string {
  const arms = source.databases.map((database) => {
    const list = items.length === 0 ? '1 AS one' : items.map((item) => ofFile(item, database, source)).join(', ');
    const conditions = [...source.conditions, ...(source.conditionsOf.get(database) ?? [])];
    const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
    return `SELECT ${list} FROM ${quoteName(database)}.${quoteName(scan.source.name)}${where}`;
  });
  return arms.join(' UNION ALL ');
}

/** Replacement for arrival numbers in a file whose table was written before they existed. */
function ofFile(item: string, database: string, { unnumbered }: ScanSource): string {
  const number = quoteName(arrivalColumn);
  if (!unnumbered.has(database) || !item.startsWith(number)) return item;
  return `CAST(NULL AS BIGINT)${item === number ? ` AS ${number}` : item.slice(number.length)}`;
}

/** Quotes names of files, tables and columns, which are ours, so that none can be a keyword. */
function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
