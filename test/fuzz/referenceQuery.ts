import type { SeededRandom } from '../../src/demo/seededRandom.ts';
import { functionCatalogue } from '../../src/googlesql/functions/catalogue.ts';
import { EdgeExpressions } from './edgeExpression.ts';
import { PairedQueries, type QueryPair } from './pairedQuery.ts';
import { TypedQueries, type Vocabulary, type Wanted } from './typedQuery.ts';

/** What may differ from run to run or from engine to engine, and what the evaluator does not have. */
const without: ReadonlySet<string> = new Set([
  ...['rand', 'generate_uuid', 'current_timestamp', 'current_datetime', 'current_date', 'current_time'],
  ...['contains_substr', 'to_json', 'normalize'],
  // Another mathematics library; a difference in the last digit grows in what is computed from it.
  ...['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2', 'exp', 'ln', 'log', 'log10', 'pow', 'power', 'sqrt'],
]);

/** Of a nested value, which is JSON, they ask for JSON: of the evaluator's text they ask for the JSON in it. */
const ofJson: readonly string[] = [...functionCatalogue.keys()].filter((name) =>
  /json|^(?:lax_|bool$|int64$|float64$|string$)/.test(name),
);

const types = [
  'INT64',
  'INT64',
  'STRING',
  'STRING',
  'FLOAT64',
  'BOOL',
  'BYTES',
  'TIMESTAMP',
  'DATETIME',
  'DATE',
  'TIME',
] as const;

const literals: NonNullable<Vocabulary['literals']> = {
  INT64: ['0', '1', '2', '-7', '400', '3', '10', 'cast(null as int64)', '9007199254740993'],
  FLOAT64: [
    '0.0',
    '1.5',
    '-2.25',
    '100.0',
    "cast('nan' as float64)",
    "cast('-inf' as float64)",
    'cast(null as float64)',
  ],
  BOOL: ['true', 'false', 'cast(null as bool)'],
  STRING: ["''", "'a'", "'l'", "'%a_b%'", "'2026-05-01 10:00:00'", "'[a-z]+'", "'é😀'", "'12'", 'cast(null as string)'],
  BYTES: ["b''", "b'ab'", "b'\\xff\\x00'", 'cast(null as bytes)'],
  TIMESTAMP: ["timestamp '2026-05-01 10:00:00'", "timestamp '1969-12-31 23:59:59.999999'", 'cast(null as timestamp)'],
  DATETIME: ["datetime '2026-05-01 10:00:00'", "datetime '2024-02-29 00:00:00.5'"],
  DATE: ["date '2026-05-01'", "date '2024-02-29'", 'cast(null as date)'],
  TIME: ["time '10:00:00'", "time '23:59:59.999999'"],
  // A JSON null is NULL here, which the evaluator's is not.
  JSON: ['json \'{"a": 1}\'', 'json \'[1, "x", true]\'', "json '3'", 'json \'"s"\''],
};

/** A number that may be nested counts as FLOAT64, which has no room for the largest. */
const nested: Pick<Vocabulary, 'literals' | 'without'> = {
  literals: { ...literals, INT64: ['0', '1', '2', '-7', '400', '3', '10', 'cast(null as int64)'] },
  without: new Set([...without, ...ofJson, 'farm_fingerprint']),
};

const vocabularies: readonly [Vocabulary, ...Vocabulary[]] = [
  {
    froms: [
      'numbers as n join texts as x using (id)',
      'numbers as n left join texts as x on x.id = n.i',
      '(select * from numbers where id <> 7) as n, (select * from texts where id < 4) as x',
    ],
    columns: {
      INT64: ['n.id', 'n.i', 'n.j', 'x.id'],
      FLOAT64: ['n.f', 'n.g'],
      STRING: ['x.s', 'x.t', 's'],
    },
  },
  {
    froms: [
      'times as t join numbers as n on n.id = t.id',
      'times as t left join numbers as n on n.j = t.id',
      'numbers as n right join times as t on t.id = n.i',
    ],
    columns: {
      INT64: ['t.id', 'n.i', 'n.j'],
      FLOAT64: ['n.f'],
      TIMESTAMP: ['t.ts', 'ts'],
      DATETIME: ['t.dt', 'dt'],
      DATE: ['t.d', 'd'],
      TIME: ['t.t'],
    },
  },
  {
    froms: [
      'people as p left join visits as v on v.person = p.id',
      'people as p full join visits as v on v.person = p.id',
      'people as p, visits as v',
    ],
    columns: {
      INT64: ['p.id', 'p.boss', 'v.person', 'v.ms'],
      FLOAT64: ['p.score'],
      STRING: ['p.name', 'p.team', 'v.path'],
      DATE: ['p.joined'],
      TIMESTAMP: ['v.ts'],
    },
  },
  {
    froms: ['flags as f join extremes as e using (id)', 'flags as f left join lists as l using (id), extremes as e'],
    columns: { INT64: ['f.id', 'e.i'], FLOAT64: ['e.f'], BOOL: ['f.p', 'f.q'], BYTES: ['f.b'] },
  },
  {
    froms: ['lists as l, unnest(l.a) as e with offset as o', 'lists as l left join unnest(l.a) as e with offset as o'],
    columns: { INT64: ['l.id', 'e', 'o', 'array_length(l.s)', 'l.a[safe_offset(1)]'], STRING: ['l.s[safe_offset(0)]'] },
  },
  // Nested values: typed there, of the type that their place asks for here.
  {
    ...nested,
    froms: [
      'edge_logs as t left join unnest(t.metadata) as m left join unnest(m.request) as r left join unnest(m.response) as s left join unnest(r.headers) as h',
      'edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r cross join unnest(m.response) as s left join unnest(r.headers) as h',
      "(select * from edge_logs where id <> 'e3') as t, unnest(t.metadata) as m, unnest(m.request) as r, unnest(m.response) as s, unnest(r.headers) as h",
    ],
    columns: {
      INT64: ['s.status_code', 'status_code'],
      FLOAT64: ['s.origin_time'],
      STRING: ['t.id', 't.event_message', 'r.method', 'r.path', 'url', 'h.x_real_ip', 'h.content_length'],
      TIMESTAMP: ['t.timestamp'],
    },
  },
  {
    ...nested,
    froms: [
      'function_edge_logs as t cross join unnest(t.metadata) as m left join unnest(m.request) as r left join unnest(m.response) as s',
      'function_edge_logs as t left join unnest(t.metadata) as m left join unnest(m.request) as r left join unnest(m.response) as s',
    ],
    columns: {
      INT64: ['s.status_code'],
      FLOAT64: ['m.execution_time_ms'],
      STRING: ['t.id', 'm.function_id', 'r.method', 'r.url'],
      TIMESTAMP: ['t.timestamp'],
    },
  },
];

/** Types whose values have an order and an equality. */
const comparable = ['INT64', 'STRING', 'DATE', 'TIMESTAMP', 'BOOL', 'FLOAT64', 'BYTES', 'DATETIME', 'TIME'] as const;

/** Queries over the typed tables of the conformance suite whose answers do not depend on any order but their own. */
export class ReferenceQueries {
  readonly #random: SeededRandom;
  readonly #paired: PairedQueries;
  readonly #edges: EdgeExpressions;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#edges = new EdgeExpressions(random);
    this.#paired = new PairedQueries(
      random,
      (columns) => {
        const byType: Record<string, string[]> = {};
        for (const { name, type } of columns) byType[type] = [...(byType[type] ?? []), name];
        const queries = new TypedQueries(random, {
          ...{ types, literals, without, froms: ['numbers'] },
          columns: byType as Vocabulary['columns'],
        });
        return (type, depth) => queries.expression(type, depth);
      },
      (wanted, isDistinct) => {
        const world = this.#world();
        const list = wanted.map((type, n) => `${world.expression(type, random.integer(0, 1))} as c${n}`);
        return `select ${isDistinct ? 'distinct ' : ''}${list.join(', ')} from ${world.from}`;
      },
    );
  }

  query(): QueryPair {
    if (this.#random.chance(0.6)) return this.#paired.query();
    const sql = this.#random.chance(0.4) ? this.#edges.query() : this.#one();
    return { sql, reference: sql };
  }

  #one(): string {
    const random = this.#random;
    switch (random.integer(0, 11)) {
      case 0:
      case 1:
        return this.#grouped();
      case 2:
      case 3:
        return this.#windowed();
      case 4:
        return this.#setOperation();
      case 5:
        return this.#joined();
      case 6:
        return this.#filteredBySubquery();
      case 7:
        return this.#ordered();
      case 8:
        return `with q as (${this.#grouped()}) select * from q where a0 is not null or k is null`;
      default:
        return this.#plain(random.integer(1, 3));
    }
  }

  #world(): World {
    const vocabulary = this.#random.pick(vocabularies);
    const queries = new TypedQueries(this.#random, { types, literals, without, ...vocabulary });
    return { from: this.#random.pick(vocabulary.froms), expression: (type, depth) => queries.expression(type, depth) };
  }

  #where({ expression }: World, chance = 0.5): string {
    return this.#random.chance(chance) ? ` where ${expression('BOOL', 2)}` : '';
  }

  #wanted(): Wanted {
    return this.#random.chance(0.1) ? `ARRAY<${this.#random.pick(types)}>` : this.#random.pick(types);
  }

  #plain(count: number): string {
    const world = this.#world();
    const list = Array.from({ length: count }, (_, n) => `${world.expression(this.#wanted(), 3)} as c${n}`);
    return `select ${list.join(', ')} from ${world.from}${this.#where(world)}`;
  }

  #ordered(): string {
    const world = this.#world();
    const kinds = [this.#random.pick(comparable), this.#random.pick(comparable)];
    const list = kinds.map((type, n) => `${world.expression(type, 2)} as c${n}`);
    const order = kinds.map((_, n) => `c${n}${this.#random.pick(['', ' desc', ' nulls last', ' desc nulls first'])}`);
    const limit = this.#random.chance(0.5)
      ? ` limit ${this.#random.integer(1, 8)} offset ${this.#random.integer(0, 3)}`
      : '';
    return `select distinct ${list.join(', ')} from ${world.from}${this.#where(world)} order by ${order.join(', ')}${limit}`;
  }

  #grouped(): string {
    const random = this.#random;
    const world = this.#world();
    const key = world.expression(random.pick(comparable), 2);
    const calls = Array.from({ length: random.integer(1, 3) }, (_, n) => `${this.#aggregate(world)} as a${n}`);
    const having = random.chance(0.3)
      ? ` having ${random.pick(['count(*) > 1', 'k is not null', 'count(*) < 3 or k is null'])}`
      : '';
    return `select ${key} as k, ${calls.join(', ')} from ${world.from}${this.#where(world, 0.3)} group by k${having}`;
  }

  /** Whatever the order of its rows, it is the same. */
  #aggregate(world: World): string {
    const random = this.#random;
    const of = (type: Wanted) => world.expression(type, 2);
    const any = random.pick(comparable);
    return random.pick([
      () => 'count(*)',
      () => `count(${of(any)})`,
      () => `count(distinct ${of(any)})`,
      () => `countif(${of('BOOL')})`,
      () => `sum(${of('INT64')})`,
      () => `sum(distinct ${of('INT64')})`,
      () => `avg(${of('INT64')})`,
      () => `min(${of(any)})`,
      () => `max(${of(any)})`,
      () => `logical_and(${of('BOOL')})`,
      () => `logical_or(${of('BOOL')})`,
      () => `bit_or(${of('INT64')})`,
      () => `bit_and(${of('INT64')})`,
      () => `bit_xor(${of('INT64')})`,
      () => this.#ordering(of(any), (value, order) => `array_agg(${value} ignore nulls order by ${value}${order})`),
      () =>
        this.#ordering(
          of(any),
          (value, order) => `array_agg(distinct ${value} ignore nulls order by ${value}${order} limit 3)`,
        ),
      () => this.#ordering(of('STRING'), (value, order) => `string_agg(${value}, '|' order by ${value}${order})`),
      () =>
        this.#ordering(
          of('STRING'),
          (value, order) => `string_agg(distinct ${value} order by ${value}${order} limit 2)`,
        ),
    ])();
  }

  #ordering(value: string, write: (value: string, order: string) => string): string {
    return write(value, this.#random.pick(['', ' desc']));
  }

  #windowed(): string {
    const random = this.#random;
    const world = this.#world();
    const of = (type: Wanted) => world.expression(type, 1);
    const partition = random.chance(0.5) ? `partition by ${of(random.pick(comparable))} ` : '';
    const order = `order by ${of(random.pick(comparable))}${random.pick(['', ' desc', ' nulls last', ' desc nulls first'])}`;
    const any = random.pick(comparable);
    // Peers have the same value of these, whichever comes first.
    const call = random.pick([
      () => `rank() over (${partition}${order})`,
      () => `dense_rank() over (${partition}${order})`,
      () => `cume_dist() over (${partition}${order})`,
      () => `percent_rank() over (${partition}${order})`,
      () => `count(*) over (${partition}${order})`,
      () => `sum(${of('INT64')}) over (${partition}${order})`,
      () => `min(${of(any)}) over (${partition}${order})`,
      () => `max(${of(any)}) over (${partition}${order} range between current row and unbounded following)`,
      () => `count(${of(any)}) over (${partition.trimEnd()})`,
      () => `avg(${of('INT64')}) over (${partition.trimEnd()})`,
      () => `percentile_disc(${of('INT64')}, ${random.pick(['0', '0.25', '0.5', '1'])}) over (${partition.trimEnd()})`,
      () => `percentile_cont(${of('INT64')}, ${random.pick(['0', '0.5', '1'])}) over (${partition.trimEnd()})`,
      () =>
        `count(*) over (${partition}order by ${of('INT64')} range between ${random.integer(0, 3)} preceding and ${random.integer(0, 9)} following)`,
      () => `logical_or(${of('BOOL')}) over (${partition}${order})`,
    ])();
    const qualify = random.chance(0.2) ? ' qualify w is not null' : '';
    return `select ${of(any)} as c0, ${call} as w from ${world.from}${qualify === '' ? this.#where(world, 0.3) : ` where true${qualify}`}`;
  }

  #setOperation(): string {
    const kinds = Array.from({ length: this.#random.integer(1, 2) }, () => this.#random.pick(comparable));
    const arm = () => {
      const world = this.#world();
      return `select ${kinds.map((type, n) => `${world.expression(type, 2)} as c${n}`).join(', ')} from ${world.from}${this.#where(world)}`;
    };
    const operator = () => this.#random.pick(['union all', 'union distinct', 'intersect distinct', 'except distinct']);
    const two = `(${arm()}) ${operator()} (${arm()})`;
    return this.#random.chance(0.3) ? `(${two}) ${operator()} (${arm()})` : two;
  }

  #joined(): string {
    const [left, right] = [this.#world(), this.#world()];
    const type = this.#random.pick(comparable);
    const side = (world: World, name: string) =>
      `(select distinct ${world.expression(type, 1)} as k, ${world.expression(this.#random.pick(comparable), 2)} as v from ${world.from}) as ${name}`;
    const join = this.#random.pick(['join', 'left join', 'right join', 'full join']);
    const on = this.#random.pick(['using (k)', 'on q.k = r.k', 'on q.k < r.k', 'on q.k is not distinct from r.k']);
    return `select ${on.startsWith('using') ? 'k' : 'q.k, r.k as other'}, q.v, r.v as w from ${side(left, 'q')} ${join} ${side(right, 'r')} ${on}`;
  }

  #filteredBySubquery(): string {
    const [outer, inner] = [this.#world(), this.#world()];
    const type = this.#random.pick(comparable);
    const rows = `select ${inner.expression(type, 1)} as y from ${inner.from}${this.#where(inner)}`;
    const condition = this.#random.pick([
      () => `${outer.expression(type, 1)} in (${rows})`,
      () => `${outer.expression(type, 1)} not in (select y from (${rows}) where y is not null)`,
      () => `exists (select 1 from (${rows}) as q where q.y = ${outer.expression(type, 1)})`,
      () => `${outer.expression(type, 1)} >= (select max(y) from (${rows}))`,
      () => `(select count(*) from (${rows}) as q where q.y <= ${outer.expression(type, 1)}) > 2`,
      () => `${outer.expression(type, 1)} in unnest(array(${rows}))`,
    ])();
    return `select ${outer.expression(this.#wanted(), 2)} as c0 from ${outer.from} where ${condition}`;
  }
}

interface World {
  readonly from: string;
  readonly expression: (type: Wanted, depth: number) => string;
}
