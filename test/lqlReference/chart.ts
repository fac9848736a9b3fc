import { Open } from './conditions.ts';
import { type Clause, Refused } from './query.ts';
import type { ReferenceAnswer } from './referenceAnswer.ts';
import { type ColumnType, type Row, shownAs, type Table, type Target, targetOf } from './table.ts';
import { truncated, written } from './times.ts';
import { compareNumbers, compareTexts, jsonText, numberOf, type Value } from './value.ts';

/** One aggregate over the rows of each period, ascending. */
export function chart(clauses: readonly Clause[], table: Table): ReferenceAnswer {
  if (clauses.some(({ kind }) => kind === 'select')) throw new Refused('a select beside a chart');
  const aggregate = clauses.find((clause) => clause.kind === 'aggregate');
  const unit = clauses.find((clause) => clause.kind === 'period')?.unit ?? 'minute';
  const time = targetOf(table, ['timestamp']);
  if (time.type !== 'TIMESTAMP' && time.type !== 'DATETIME') throw new Refused('no times');
  const name = aggregate?.name ?? 'count';
  const target = aggregate?.path == null ? null : targetOf(table, aggregate.path);
  const compute = aggregateOf(name, target);
  const buckets = new Map<bigint, Row[]>();
  for (const row of table.rows) {
    const start = truncated(time.read(row) as bigint, unit);
    buckets.set(start, [...(buckets.get(start) ?? []), row]);
  }
  const ascending = [...buckets].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = ascending.map(([start, members]) => [
    written(start),
    target === null ? members.length : compute(members.map(target.read).filter((value) => value !== null)),
  ]);
  return { names: ['timestamp', name], rows, isOrdered: true, keeps: 'last' };
}

/** An aggregate of the values that are not NULL; NULL where there are none to compute with. */
function aggregateOf(name: string, target: Target | null): (values: readonly Value[]) => Value {
  const type = target?.type ?? 'INT64';
  switch (name) {
    case 'count':
      return (values) => values.length;
    case 'countd':
      if (type === 'ARRAY<STRING>') throw new Refused('different lists');
      return (values) => new Set(values.map((value) => jsonText(sorted(value)))).size;
    case 'sum':
    case 'avg':
      refuseUnless(['JSON', 'INT64', 'FLOAT64'], type, name);
      return (values) => {
        const numbers = numbersOf(values);
        const sum = numbers.reduce<number>((total, each) => total + Number(each), 0);
        const size = numbers.reduce<number>((total, each) => total + Math.abs(Number(each)), 0);
        // As much as the order of additions may change is more than what the comparison leaves out (compare.ts).
        if (numbers.length * size * 2 ** -53 > Math.abs(sum) * 1e-13) throw new Open('a sum of numbers that cancel');
        return numbers.length === 0 ? null : name === 'sum' ? sum : sum / numbers.length;
      };
    case 'max':
    case 'min':
      if (type === 'ARRAY<STRING>') throw new Refused('lists have no order');
      return (values) => shownAs(type, inOrder(values).at(name === 'max' ? -1 : 0) ?? null);
    default: {
      if (type === 'ARRAY<STRING>') throw new Refused('lists have no order');
      const percent = Number(name.slice(1));
      return (values) => {
        // A nested value is computed with as FLOAT64.
        const ordered = inOrder(type === 'JSON' ? numbersOf(values).map(Number) : values);
        return shownAs(type, ordered[Math.ceil((percent * ordered.length) / 100) - 1] ?? null);
      };
    }
  }
}

function refuseUnless(allowed: readonly ColumnType[], type: ColumnType, name: string): void {
  if (!allowed.includes(type)) throw new Refused(`${name} of ${type}`);
}

const numbersOf = (values: readonly Value[]): readonly (number | bigint)[] =>
  values.map(numberOf).filter((value) => value !== null);

/** Numbers before text. How records, lists and booleans stand to them is not said. */
function inOrder(values: readonly Value[]): readonly Value[] {
  const isOther = (value: Value): boolean => !['number', 'bigint', 'string'].includes(typeof value);
  if (values.some(isOther)) throw new Open('the order of records and booleans');
  const rank = (value: Value): number => (typeof value === 'string' ? 1 : 0);
  return [...values].sort((a, b) => {
    if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    return compareNumbers(numberOf(a) ?? 0, numberOf(b) ?? 0);
  });
}

/** With the members of objects in the order of their names. */
function sorted(value: Value): Value {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member as Value)]));
}
