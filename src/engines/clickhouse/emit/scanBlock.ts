import type { ScanRead } from '../../../googlesql/plan/attachScans.ts';
import type { Column } from '../../../googlesql/resolve/tree.ts';
import { type Block, wholeBlock } from './blocks.ts';
import type { Cell, Member } from './cells.ts';
import { readJson } from './jsonRead.ts';
import { attempted } from './notPushed.ts';
import type { ScanContext } from './scanContext.ts';

/** All events of a scan. `reads` are the members of metadata that the query reads, `arrival` their arrival number. */
export function scanBlock(context: ScanContext, reads: readonly ScanRead[], arrival: Column | null): Block {
  const { scan, table } = context;
  const { timestamp, project } = table.columns;
  const cells = new Map<Column, Cell>();
  const time = `toUnixTimestamp64Micro(${timestamp})`;
  cells.set(scan.columns.timestamp, { kind: 'value', sql: time, stored: timestamp, isFinite: false });
  cells.set(scan.columns.project, { kind: 'value', sql: `toString(${project})`, stored: project, isFinite: false });
  for (const name of ['id', 'event_message'] as const)
    cells.set(scan.columns[name], personal(table.columns[name], [name], context));
  cells.set(scan.columns.metadata, { kind: 'json', path: [], context, lift: asIs });
  if (arrival !== null)
    cells.set(arrival, { kind: 'value', sql: table.arrival, stored: table.arrival, isFinite: false });
  for (const read of reads) cells.set(read.column, readCell(read, context));
  return wholeBlock(context, cells);
}

/** Members of the scan itself are SQL of its own columns. */
const asIs = (sql: string): string => sql;

function personal(sql: string, path: readonly string[], { isRedacted }: ScanContext): Cell {
  return isRedacted ? { kind: 'sealed', sql, personal: path } : { kind: 'value', sql, isFinite: false, personal: path };
}

function readCell(read: ScanRead, context: ScanContext): Cell {
  const { path, wanted, hot } = read;
  if (hot !== null) {
    const sql = context.table.hot.get(hot.column);
    if (sql === undefined) throw new Error(`the table of ${context.scan.source.name} has no column ${hot.column}`);
    if (hot.kind === 'string') return personal(sql, ['metadata', ...path], context);
    // JSON has neither NaN nor infinities.
    return { kind: 'value', sql, isFinite: true };
  }
  const member: Member = { path, context, lift: asIs };
  if (wanted === 'JSON') return { kind: 'json', ...member };
  const found = attempted(() => readJson(member, wanted));
  if ('value' in found) return { kind: 'value', sql: found.value, isFinite: true };
  const { metadata } = context.scan.columns;
  const base = { kind: 'column', type: metadata.type, column: metadata } as const;
  const expr = { kind: 'pathRead', type: read.column.type, base, path, wanted } as const;
  return { kind: 'deferred', expr, reason: found.reason, size: 1 };
}
