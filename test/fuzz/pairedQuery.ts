import type { SeededRandom } from '../../src/demo/seededRandom.ts';
import type { Wanted } from './typedQuery.ts';

/** A query, and what the reference evaluator runs for it: it knows no pipes, no ROLLUP and no approximate functions. */
export interface QueryPair {
  readonly sql: string;
  readonly reference: string;
}

type Scalar = Exclude<Wanted, `ARRAY<${string}>`>;

interface Column {
  readonly name: string;
  readonly type: Scalar;
}

/** Makes expressions of a type over the columns that are given. */
export type ExpressionMaker = (
  columns: readonly Column[],
  literalsOnly?: boolean,
) => (type: Wanted, depth: number) => string;

/** Of these types rows can be grouped, compared and put into an order. */
const keyTypes = ['INT64', 'STRING', 'DATE', 'TIMESTAMP', 'BOOL', 'DATETIME', 'TIME', 'BYTES'] as const;

const listOf = (columns: readonly Column[], prefix = ''): string =>
  columns.map(({ name }) => `${prefix}${name}`).join(', ');

/** Queries in two wordings that mean the same, over rows that a subquery makes. */
export class PairedQueries {
  readonly #random: SeededRandom;
  readonly #expressionOver: ExpressionMaker;
  readonly #rows: (types: readonly Scalar[], isDistinct: boolean) => string;

  /** `rows` writes a subquery with columns `c0`, `c1` … of these types. */
  constructor(
    random: SeededRandom,
    expressionOver: ExpressionMaker,
    rows: (types: readonly Scalar[], isDistinct: boolean) => string,
  ) {
    this.#random = random;
    this.#expressionOver = expressionOver;
    this.#rows = rows;
  }

  query(): QueryPair {
    switch (this.#random.integer(0, 7)) {
      case 0:
      case 1:
        return this.#piped();
      case 2:
        return this.#rollup();
      case 3:
        return this.#approximate();
      case 4:
      case 5:
        return same(this.#frames());
      default:
        return same(this.#correlated());
    }
  }

  #columns(count: number): readonly [Column, ...Column[]] {
    const columns = Array.from({ length: count }, (_, n) => ({ name: `c${n}`, type: this.#random.pick(keyTypes) }));
    return columns as unknown as readonly [Column, ...Column[]];
  }

  #from(columns: readonly Column[], isDistinct: boolean): string {
    return this.#rows(
      columns.map(({ type }) => type),
      isDistinct,
    );
  }

  /** `from (…) |> …`, and each operator as a query around the one before. */
  #piped(): QueryPair {
    const random = this.#random;
    let columns: readonly Column[] = this.#columns(random.integer(2, 4));
    const rows = this.#from(columns, false);
    let sql = `from (${rows})`;
    let reference = rows;
    let made = 0;
    for (let steps = random.integer(1, 5); steps > 0; steps--) {
      const of = this.#expressionOver(columns);
      const column = random.pick(columns as readonly [Column, ...Column[]]);
      const step = random.integer(0, 9);
      if (step <= 1) {
        const condition = of('BOOL', 2);
        sql += ` |> where ${condition}`;
        reference = `select * from (${reference}) where ${condition}`;
      } else if (step === 2) {
        const added = { name: `e${made++}`, type: random.pick(keyTypes) };
        const value = of(added.type, 2);
        sql += ` |> extend ${value} as ${added.name}`;
        reference = `select *, ${value} as ${added.name} from (${reference})`;
        columns = [...columns, added];
      } else if (step === 3) {
        const value = of(column.type, 2);
        sql += ` |> set ${column.name} = ${value}`;
        reference = `select * replace (${value} as ${column.name}) from (${reference})`;
      } else if (step === 4 && columns.length > 1) {
        sql += ` |> drop ${column.name}`;
        reference = `select * except (${column.name}) from (${reference})`;
        columns = columns.filter((each) => each !== column);
      } else if (step === 5) {
        const renamed = { name: `r${made++}`, type: column.type };
        sql += ` |> rename ${column.name} as ${renamed.name}`;
        const list = columns.map((each) => (each === column ? `${each.name} as ${renamed.name}` : each.name));
        reference = `select ${list.join(', ')} from (${reference})`;
        columns = columns.map((each) => (each === column ? renamed : each));
      } else if (step === 6) {
        sql += ' |> distinct';
        reference = `select distinct * from (${reference})`;
      } else if (step === 7) {
        const key = { name: `g${made++}`, type: column.type };
        const total = { name: `a${made++}`, type: 'INT64' as const };
        const call = random.pick([
          'count(*)',
          `count(distinct ${column.name})`,
          `sum(length(cast(${column.name} as string)))`,
          `countif(${of('BOOL', 1)})`,
        ]);
        const by = of(key.type, 1);
        sql += ` |> aggregate ${call} as ${total.name} group by ${by} as ${key.name}`;
        reference = `select ${by} as ${key.name}, ${call} as ${total.name} from (${reference}) group by ${key.name}`;
        columns = [key, total];
      } else if (step === 8) {
        const count = random.integer(0, 9);
        const direction = random.pick(['', ' desc', ' nulls last', ' desc nulls first']);
        const order = `order by ${columns.map(({ name }) => `${name}${direction}`).join(', ')}`;
        sql += ` |> ${order} |> limit ${count}`;
        reference = `select * from (${reference}) ${order} limit ${count}`;
      } else {
        const operator = random.pick(['union all', 'union distinct', 'except distinct', 'intersect distinct']);
        const other = this.#rows(
          columns.map(({ type }) => type),
          false,
        );
        sql += ` |> ${operator} (${other})`;
        reference = `(${reference}) ${operator} (${other})`;
      }
    }
    return { sql, reference };
  }

  /** GROUP BY ROLLUP as one GROUP BY for each of its sums. */
  #rollup(): QueryPair {
    const columns = this.#columns(3);
    const [a, b, c] = columns.map(({ name }) => name);
    const [typeA, typeB] = columns.map(({ type }) => type);
    const rows = this.#from(columns, false);
    const calls = `count(*) as n, count(distinct ${c}) as d, min(${c}) as l`;
    const having = this.#random.pick(['', ' having count(*) > 1', ' having n > 1 or d = 0']);
    const sql = `select ${a}, ${b}, ${calls}, grouping(${a}) as ga, grouping(${b}) as gb from (${rows}) group by rollup(${a}, ${b})${having}`;
    const sum = (x: string, y: string, gx: number, gy: number, by: string): string =>
      `select ${x}, ${y}, ${calls}, ${gx} as ga, ${gy} as gb from rows_of_it${by}${having}`;
    const nullOf = (type: Scalar | undefined): string => `cast(null as ${type})`;
    const reference = `with rows_of_it as (${rows}) ${[
      sum(`${a}`, `${b}`, 0, 0, ` group by ${a}, ${b}`),
      sum(`${a}`, nullOf(typeB), 0, 1, ` group by ${a}`),
      sum(nullOf(typeA), nullOf(typeB), 1, 1, ''),
    ].join(' union all ')}`;
    return { sql, reference };
  }

  /** Approximate functions are exact here, and can be worked out from the sorted values. Of texts, nested ones would be read as numbers. */
  #approximate(): QueryPair {
    const random = this.#random;
    const [key, value] = [
      { name: 'c0', type: random.pick(keyTypes) },
      { name: 'c1', type: random.pick(['INT64', 'FLOAT64', 'TIMESTAMP', 'DATE', 'BOOL'] as const) },
    ];
    const rows = this.#from([key, value], false);
    const numbers = value.type === 'FLOAT64' ? 'where not is_nan(c1)' : '';
    const count = random.integer(1, 12);
    const index = random.integer(0, count);
    const place = (i: string): string => `greatest(cast(ceil(${i} * array_length(sorted) / ${count}) as int64), 1) - 1`;
    const sorted = `(select c0, array_agg(c1 ignore nulls order by c1) as sorted, count(distinct c1) as d from (${rows}) group by c0)`;
    const element = (i: string): string => `sorted[safe_offset(${place(i)})]`;
    return random.pick<() => QueryPair>([
      () => ({
        sql: `select c0, approx_quantiles(c1, ${count}) as q from (${rows}) group by c0`,
        reference: `select c0, if(sorted is null, null, array(select sorted[safe_offset(greatest(cast(ceil(i * array_length(sorted) / ${count}) as int64), 1) - 1)] from unnest(generate_array(0, ${count})) as i order by i)) as q from ${sorted}`,
      }),
      () => ({
        sql: `select c0, approx_quantiles(c1, ${count})[offset(${index})] as q, approx_count_distinct(c1) as d from (${rows}) group by c0 having count(c1) > 0`,
        reference: `select c0, ${element(String(index))} as q, d from ${sorted} where sorted is not null`,
      }),
      () => ({
        // Whether NaN is more or less than a number is said for MAX and MIN alone.
        sql: `select c0, max_by(c1, c2) as m, min_by(c1, c2) as l from (select c0, c1, c1 as c2 from (${rows})) ${numbers} group by c0`,
        reference: `select c0, max(c1) as m, min(c1) as l from (${rows}) ${numbers} group by c0`,
      }),
    ])();
  }

  /** ROWS and RANGE frames over rows that are all different, in an order that leaves nothing open. */
  #frames(): string {
    const random = this.#random;
    const columns = this.#columns(random.integer(2, 3));
    const rows = this.#from(columns, true);
    const directions = columns.map(
      ({ name }) => `${name}${random.pick(['', ' desc', ' nulls last', ' desc nulls first'])}`,
    );
    const partition = random.chance(0.4) ? `partition by ${random.pick(columns).name} ` : '';
    const order = `order by ${directions.join(', ')}`;
    const value = random.pick(columns);
    const of = this.#expressionOver(columns);
    const edges = [
      'unbounded preceding',
      `${random.integer(0, 3)} preceding`,
      'current row',
      `${random.integer(0, 3)} following`,
      'unbounded following',
    ];
    const start = random.integer(0, 3);
    const end = random.integer(Math.max(start, 1), 4);
    const frame = random.chance(0.3)
      ? ''
      : ` rows between ${start === 4 ? 'current row' : edges[start]} and ${edges[end]}`;
    const window = `(${partition}${order}${frame})`;
    const plain = `(${partition}${order})`;
    const nulls = random.pick(['', ' ignore nulls', ' respect nulls']);
    const call = (): string =>
      random.pick([
        () => `row_number() over ${plain}`,
        () => `ntile(${random.integer(1, 4)}) over ${plain}`,
        () => `lag(${value.name}, ${random.integer(0, 2)}) over ${plain}`,
        () => `lead(${value.name}) over ${plain}`,
        () => `lead(${value.name}, 1, ${of(value.type, 0)}) over ${plain}`,
        () => `first_value(${of(value.type, 1)}${nulls}) over ${window}`,
        () => `last_value(${value.name}${nulls}) over ${window}`,
        () => `nth_value(${value.name}, ${random.integer(1, 3)}${nulls}) over ${window}`,
        () => `sum(${of('INT64', 1)}) over ${window}`,
        () => `avg(${of('INT64', 1)}) over ${window}`,
        () => `min(${value.name}) over ${window}`,
        () => `max(${of(value.type, 1)}) over ${window}`,
        () => `count(${value.name}) over ${window}`,
        () => `countif(${of('BOOL', 1)}) over ${window}`,
        () => `array_agg(${value.name}) over ${window}`,
        () => `string_agg(cast(${value.name} as string), '|') over ${window}`,
        () => `logical_and(${of('BOOL', 1)}) over ${window}`,
      ])();
    const list = `${listOf(columns)}, ${call()} as w0, ${call()} as w1`;
    const qualify = random.chance(0.3)
      ? ` where ${random.chance(0.5) ? 'true' : of('BOOL', 1)} qualify ${random.pick(['w0 is not null', 'w0 is not distinct from w1', `row_number() over ${plain} <= ${random.integer(1, 4)}`])}`
      : '';
    return `select ${list} from (${rows})${qualify}`;
  }

  /** Subqueries that read the row around them, in the select list, in conditions and in FROM. */
  #correlated(): string {
    const random = this.#random;
    const outer = this.#columns(2);
    const inner = this.#columns(2);
    const qualified = (columns: readonly Column[], alias: string): Column[] =>
      columns.map(({ name, type }) => ({ name: `${alias}.${name}`, type }));
    const both = this.#expressionOver([...qualified(outer, 'q'), ...qualified(inner, 'r')]);
    const ofOuter = this.#expressionOver(qualified(outer, 'q'));
    const from = `from (${this.#from(inner, true)}) as r`;
    const key = random.pick(keyTypes);
    const where = random.pick([
      () => `where ${both('BOOL', 2)}`,
      () => `where ${both(key, 1)} = ${ofOuter(key, 1)}`,
      () => `where ${both(key, 1)} <= ${both(key, 1)}`,
    ])();
    const scalar = (): string =>
      random.pick([
        () => `(select count(*) ${from} ${where})`,
        () => `(select max(r.c0) ${from} ${where})`,
        () => `(select min(${both(key, 1)}) ${from} ${where})`,
        () => `(select countif(${both('BOOL', 1)}) ${from} ${where})`,
        () => `exists (select 1 ${from} ${where})`,
        () => `array(select distinct r.c1 ${from} ${where} order by r.c1)`,
        () => `(select r.c0 ${from} ${where} order by r.c0, r.c1 limit 1)`,
        () => `${ofOuter(key, 1)} in (select ${both(key, 1)} ${from} ${where})`,
        () =>
          `(select string_agg(cast(e as string), '|' order by e) from unnest([${ofOuter(key, 1)}, ${ofOuter(key, 1)}]) as e where e is not null)`,
        () => `(select max(e) from unnest(array(select ${both(key, 1)} ${from} ${where})) as e)`,
        () => `(select as struct count(*) as n, max(r.c1) as m ${from} ${where}).n`,
        () => `(with w as (select r.c0 ${from} ${where}) select count(distinct c0) from w)`,
      ])();
    const condition = random.chance(0.3) ? ` where ${scalar()} is not null` : '';
    return `select ${listOf(outer, 'q.')}, ${scalar()} as s0, ${scalar()} as s1 from (${this.#from(outer, true)}) as q${condition}`;
  }
}

const same = (sql: string): QueryPair => ({ sql, reference: sql });
