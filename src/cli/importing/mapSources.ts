import { ServiceError } from '../../core/errors.ts';
import type { TableReference } from '../../googlesql/syntax/nodes.ts';
import { parseQuery } from '../../googlesql/syntax/parser.ts';

/** A table of the exporting service and the source that replaces it. */
export interface MappedTable {
  readonly from: string;
  readonly to: string;
}

/** A table that matches no source, or several. */
export interface UnmappedTable {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  /** The matching sources; empty if there are none. */
  readonly candidates: readonly string[];
}

export interface MappedQuery {
  readonly query: string;
  readonly mapped: readonly MappedTable[];
  readonly unmapped: readonly UnmappedTable[];
}

export interface SourceNames {
  /** Names of the sources of this service. */
  readonly streams: readonly string[];
  /** Sources given for tables, by the table's name as queries write it. */
  readonly given: ReadonlyMap<string, string>;
  /** Names of sources by the id in their table's name (`source_mapping` of an export). */
  readonly nameOfId: ReadonlyMap<string, string>;
}

/**
 * Replaces tables of the exporting service, such as `` `project.dataset.edge_logs` ``, by `sources.<name>`. The rest of
 * the text stays unchanged, and so does a text that does not parse: its compilation reports the error.
 */
export function mapSources(query: string, names: SourceNames): MappedQuery {
  const tables = foreignTables(query);
  const mapped: MappedTable[] = [];
  const unmapped: UnmappedTable[] = [];
  let text = query;
  // From the end, so that earlier offsets stay valid.
  for (const table of tables.toReversed()) {
    const [first] = table.path;
    const last = table.path.at(-1);
    if (first === undefined || last === undefined) continue;
    const name = table.path.map((part) => part.name).join('.');
    const candidates = streamsFor(name, names);
    const [stream] = candidates;
    if (stream === undefined || candidates.length > 1) {
      unmapped.unshift({ name, line: table.pos.line, column: table.pos.column, candidates });
      continue;
    }
    // Without an alias, columns may be qualified by the last part of the table's name.
    const called = name.split('.').at(-1) ?? name;
    const alias = table.alias === undefined && called !== stream ? ` as \`${called}\`` : '';
    text = `${text.slice(0, first.pos.offset)}sources.${stream}${alias}${text.slice(last.end)}`;
    mapped.unshift({ from: name, to: `sources.${stream}` });
  }
  return { query: text, mapped, unmapped };
}

function streamsFor(name: string, { streams, given, nameOfId }: SourceNames): readonly string[] {
  const chosen = given.get(name);
  if (chosen !== undefined) return [chosen];
  const last = name.split('.').at(-1) ?? name;
  // A table can be named after the id of its source, with underscores instead of hyphens.
  const sourceName = nameOfId.get(last.replaceAll('_', '-').toLowerCase());
  if (sourceName !== undefined && given.has(sourceName)) return [given.get(sourceName) ?? sourceName];
  const known = sourceName ?? name;
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  const forms = new Set([plain(known), ...known.split('.').map(plain)]);
  return streams.filter((stream) => forms.has(stream));
}

/** The tables that are not WITH names of the query, arrays of another table, or `sources` of this service. */
function foreignTables(query: string): readonly TableReference[] {
  let parsed: unknown;
  try {
    parsed = parseQuery(query).query;
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
  const tables: TableReference[] = [];
  const own = new Set<string>();
  visit(parsed, (node) => {
    const { kind, name, alias } = node as { kind?: unknown; name?: unknown; alias?: unknown };
    if (kind === 'WithEntry') own.add(nameOf(name));
    if (typeof alias === 'object' && alias !== null) own.add(nameOf(alias));
    if (kind === 'TableReference') tables.push(node as TableReference);
  });
  return tables
    .filter(({ path: [first] }) => first !== undefined && !own.has(first.name.toLowerCase()))
    .filter(({ path: [first] }) => first?.name.toLowerCase() !== 'sources' && !/^sources\./i.test(first?.name ?? ''))
    .sort((a, b) => a.pos.offset - b.pos.offset);
}

function nameOf(identifier: unknown): string {
  return typeof identifier === 'object' && identifier !== null && 'name' in identifier
    ? String(identifier.name).toLowerCase()
    : '';
}

/** Calls `see` for every node of a syntax tree. */
function visit(node: unknown, see: (node: object) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) see(node);
  for (const below of Object.values(node)) visit(below, see);
}
