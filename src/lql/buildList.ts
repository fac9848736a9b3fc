import type { CallerTable } from '../googlesql/callerTables.ts';
import type { OrderingItem, Query, SelectItem } from '../googlesql/syntax/nodes.ts';
import { CallerRows } from './callerRows.ts';
import type { Filter, LqlQuery, Path } from './query.ts';
import { everyColumn, ordering, query as queryNode, select, selected, startOfText } from './syntaxNodes.ts';
import { filtersOf, tablePosition, whereOf } from './whereOf.ts';

/** A column of the answer: a path with its name, or null for every column. */
interface Output {
  readonly path: Path;
  readonly name: string;
}

/** Builds a list of the rows that meet every filter, newest first. */
export function buildList(query: LqlQuery, table: CallerTable): Query {
  const outputs = chosenOutputs(query) ?? defaultOutputs(query, table);
  const names = outputs.flatMap((output) => (output === null ? table.columns : [output]).map(({ name }) => name));
  const rows = new CallerRows(table, names);
  const items = outputs.map((output): SelectItem => {
    if (output === null) return everyColumn(startOfText);
    return selected(rows.value(output.path), output.name, output.path.pos);
  });
  const body = select({ items, from: rows.from(tablePosition(query)), where: whereOf(query, rows) }, startOfText);
  return queryNode(body, newestFirst(rows), startOfText);
}

function chosenOutputs(query: LqlQuery): readonly (Output | null)[] | null {
  const selects = query.clauses.filter((clause) => clause.kind === 'select');
  if (selects.length === 0) return null;
  return selects.map(({ path, alias }) => (path === null ? null : { path, name: alias ?? lastStep(path) }));
}

/** `id`, `timestamp`, `event_message` and the paths in filters; every column if the table lacks id or timestamp. */
function defaultOutputs(query: LqlQuery, table: CallerTable): readonly (Output | null)[] {
  const hasColumn = (name: string) => table.columns.some((column) => column.name.toLowerCase() === name);
  if (!hasColumn('id') || !hasColumn('timestamp')) return [null];
  const outputs = new Map<string, Output>();
  const own = ['id', 'timestamp', 'event_message']
    .filter(hasColumn)
    .map((name) => ({ steps: [name], pos: startOfText }));
  for (const path of [...own, ...filtersOf(query).flatMap(pathsOf)]) {
    // Column names are case-insensitive, member names case-sensitive.
    const [first = '', ...rest] = path.steps;
    const key = [first.toLowerCase(), ...rest].join('.');
    if (!outputs.has(key)) outputs.set(key, { path, name: lastStep(path) });
  }
  return [...outputs.values()];
}

function pathsOf(filter: Filter): readonly Path[] {
  if (filter.kind === 'field') return [filter.path];
  return filter.kind === 'level' ? [{ steps: ['metadata', 'level'], pos: filter.pos }] : [];
}

const lastStep = (path: Path): string => path.steps.at(-1) ?? '';

/** ORDER BY timestamp DESC, if there is a timestamp. The engine orders equal timestamps by arrival, later first. */
function newestFirst(rows: CallerRows): readonly OrderingItem[] {
  return rows.hasTime ? [ordering(rows.column('timestamp', startOfText), 'desc', startOfText)] : [];
}
