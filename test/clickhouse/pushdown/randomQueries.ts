import { pick, randomOf } from './oddEvents.ts';

/** A random query over `sources.edge_logs`, whose answer is the same in any order of its rows. */
export function randomQuery(seed: number): string {
  return new Queries(randomOf(seed)).inAnyOrder();
}

/**
 * A random join of `sources.edge_logs` and `sources.auth_logs`, or of the first with itself, whose answer is the same in any
 * order of its rows.
 */
export function randomJoin(seed: number): string {
  return new Queries(randomOf(seed)).join();
}

/**
 * A random UNION ALL of `sources.edge_logs` and `sources.auth_logs`, or of the first with itself, whose answer is the same in
 * any order of its rows.
 */
export function randomUnion(seed: number): string {
  return new Queries(randomOf(seed)).union();
}

const texts = ['a', 'abc', 'é', '200', '', 'A', '/rest', 'it', '1.5'];
const elements = ["'join'", "'5.0'", "'0'", "'b'", "'a'", "'true'", "''", '5', '0', '-2.5', '1', 'true'];
const elementConditions = [
  "e = 'join'",
  "regexp_contains(e, r'^jo|0$')",
  'e is null',
  "e like '%.0' or length(e) > 3",
  "starts_with(e, '-')",
  "upper(e) = 'JOIN'",
];
const numbers = ['0', '1', '-1', '2.5', '200', '404', '12', '1e3', '0.25'];
const wholes = ['0', '1', '-1', '200', '404', '7', '9223372036854775807'];
const times = [
  "timestamp '2026-05-01 10:00:00'",
  "timestamp '1970-01-01'",
  "timestamp '1900-01-01'",
  "timestamp '2200-07-04'",
];
const members = [
  'x',
  'deep.a.b',
  'deep.a',
  'request.headers.x_real_ip',
  'request.odd',
  'response.a',
  'auth_event.action',
  'response.status_code',
  'request.path',
  'request.method',
  'execution_time_ms',
];
const units = ['second', 'minute', 'hour', 'day', 'week', 'isoweek', 'week(friday)', 'month', 'quarter', 'year'];

const of = (side: 'a' | 'b', expr: string): string =>
  expr.replaceAll(/\bt\.(metadata|event_message|id|timestamp)\b/g, `${side}.$1`);

class Queries {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A query, sometimes with another order of its rows. */
  inAnyOrder(): string {
    const below = this.query();
    const [list = ''] = below.split(' from sources.');
    const keys = list.startsWith('select t.id')
      ? ['id']
      : [...list.matchAll(/ as ([klb])(?=,|$)/g)].map(([, key]) => key);
    if (keys.length === 0 || this.#random() < 0.7) return below;
    return `select * from (${below}) order by ${keys.join(', ')}${pick(this.#random, ['', ' desc'])}`;
  }

  query(): string {
    const where = this.#random() < 0.8 ? ` where ${this.bool(2)}` : '';
    const isUnnested = this.#random() < 0.15;
    const unnest = isUnnested
      ? ` cross join unnest(${pick(this.#random, ['t.metadata.auth_event', 't.metadata.deep', 't.metadata.request'])}) as u`
      : '';
    const from = `from sources.edge_logs as t${unnest}${where}`;
    if (isUnnested)
      return `select ${this.key()} as k, count(u.a) as a, count(distinct u.action) as b, countif(u.actor_username = '200') as c, count(*) as n ${from} group by k`;
    switch (Math.floor(this.#random() * 5)) {
      case 0:
        return `select t.id, ${this.any(2)} as v ${from} order by ${this.key()}${this.#direction()}, t.id limit ${this.#count()}`;
      case 1:
        return `select ${this.aggregate()} as a, ${this.aggregate()} as b, count(*) as n ${from}`;
      case 2: {
        const having = this.#random() < 0.4 ? ' having n > 1 and (a is not null or n < 9)' : '';
        return `select ${this.key()} as k, ${this.aggregate()} as a, count(*) as n ${from} group by k${having}`;
      }
      case 3:
        return `select ${this.key()} as k, ${this.key()} as l, ${this.aggregate()} as a, count(*) as n ${from} group by k, l order by n desc, k${this.#direction()}, l limit ${this.#count()}`;
      default:
        return `select distinct ${this.key()} as k, ${this.bool(1)} as b ${from}`;
    }
  }

  join(): string {
    const right = pick(this.#random, ['auth_logs', 'auth_logs', 'edge_logs']);
    const kind = pick(this.#random, ['whole', 'float', 'text', 'time', 'bool', 'member'] as const);
    const key = () => (kind === 'member' ? this.#member() : this[kind](1));
    const more = () =>
      pick(this.#random, [
        '',
        ` and ${of('a', this.text(0))} = ${of('b', this.text(0))}`,
        ` and (${of('a', this.bool(1))} or ${of('b', this.bool(1))})`,
        ` and ${of('b', this.bool(1))}`,
      ]);
    const on = `${of('a', key())} = ${of('b', key())}${more()}`;
    const where = this.#random() < 0.5 ? ` where ${of(pick(this.#random, ['a', 'b']), this.bool(1))}` : '';
    const from = `from sources.edge_logs as a join sources.${right} as b on ${on}${where}`;
    if (this.#random() < 0.5)
      return `select a.id as l, b.id as r, ${of('a', this.any(1))} as v, ${of('b', this.any(1))} as w ${from} order by ${of('b', this.key())}${this.#direction()}, l, r limit ${this.#count()}`;
    return `select ${of('a', this.key())} as k, ${of('b', this.aggregate())} as a, count(*) as n ${from} group by k order by n desc, k limit ${this.#count()}`;
  }

  union(): string {
    const types = ['whole', 'float', 'text', 'time', 'bool'] as const;
    const [v, w] = [pick(this.#random, types), pick(this.#random, types)];
    const arm = (name: string, source: string) => {
      const where = this.#random() < 0.7 ? ` where ${this.bool(2)}` : '';
      return `select '${name}' as s, t.id, ${this[v](2)} as v, ${this[w](1)} as w from sources.${source} as t${where}`;
    };
    const second = pick(this.#random, ['auth_logs', 'auth_logs', 'edge_logs']);
    const arms = `(${[arm('e', 'edge_logs'), arm('a', second)].join(' union all ')}) as u`;
    const where =
      this.#random() < 0.4
        ? ` where ${pick(this.#random, ["s = 'a'", 'v is not null', "id > 'id2'", "w is null or s = 'e'"])}`
        : '';
    if (this.#random() < 0.6)
      return `select s, id, v, w from ${arms}${where} order by v${this.#direction()}, s, id limit ${this.#count()}${pick(this.#random, ['', ' offset 2'])}`;
    return `select v as k, count(w) as a, min(id) as b, count(distinct s) as c, count(*) as n from ${arms}${where} group by k order by n desc, k${this.#direction()} limit ${this.#count()}`;
  }

  #count(): number {
    return 1 + Math.floor(this.#random() * 12);
  }

  #direction(): string {
    return pick(this.#random, ['', ' desc', ' nulls last', ' desc nulls first']);
  }

  #member(): string {
    return `t.metadata.${pick(this.#random, members)}`;
  }

  #array(): string {
    return pick(this.#random, ['t.metadata.tags', 't.metadata.tags', this.#member()]);
  }

  /** A value whose order is total, so that a limit has one answer. */
  key(): string {
    return pick(this.#random, [
      () => this.whole(1),
      () => this.float(1),
      () => this.text(1),
      () => this.time(1),
      () => this.bool(1),
    ])();
  }

  any(depth: number): string {
    return this.#random() < 0.3
      ? this.#member()
      : pick(this.#random, [
          () => this.whole(depth),
          () => this.float(depth),
          () => this.text(depth),
          () => this.time(depth),
          () => this.bool(depth),
        ])();
  }

  aggregate(): string {
    return pick(this.#random, [
      () => 'count(*)',
      () => `count(${this.any(1)})`,
      () => `count(distinct ${this.key()})`,
      () => `countif(${this.bool(1)})`,
      () => `sum(mod(${this.whole(1)}, 1000))`,
      () => `sum(${this.whole(0)})`,
      () => 'sum(t.metadata.execution_time_ms)',
      () => 'avg(t.metadata.execution_time_ms)',
      () => `min(${this.key()})`,
      () => `max(${this.key()})`,
      () =>
        `approx_quantiles(${this.key()}, ${pick(this.#random, ['2', '4', '100'])})[offset(${pick(this.#random, ['0', '1', '2'])})]`,
      () => `logical_or(${this.bool(1)})`,
      () => `logical_and(${this.bool(1)})`,
    ])();
  }

  bool(depth: number): string {
    if (depth <= 0)
      return pick(this.#random, [
        `(${this.#member()} is null)`,
        '(t.metadata.request is not null)',
        `(${this.#member()} = ${pick(this.#random, numbers)})`,
      ]);
    const compare = () => pick(this.#random, ['=', '!=', '<', '<=', '>', '>=']);
    return pick(this.#random, [
      () => `(${this.bool(depth - 1)} and ${this.bool(depth - 1)})`,
      () => `(${this.bool(depth - 1)} or ${this.bool(depth - 1)})`,
      () => `(not ${this.bool(depth - 1)})`,
      () => `(${this.float(depth - 1)} ${compare()} ${this.float(depth - 1)})`,
      () => `(${this.whole(depth - 1)} ${compare()} ${this.whole(depth - 1)})`,
      () => `(${this.text(depth - 1)} ${compare()} ${this.text(depth - 1)})`,
      () => `(${this.time(depth - 1)} ${compare()} ${this.time(depth - 1)})`,
      () => `(${this.#member()} ${compare()} ${pick(this.#random, numbers)})`,
      () => `(${this.#member()} ${compare()} '${pick(this.#random, texts)}')`,
      () => `(${this.#member()} in ('a', '200', '${pick(this.#random, texts)}'))`,
      () => `(${this.whole(depth - 1)} in (1, 200, ${this.whole(0)}))`,
      () => `(${this.float(depth - 1)} between ${pick(this.#random, numbers)} and ${this.float(0)})`,
      () =>
        `(${this.text(depth - 1)} like '${pick(this.#random, ['a%', '%c', '%é%', '_', '%\\\\_%', '/rest/%', '2__'])}')`,
      () =>
        `regexp_contains(${this.text(depth - 1)}, r'${pick(this.#random, ['a.c', '^.$', '(?i)ABC', '\\d+', '[^a-z]', '(?s)a.c', 'é|b', '^/rest/v1'])}')`,
      () => `(${pick(this.#random, elements)} in unnest(${this.#array()}))`,
      () => `(${this.whole(depth - 1)} in unnest(${pick(this.#random, ['[1, 200]', '[404, null]', '[]'])}))`,
      () =>
        `exists (select 1 from unnest(safe_cast(${this.#array()} as array<string>)) as e where ${pick(this.#random, elementConditions)})`,
      () => `starts_with(${this.text(depth - 1)}, '${pick(this.#random, texts)}')`,
      () => `((${this.any(depth - 1)}) is null)`,
      () => `((${this.bool(depth - 1)}) is ${pick(this.#random, ['true', 'not true', 'false', 'not false'])})`,
      () => `(${this.float(depth - 1)} is distinct from ${this.float(depth - 1)})`,
      () => `is_nan(${this.float(depth - 1)})`,
      () => `safe_cast(${this.text(0)} as bool)`,
    ])();
  }

  whole(depth: number): string {
    if (depth <= 0)
      return pick(this.#random, [
        'safe_cast(t.event_message as int64)',
        pick(this.#random, wholes),
        'length(t.event_message)',
      ]);
    return pick(this.#random, [
      () => `if(${this.bool(depth - 1)}, ${this.whole(depth - 1)}, ${this.whole(depth - 1)})`,
      () => `coalesce(${this.whole(depth - 1)}, ${this.whole(depth - 1)})`,
      () => `nullif(${this.whole(depth - 1)}, ${this.whole(depth - 1)})`,
      () => `safe_add(${this.whole(depth - 1)}, ${this.whole(depth - 1)})`,
      () => `safe_multiply(${this.whole(depth - 1)}, ${this.whole(depth - 1)})`,
      () => `mod(${this.whole(depth - 1)}, 7)`,
      () => `div(${this.whole(depth - 1)}, 3)`,
      () => `strpos(${this.text(depth - 1)}, '${pick(this.#random, texts)}')`,
      () =>
        `extract(${pick(this.#random, ['hour', 'day', 'dayofweek', 'dayofyear', 'month', 'quarter', 'year', 'microsecond'])} from ${this.time(depth - 1)})`,
      () => `unix_seconds(${this.time(depth - 1)})`,
      () => `safe_cast(${this.float(depth - 1)} as int64)`,
      () => `greatest(${this.whole(depth - 1)}, ${this.whole(depth - 1)})`,
      () => `length(${this.text(depth - 1)})`,
    ])();
  }

  float(depth: number): string {
    if (depth <= 0)
      return pick(this.#random, [
        'safe_cast(t.event_message as float64)',
        pick(
          this.#random,
          numbers.map((each) => `cast(${each} as float64)`),
        ),
        `safe_cast(${this.#member()} as float64)`,
      ]);
    return pick(this.#random, [
      () => `(${this.float(depth - 1)} / 4)`,
      () => `(${this.float(depth - 1)} + 1.5)`,
      () => `safe_divide(${this.float(depth - 1)}, ${this.float(depth - 1)})`,
      () => `safe_add(${this.float(depth - 1)}, 1e308)`,
      () => `round(${this.float(depth - 1)})`,
      () => `${pick(this.#random, ['floor', 'ceil', 'trunc', 'abs'])}(${this.float(depth - 1)})`,
      () => `if(${this.bool(depth - 1)}, ${this.float(depth - 1)}, ${this.float(depth - 1)})`,
      () => `least(${this.float(depth - 1)}, ${this.float(depth - 1)})`,
      () => `cast(${this.whole(depth - 1)} as float64)`,
      () => `safe_cast(${this.text(depth - 1)} as float64)`,
      () => `coalesce(safe_cast(${this.#member()} as float64), ${this.float(depth - 1)})`,
    ])();
  }

  text(depth: number): string {
    if (depth <= 0)
      return pick(this.#random, [
        't.event_message',
        `'${pick(this.#random, texts)}'`,
        `safe_cast(${this.#member()} as string)`,
        't.id',
      ]);
    return pick(this.#random, [
      () =>
        `substr(${this.text(depth - 1)}, ${pick(this.#random, ['1', '2', '3'])}, ${pick(this.#random, ['0', '1', '5'])})`,
      () => `left(${this.text(depth - 1)}, 2)`,
      () => `right(${this.text(depth - 1)}, 2)`,
      () => `concat('<', ${this.text(depth - 1)})`,
      () => `replace(${this.text(depth - 1)}, 'ab', 'c')`,
      () => `if(${this.bool(depth - 1)}, ${this.text(depth - 1)}, ${this.text(depth - 1)})`,
      () => `coalesce(safe_cast(${this.#member()} as string), ${this.text(depth - 1)})`,
      () => `cast(${this.whole(depth - 1)} as string)`,
      () => `cast(${this.bool(depth - 1)} as string)`,
    ])();
  }

  time(depth: number): string {
    if (depth <= 0) return pick(this.#random, ['t.timestamp', 't.timestamp', pick(this.#random, times)]);
    return pick(this.#random, [
      () => `timestamp_trunc(${this.time(depth - 1)}, ${pick(this.#random, units)})`,
      () => 't.timestamp',
      () => 'timestamp_add(t.timestamp, interval 90 minute)',
      () => 'timestamp_bucket(t.timestamp, interval 5 minute)',
      () => `cast(date(${this.time(depth - 1)}) as timestamp)`,
      () => `if(${this.bool(depth - 1)}, ${this.time(depth - 1)}, ${this.time(depth - 1)})`,
    ])();
  }
}
