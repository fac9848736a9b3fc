import { chart } from './chart.ts';
import { testOf } from './conditions.ts';
import { parse } from './parse.ts';
import { type Clause, Refused } from './query.ts';
import type { ReferenceAnswer } from './referenceAnswer.ts';
import { hasColumn, type Row, shownAs, type Table, targetOf } from './table.ts';

type Filter = Clause & { readonly kind: 'filter' };

/** The answer to a text over some tables, by lql.md to the letter. Throws `Refused`, or `Open` where lql.md does not say. */
export function evaluate(text: string, tables: readonly Table[], now: bigint): ReferenceAnswer {
  const clauses = parse(text);
  const table = chosenTable(clauses, tables);
  const filters = clauses.filter((clause): clause is Filter => clause.kind === 'filter');
  const tests = filters.map(({ condition, isNegated }) => {
    const test = testOf(condition, table, now);
    return isNegated ? (row: Row) => !test(row) : test;
  });
  const rows = table.rows.filter((row) => tests.every((test) => test(row)));
  const isChart = clauses.some(({ kind }) => kind === 'aggregate' || kind === 'period');
  return isChart ? chart(clauses, { ...table, rows }) : list(clauses, filters, { ...table, rows });
}

function chosenTable(clauses: readonly Clause[], tables: readonly Table[]): Table {
  const from = clauses.find((clause) => clause.kind === 'from');
  const [only] = tables;
  const table =
    from === undefined
      ? tables.length === 1
        ? only
        : undefined
      : tables.find(({ name }) => name.toLowerCase() === from.table.toLowerCase());
  if (table === undefined) throw new Refused('no table');
  return table;
}

interface Output {
  readonly path: readonly string[];
  readonly name: string;
}

function list(clauses: readonly Clause[], filters: readonly Filter[], table: Table): ReferenceAnswer {
  const isLog = hasColumn(table, 'id') && hasColumn(table, 'timestamp');
  const all = Object.keys(table.columns).map((name): Output => ({ path: [name], name }));
  const chosen = clauses.flatMap((clause): readonly Output[] => {
    if (clause.kind !== 'select') return [];
    return clause.path === null ? all : [{ path: clause.path, name: clause.alias ?? clause.path.at(-1) ?? '' }];
  });
  const outputs = chosen.length > 0 ? chosen : isLog ? shown(filters, table) : all;
  const targets = outputs.map(({ path }) => targetOf(table, path));
  const hasTimes = ['TIMESTAMP', 'DATETIME'].includes(table.columns.timestamp ?? '');
  // Of one time the later ones come first: rows stand in the order in which they were stored.
  const sorted = hasTimes ? table.rows.toReversed().sort(newestFirst) : table.rows;
  const rows = sorted.map((row) => targets.map(({ type, read }) => shownAs(type, read(row))));
  return { names: numbered(outputs.map(({ name }) => name)), rows, isOrdered: hasTimes, keeps: 'first' };
}

function newestFirst(a: Row, b: Row): number {
  const [left, right] = [a.timestamp as bigint, b.timestamp as bigint];
  if (left === right) return 0;
  return left > right ? -1 : 1;
}

/** `id`, `timestamp`, `event_message` and the fields used in filters, each once. */
function shown(filters: readonly Filter[], table: Table): readonly Output[] {
  const own = ['id', 'timestamp', 'event_message'].filter((name) => hasColumn(table, name)).map((name) => [name]);
  const used = filters.flatMap(({ condition }): readonly (readonly string[])[] => {
    if (condition.kind === 'levels') return [['metadata', 'level']];
    return 'path' in condition ? [condition.path] : [];
  });
  const outputs = new Map<string, Output>();
  for (const path of [...own, ...used]) {
    const [first = '', ...steps] = path;
    const key = [first.toLowerCase(), ...steps].join('.');
    if (!outputs.has(key)) outputs.set(key, { path, name: path.at(-1) ?? '' });
  }
  return [...outputs.values()];
}

/** Duplicate names get `_1`, `_2`: the first free number. */
function numbered(names: readonly string[]): readonly string[] {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  const given = new Set<string>();
  return names.map((name) => {
    let chosen = name;
    for (let n = 1; given.has(chosen.toLowerCase()) || (chosen !== name && taken.has(chosen.toLowerCase())); n++) {
      chosen = `${name}_${n}`;
    }
    given.add(chosen.toLowerCase());
    return chosen;
  });
}
