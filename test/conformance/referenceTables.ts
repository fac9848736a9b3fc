import { readFileSync } from 'node:fs';

/** Of the log tables' nested members: STRING, INT64, FLOAT64 or a record. */
export type Notation = 's' | 'i' | 'f' | { readonly [member: string]: Notation };
export type Shape = Readonly<Record<string, Notation>>;
type LogRow = { id: string; timestamp: string; event_message: string; metadata: Record<string, unknown> };

export interface LogTables {
  readonly tables: Readonly<Record<string, readonly LogRow[]>>;
  readonly shape: Readonly<Record<string, Shape>>;
}

const read = (name: string): string => readFileSync(new URL(`./data/${name}`, import.meta.url), 'utf8');

export const logTables = JSON.parse(read('tables.json')) as LogTables;

/** WITH entries of typed tables that mean the same to the evaluator and to us. */
export const typedTables = read('typedTables.sql').trim();

/** A query over the typed tables and the log tables, as the reference evaluator can run it: it has no tables of its own. */
export function referenceQuery(sql: string): string {
  const logs = Object.entries(logTables.shape).map(([name, shape]) => {
    const rows = (logTables.tables[name] ?? []).map(
      (row) =>
        `struct('${row.id}' as id, timestamp '${row.timestamp}+00' as timestamp, ${literal('s', row.event_message)} as event_message, ${literal(shape, row.metadata)} as metadata)`,
    );
    return `${name} as (select * from unnest([${rows.join(', ')}]))`;
  });
  return `with ${[...logs, typedTables].join(',\n')} (${sql.replace(/;\s*$/, '')}\n)`;
}

/** A record is an array of one struct there, a missing one an empty array. */
function literal(shape: Notation, value: unknown): string {
  const type = typeOf(shape);
  if (typeof shape === 'object') {
    if (value === undefined || value === null) return `${type}[]`;
    const members = Object.entries(shape).map(([name, member]) => literal(member, (value as Shape)[name]));
    return `${type}[struct(${members.join(', ')})]`;
  }
  if (value === undefined || value === null) return `cast(null as ${type})`;
  return shape === 's' ? JSON.stringify(value) : `cast('${String(value)}' as ${type})`;
}

function typeOf(shape: Notation): string {
  if (shape === 's') return 'string';
  if (shape === 'i') return 'int64';
  if (shape === 'f') return 'float64';
  const members = Object.entries(shape).map(([name, member]) => `\`${name}\` ${typeOf(member)}`);
  return `array<struct<${members.join(', ')}>>`;
}
