import type { SeededRandom } from '../../src/demo/seededRandom.ts';

/**
 * Makes queries of relations within relations over the tables `e` and `a`. Each relation gives `id` and `m` (STRING), `t`
 * (TIMESTAMP), `p` (STRING, the project) and `n` (INT64), and is put together with others of the kind, by joins of every type, set
 * operations, windows, groupings, cut rows and subqueries, with conditions on times and projects at every height. Each
 * answer is one multiset of rows, whatever order an engine finds them in.
 */
export class RelationQueries {
  readonly #random: SeededRandom;
  readonly #instants: readonly [string, ...string[]];
  #names = 0;

  /** `instants` are TIMESTAMP expressions at which conditions change. */
  constructor(random: SeededRandom, instants: readonly [string, ...string[]]) {
    this.#random = random;
    this.#instants = instants;
  }

  query(depth: number): string {
    this.#names = 0;
    const random = this.#random;
    const where = random.chance(0.9) ? ` where ${this.#condition('q', random.integer(0, 2))}` : '';
    const list = random.pick([
      '*',
      '*',
      'id, t, p',
      'count(*) as n, count(id) as i, max(t) as x, min(p) as y',
    ] as const);
    if (random.chance(0.3)) {
      const [shared, body] = [this.#name(), this.#relation(depth - 1)];
      const rest = this.#relation(depth - 1, shared);
      return `with ${shared} as (${body}) select ${list} from (${rest}) as q${where}`;
    }
    // Where rules of bounds differ most: what outer joins make up, and rows that are made of other rows.
    const below = () => `(${this.#relation(depth - 1)})`;
    const rows = random.pick([
      () => this.#join(below(), below(), this.#name(), this.#name()),
      () => this.#join(below(), below(), this.#name(), this.#name()),
      () => this.#windowed(below(), this.#name()),
      () => this.#grouped(below(), this.#name()),
      () => this.#cut(below(), this.#name()),
      () => this.#relation(depth),
      () => this.#relation(depth),
    ])();
    return `select ${list} from (${rows}) as q${where}`;
  }

  #name(): string {
    this.#names += 1;
    return `r${this.#names}`;
  }

  /** `shared` is the name of a WITH table that may be read besides. */
  #relation(depth: number, shared: string | null = null): string {
    const random = this.#random;
    const table = shared !== null && random.chance(0.5) ? shared : random.pick(['e', 'a'] as const);
    if (depth <= 0) return `select * from ${table}`;
    const below = () => `(${this.#relation(depth - 1, shared)})`;
    const [x, y] = [this.#name(), this.#name()];
    const condition = (name: string) => this.#condition(name, random.integer(0, 2));
    const forms: readonly [() => string, ...(() => string)[]] = [
      () => `select * from ${below()} as ${x} where ${condition(x)}`,
      () => `select id, ${this.#time(x)} as t, p, m, n from ${below()} as ${x} where ${condition(x)}`,
      () => `select id, t, ${this.#text(x)} as p, m, ${this.#number(x)} as n from ${below()} as ${x}`,
      ...Array.from({ length: 4 }, () => () => this.#join(below(), below(), x, y)),
      () => this.#setOperation(below, x, y),
      () => this.#windowed(below(), x),
      () => this.#grouped(below(), x),
      () => this.#cut(below(), x),
      () => {
        const key = this.#textKey(x);
        return `select min(id) as id, max(${x}.t) as t, ${key} as p, max(m) as m, ${random.pick(['count(id)', 'sum(n)', 'countif(t is null)', 'count(distinct p)'])} as n from ${below()} as ${x} group by ${this.#grouping([key])}`;
      },
      () =>
        `select max(id) as id, max(t) as t, min(p) as p, max(m) as m, count(*) as n from (select * from ${below()} as ${x} where ${condition(x)})`,
      () => `select distinct * from ${below()} as ${x}`,
      () => `select distinct 'd' as id, ${this.#time(x)} as t, p, 'd' as m, 1 as n from ${below()} as ${x}`,
      () =>
        `select * from ${below()} as ${x} where ${random.pick(['', 'not '])}exists (select 1 from ${below()} as ${y} where ${this.#on(x, y)} and ${condition(y)})`,
      () =>
        `select * from ${below()} as ${x} where ${this.#membership(x, y, `from ${below()} as ${y} where ${condition(y)}`)}`,
      () =>
        `select id, (select ${random.pick(['max', 'min'])}(${y}.t) from ${below()} as ${y} where ${this.#on(x, y)}) as t, p, m, (select count(*) from ${below()} as ${y} where ${this.#on(x, y)} and ${condition(y)}) as n from ${below()} as ${x}`,
      () =>
        `select id, t, (select max(u) from unnest(array(select ${y}.p from ${below()} as ${y} where ${this.#on(x, y)})) as u) as p, m, n from ${below()} as ${x}`,
      () =>
        `select id, u as t, p, m, n from ${below()} as ${x} ${random.pick(['cross join unnest', 'left join unnest'])}([t, timestamp_add(t, interval 1 day)]) as u${random.chance(0.5) ? ` where u >= ${this.#instant()}` : ''}`,
      () =>
        `from ${below()} as ${x} |> where ${condition(x)} |> extend ${this.#time(x)} as t2 |> aggregate max(id) as id, min(p) as p, max(m) as m, count(*) as n group by t2 as t |> select id, t, p, m, n`,
      () => {
        const s = this.#name();
        return `with ${s} as ${below()} select ${x}.id, ${y}.t, ${x}.p, ${y}.m, ${x}.n from ${s} as ${x} ${this.#joinType()} ${s} as ${y} on ${this.#on(x, y)} where ${condition(x)}`;
      },
    ];
    return random.pick(forms)();
  }

  #windowed(input: string, x: string): string {
    const qualify = this.#random.chance(0.4) ? ` qualify n is not null and ${this.#condition(x, 1)}` : '';
    return `select id, t, p, m, ${this.#windowCall(x)} as n from ${input} as ${x}${qualify}`;
  }

  #grouped(input: string, x: string): string {
    const random = this.#random;
    const [first, second] = [this.#time(x), this.#time(x)];
    const having = random.chance(0.4)
      ? ` having ${random.pick(['count(*) > 1', "max(m) >= 'm1'", `min(${x}.t) >= ${this.#instant()}`])}`
      : '';
    return `select max(id) as id, ${first} as t, min(${x}.p) as p, ${random.pick(["'k'", 'max(m)'])} as m, count(*) as n from ${input} as ${x} group by ${this.#grouping([first, second])}${having}`;
  }

  #cut(input: string, x: string): string {
    const random = this.#random;
    const first = random.pick(['t', 't desc', 'p', 'n desc']);
    const offset = random.chance(0.3) ? ` offset ${random.integer(1, 4)}` : '';
    return `select * from ${input} as ${x} order by ${first}, id, t, p, m, n limit ${random.integer(1, 12)}${offset}`;
  }

  #membership(x: string, y: string, from: string): string {
    const column = this.#random.pick(['t', 't', 'p', 'id'] as const);
    return `${x}.${column} ${this.#random.pick(['in', 'not in'] as const)} (select ${y}.${column} ${from})`;
  }

  #joinType(): string {
    return this.#random.pick(['join', 'left join', 'right join', 'full join'] as const);
  }

  #join(left: string, right: string, x: string, y: string): string {
    const random = this.#random;
    const on = random.chance(0.3)
      ? this.#on(x, y)
      : `${this.#on(x, y)} and ${this.#condition(random.pick([x, y]), random.integer(0, 1))}`;
    const pick = (column: string) =>
      random.pick([`${x}.${column}`, `${y}.${column}`, `coalesce(${x}.${column}, ${y}.${column})`]);
    const where = random.chance(0.6) ? ` where ${this.#condition(random.pick([x, y]), 2)}` : '';
    return `select ${pick('id')} as id, ${pick('t')} as t, ${pick('p')} as p, ${pick('m')} as m, ${pick('n')} as n from ${left} as ${x} ${this.#joinType()} ${right} as ${y} on ${on}${where}`;
  }

  #on(x: string, y: string): string {
    const { t, u } = { t: `${x}.t`, u: `${y}.t` };
    return this.#random.pick([
      `${t} = ${u}`,
      `${t} >= ${u} and ${x}.m = ${y}.m`,
      `date(${t}) = date(${u}) and ${x}.m = ${y}.m`,
      `${u} between timestamp_sub(${t}, interval 1 day) and ${t}`,
      `${x}.p = ${y}.p and ${t} < ${u} and ${x}.m = ${y}.m`,
      `${x}.id = ${y}.id`,
      `${x}.n = ${y}.n and ${x}.p = ${y}.p`,
      `timestamp_trunc(${t}, month) = ${u}`,
    ] as const);
  }

  #setOperation(below: () => string, x: string, y: string): string {
    const random = this.#random;
    const word = random.pick([
      'union all',
      'union all',
      'union distinct',
      'intersect distinct',
      'except distinct',
    ] as const);
    const arm = (name: string): string => {
      const list = random.pick([
        'id, t, p, m, n',
        "'u' as id, t, p, 'u' as m, 1 as n",
        `id, ${this.#time(name)} as t, p, m, n`,
        'm as id, t, p, m, n',
      ] as const);
      return `select ${list} from ${below()} as ${name}`;
    };
    return `${arm(x)} ${word} ${arm(y)}`;
  }

  #windowCall(name: string): string {
    const random = this.#random;
    const partition = random.pick([
      this.#time(name),
      `${this.#time(name)}, ${name}.m`,
      `${name}.p`,
      `${name}.m`,
      `${name}.p, ${name}.t`,
      `safe.timestamp_add(${name}.t, interval 2912383 day)`,
    ]);
    const by = `partition by ${partition}`;
    const order = `order by ${name}.t, ${name}.id, ${name}.p, ${name}.m, ${name}.n`;
    return random.pick([
      `count(*) over (${by})`,
      `count(${name}.id) over (${by})`,
      `rank() over (${by} ${order})`,
      `sum(${name}.n) over (${by} ${order} range between unbounded preceding and current row)`,
      `rank() over (${order})`,
      `dense_rank() over (partition by ${partition} order by ${name}.p)`,
    ]);
  }

  #grouping(keys: readonly string[]): string {
    const list = keys.join(', ');
    return this.#random.chance(0.4) ? `rollup(${list})` : list;
  }

  #textKey(name: string): string {
    return this.#random.pick([`${name}.p`, `coalesce(${name}.p, 'none')`, `concat(${name}.p, '')`, `${name}.m`]);
  }

  #instant(): string {
    return this.#random.pick(this.#instants);
  }

  /** A TIMESTAMP made of the time of a row. */
  #time(name: string): string {
    const t = `${name}.t`;
    return this.#random.pick([
      t,
      `timestamp_trunc(${t}, ${this.#random.pick(['hour', 'day', 'month', 'isoweek'])})`,
      `timestamp_add(${t}, interval ${this.#random.integer(-30, 30)} hour)`,
      `timestamp(date(${t}))`,
      `coalesce(${t}, ${this.#instant()})`,
      `if(${name}.m = 'm1', ${t}, null)`,
      `greatest(${t}, ${this.#instant()})`,
      `timestamp_seconds(unix_seconds(${t}))`,
      `safe.timestamp_add(${t}, interval 2912383 day)`,
    ]);
  }

  #text(name: string): string {
    return this.#random.pick([
      `${name}.p`,
      `if(${name}.m = 'm2', 'p', ${name}.p)`,
      `coalesce(${name}.p, 'p')`,
      `nullif(${name}.p, 'q')`,
      `concat(${name}.p, '')`,
    ] as const);
  }

  #number(name: string): string {
    return this.#random.pick([
      `${name}.n`,
      `${name}.n + 1`,
      `unix_seconds(${name}.t)`,
      `length(${name}.m)`,
      `-${name}.n`,
    ] as const);
  }

  #condition(name: string, depth: number): string {
    const random = this.#random;
    const leaf = () => this.#leaf(name);
    if (depth <= 0) return leaf();
    const part = () => this.#condition(name, depth - 1);
    const forms: readonly [() => string, ...(() => string)[]] = [
      leaf,
      leaf,
      leaf,
      () => `(${part()}) and (${part()})`,
      () => `(${part()}) and (${part()})`,
      () => `(${part()}) and (${part()})`,
      () => `(${part()}) or (${part()})`,
      () => `not (${part()})`,
      () => `coalesce(${part()}, ${random.pick(['true', 'false'])})`,
      () => `if(${part()}, ${part()}, ${part()})`,
      () => `(${part()}) is ${random.pick(['true', 'false', 'not true', 'not false'])}`,
      () => `case when ${part()} then ${part()} when ${part()} then ${part()} end`,
      () => `((${part()}) = (${part()}))`,
      () => `((${part()}) is distinct from (${part()}))`,
    ];
    return random.pick(forms)();
  }

  #leaf(name: string): string {
    const random = this.#random;
    const operator = random.pick(['=', '<', '<=', '>', '>=', '!=', '>=', '<='] as const);
    const at = this.#instant();
    return random.pick([
      `${name}.t ${operator} ${at}`,
      `${name}.t ${operator} ${at}`,
      `${name}.t >= ${at} and ${name}.t < ${this.#instant()}`,
      `${this.#time(name)} ${operator} ${at}`,
      `${this.#time(name)} ${operator} ${at}`,
      `date(${name}.t) ${operator} date(${at})`,
      `${this.#time(name)} between ${at} and ${this.#instant()}`,
      `${name}.t in (${at}, ${this.#instant()}, null)`,
      `${name}.t not in (${at}, ${this.#instant()})`,
      `${this.#text(name)} ${random.pick(['=', '!=', '='])} ${random.pick(["'p'", "'q'", "'r'"])}`,
      `${name}.p in ('p', ${random.pick(["'q'", "'r'", 'null', `${name}.m`])})`,
      `${name}.p ${random.pick(['in', 'not in'])} unnest(['p', ${random.pick(["'r'", 'null', "'q'"])}])`,
      `${name}.t is ${random.pick(['', 'not '])}null`,
      `${name}.p is ${random.pick(['', 'not '])}null`,
      `${name}.n ${operator} ${random.integer(0, 5)}`,
      `${name}.m = 'm${random.integer(0, 2)}'`,
      `${name}.p = ${name}.m`,
      `timestamp_diff(${at}, ${name}.t, hour) ${operator} ${random.integer(-50, 50)}`,
      `${name}.t is ${random.pick(['', 'not '])}distinct from ${at}`,
    ]);
  }
}
