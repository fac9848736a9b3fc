import { isList, isObject, type Json } from '../api/losslessJson.ts';
import type { Row } from '../api/rowsProtocol.ts';
import type { Meta } from '../api/types.ts';
import { lqlPath } from '../lql/clauses.ts';
import type { Fields } from '../query/useFields.ts';

/** What a table holds, as its newest rows and the fields of the service show it. */
export interface TableShape {
  readonly columns: Meta['columns'];
  /** Whether it has the columns of log rows: id, timestamp, event_message. */
  readonly isLog: boolean;
  /** Paths of scalar members, as LQL writes them, in the order in which they were found. */
  readonly paths: readonly string[];
  readonly level: string | null;
  readonly status: string | null;
}

const statusNames = /(^|\.)(status_code|statusCode|status)$/;
const levelNames = /(^|\.)(level|error_severity|severity|severity_text)$/;

/** Reads the shape of a table from some of its rows. */
export function shapeOf(columns: Meta['columns'], rows: readonly Row[]): TableShape {
  const names = new Set(columns.map(({ name }) => name));
  const paths = new Map<string, Json>();
  for (const row of rows) for (const [name, value] of Object.entries(row)) collect([name], value, paths);
  const found = [...paths.keys()].sort(byDepth);
  return {
    columns,
    isLog: ['id', 'timestamp', 'event_message'].every((name) => names.has(name)),
    paths: [...paths.keys()].sort(),
    status: found.find((path) => statusNames.test(path) && Number.isInteger(Number(paths.get(path)))) ?? null,
    level: found.find((path) => levelNames.test(path) && typeof paths.get(path) === 'string') ?? null,
  };
}

type Field = Pick<Fields['result'][number], 'table' | 'path' | 'types'>;

/** Types without a value that a filter could have. */
const nested = new Set(['OBJECT', 'ARRAY', 'NULL', 'JSON']);

/** The shape with the paths of fields of the table too: they are of rows of its whole time, not only of the newest. */
export function withFields(shape: TableShape, fields: readonly Field[], table: string): TableShape {
  const more = fields.flatMap(({ table: of, path, types }) => {
    if (of !== table || types.every((type) => nested.has(type))) return [];
    // Null for elements of arrays and parts in backticks, which LQL cannot write.
    return lqlPath(path.slice(of.length + 1).split('.')) ?? [];
  });
  return { ...shape, paths: [...new Set([...shape.paths, ...more])].sort() };
}

const byDepth = (a: string, b: string): number => a.split('.').length - b.split('.').length;

const depthMax = 8;
const pathsMax = 2000;

function collect(path: readonly string[], value: Json, into: Map<string, Json>): void {
  if (into.size >= pathsMax || path.length > depthMax) return;
  if (isObject(value)) {
    for (const [name, each] of Object.entries(value)) collect([...path, name], each, into);
    return;
  }
  if (value === null || isList(value)) return;
  const text = lqlPath(path);
  if (text !== null && !into.has(text)) into.set(text, value);
}

/** The path in SQL: LQL's `m.` is written out. */
export const sqlPath = (path: string): string => path.replace(/^m\./, 'metadata.');
