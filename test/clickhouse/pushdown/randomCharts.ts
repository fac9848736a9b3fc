import { pick, randomOf } from './oddEvents.ts';

/**
 * A random chart: groups of events joined with constant tables of times, and what is computed of them. The order of its rows is
 * open unless it has an ORDER BY of all its columns.
 */
export function randomChart(seed: number): string {
  return new Charts(randomOf(seed)).chart();
}

interface Unit {
  readonly unit: string;
  readonly ranges: readonly (readonly [from: string, to: string])[];
}

const units: readonly Unit[] = [
  {
    unit: 'day',
    ranges: [
      ['2026-01-01', '2026-12-31'],
      ['2026-05-01', '2026-05-01'],
      ['2026-05-02', '2026-05-01'],
      ['1969-01-01', '1970-12-31'],
      ['1899-12-30', '1900-02-01'],
      ['2026-04-30 00:00:01', '2026-06-01'],
    ],
  },
  {
    unit: 'hour',
    ranges: [
      ['2026-05-01', '2026-05-03 23:00:00'],
      ['2026-05-01 10:30:00', '2026-05-02'],
      ['1969-07-20', '1970-01-02'],
    ],
  },
  {
    unit: 'minute',
    ranges: [
      ['2026-05-01 09:50:00', '2026-05-01 11:10:00'],
      ['2026-05-01 09:50:00.000001', '2026-05-01 11:10:00'],
    ],
  },
  {
    unit: 'second',
    ranges: [
      ['2026-05-01 09:59:50', '2026-05-01 10:00:10'],
      ['1969-12-31 23:59:50', '1970-01-01 00:00:10'],
    ],
  },
];

const literals = ["'a'", "'it\\'s'", "'\\\\'", "'a\\u0000b'", "'{p0:String}'", "'?'", "'é'", "'\\') or (1=1'", "'%'"];

class Charts {
  readonly #random: () => number;
  readonly #unit: Unit;
  /** Whether most of it is what ClickHouse computes whole. */
  readonly #isPlain: boolean;

  constructor(random: () => number) {
    this.#random = random;
    this.#unit = pick(random, units);
    this.#isPlain = random() < 0.7;
  }

  /** The first items, most of the time in a plain chart. */
  #pick<T>(plain: number, items: readonly T[]): T {
    return pick(this.#random, this.#isPlain && this.#random() < 0.93 ? items.slice(0, plain) : items);
  }

  chart(): string {
    const withTables: string[] = [];
    const times = this.#times(withTables);
    const groups = this.#groups('g');
    const others = this.#random() < (this.#isPlain ? 0.03 : 0.15) ? this.#groups('h') : null;
    const on = this.#on('g');
    const isTimesFirst = this.#random() < 0.5;
    const [a, b] = isTimesFirst ? [times, groups] : [groups, times];
    const isEmpty = times.includes('unnest([])');
    const kept = isEmpty ? [isTimesFirst ? 'right' : 'left', 'full'] : ['inner', isTimesFirst ? 'left' : 'right'];
    const join = this.#pick(2, [...kept, 'left', 'right', 'full', 'inner']);
    const second =
      others === null ? '' : ` ${pick(this.#random, ['left', 'full', 'inner'])} join ${others} on ${this.#on('h')}`;
    const from = `${a} ${join} join ${b} on ${on}${second}`;
    const demanded =
      this.#isPlain && this.#random() < 0.8
        ? `${pick(this.#random, ['g.k', 'g.k', 'g.m', 'g.n'])} is not null`
        : 'true';
    const where =
      demanded !== 'true' || this.#random() < 0.75
        ? ` where ${demanded}${this.#random() < 0.6 ? ` and ${this.#where(1)}` : ''}`
        : '';
    const head = withTables.length === 0 ? '' : `with ${withTables.join(', ')} `;
    if (this.#random() < (this.#isPlain ? 0.05 : 0.25)) {
      const key = pick(this.#random, ['g.k', 'd', 'timestamp_trunc(d, month)', 'g.m', 'coalesce(d, g.k)']);
      const having = this.#random() < 0.3 ? ' having count(*) > 1' : '';
      return `${head}select ${key} as x, count(*) as c, sum(g.n) as s, max(d) as y, count(g.k) as z, count(distinct g.m) as u from ${from}${where} group by x${having} order by x, c, s, y, z, u`;
    }
    const columns = Array.from({ length: 2 + Math.floor(this.#random() * 5) }, () => this.#column());
    const names = columns.map((_, i) => `c${i}`);
    const select = `select ${this.#random() < 0.1 ? 'distinct ' : ''}${columns.map((column, i) => `${column} as c${i}`).join(', ')} from ${from}${where}`;
    const direction = pick(this.#random, ['', ' desc', ' nulls last', ' desc nulls first']);
    const ordered =
      this.#random() < 0.7
        ? ` order by ${names.map((name) => name + direction).join(', ')}${this.#random() < 0.3 ? ` limit ${1 + Math.floor(this.#random() * 8)}` : ''}`
        : '';
    if (this.#random() < 0.15)
      return `${head}select q.c0, q.c1, q.c0 as again from (${select}) as q where q.c1 is not null or q.c0 is null order by c0, c1`;
    return head + select + ordered;
  }

  /** A table with the time `d`. */
  #times(withTables: string[]): string {
    const [from, to] = pick(this.#random, this.#unit.ranges);
    const step = this.#random() < 0.85 ? '1' : pick(this.#random, ['2', '-1']);
    const array = this.#pick(4, [
      `generate_timestamp_array(timestamp '${from}', timestamp '${to}', interval ${step} ${this.#unit.unit})`,
      `generate_timestamp_array(timestamp '${from}', timestamp '${to}', interval ${step} ${this.#unit.unit})`,
      `generate_timestamp_array(timestamp '${from}', timestamp '${to}', interval ${step} ${this.#unit.unit})`,
      `generate_timestamp_array(timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 ${this.#unit.unit}), ${this.#unit.unit}), timestamp_trunc(timestamp_add(current_timestamp(), interval 30 ${this.#unit.unit}), ${this.#unit.unit}), interval 1 ${this.#unit.unit})`,
      `[timestamp '${from}', timestamp '${to}', timestamp '2026-05-01 10:00:00']`,
      "if(1 = 0, [timestamp '2026-05-01'], [])",
    ]);
    return this.#pick(5, [
      () => `unnest(${array}) as d`,
      () => `unnest(${array}) as d`,
      () => `(select d from unnest(${array}) as d)`,
      () => `(select cast(e as timestamp) as d from unnest([]) as e)`,
      () => {
        withTables.push(
          `arr as (select ${array} as a, 7 as seven)`,
          'dates as (select d from arr cross join unnest(arr.a) as d)',
        );
        return 'dates';
      },
      () => {
        withTables.push(
          `arr as (select ${array} as a, ${pick(this.#random, ['7', "'x'", 'rand()', 'current_timestamp()', '1/0', 'null'])} as seven)`,
        );
        return '(select d, arr.seven as seven from arr cross join unnest(arr.a) as d)';
      },
      () => `(select e as d from unnest(${array}) as e where e is not null)`,
      () => `(select distinct e as d from unnest(${array}) as e)`,
      () => `(select e as d from unnest(${array}) as e order by e limit 3)`,
    ])();
  }

  #groups(alias: string): string {
    const source = this.#pick(2, ['edge_logs', 'function_edge_logs', 'auth_logs']);
    const unit =
      this.#random() < (this.#isPlain ? 0.9 : 0.7)
        ? this.#unit.unit
        : pick(this.#random, ['day', 'hour', 'minute', 'second', 'week', 'month']);
    const key = this.#pick(5, [
      `timestamp_trunc(t.timestamp, ${unit})`,
      `timestamp_trunc(t.timestamp, ${unit})`,
      `timestamp_trunc(t.timestamp, ${unit})`,
      't.timestamp',
      `if(t.metadata.response.status_code = 200, null, timestamp_trunc(t.timestamp, ${unit}))`,
      `timestamp_trunc(t.timestamp, ${unit}, 'UTC')`,
      `timestamp_add(timestamp_trunc(t.timestamp, ${unit}), interval 1 hour)`,
    ]);
    const where = pick(this.#random, [
      '',
      ` where t.event_message != ${pick(this.#random, literals)}`,
      ' where t.metadata.response.status_code >= 200',
      ' where t.id = "none"',
      ` where t.metadata.x is not null`,
      ` where t.metadata.request.method in ('GET', ${pick(this.#random, literals)})`,
    ]);
    const having = this.#pick(3, [
      '',
      '',
      ' having count(*) > 1',
      ' having n / n = 1 and count(*) > 1',
      ' having max(t.event_message) is not null',
    ]);
    const two = this.#random() < 0.2 ? ', l' : '';
    const [e, f] = [this.#aggregate(source), this.#aggregate(source)];
    return `(select ${key} as k, ${two === '' ? '' : 't.metadata.request.method as l, '}count(*) as n, min(t.event_message) as m, ${e} as e, ${f} as f, count(t.metadata.response.status_code) as i, sum(mod(safe_cast(t.metadata.response.status_code as int64), 1000)) as s from sources.${source} as t${where} group by k${two}${having}) as ${alias}`;
  }

  #aggregate(source: string): string {
    // Others are not in typed columns, so that 17 and 17.0 tie.
    const float =
      source === 'edge_logs'
        ? 't.metadata.response.origin_time'
        : source === 'auth_logs'
          ? 'length(t.event_message)'
          : 't.metadata.execution_time_ms';
    return this.#pick(13, [
      'countif(t.metadata.response.status_code >= 400)',
      'countif(t.metadata.response.status_code >= 400) / count(*)',
      'sum(mod(safe_cast(t.metadata.response.status_code as int64), 1000)) / count(*)',
      `max(${float})`,
      `min(${float})`,
      'min(safe_cast(t.metadata.execution_time_ms as float64))',
      'avg(safe_cast(t.metadata.execution_time_ms as float64)) / count(*)',
      'max(safe_cast(t.event_message as float64)) / count(*)',
      'count(distinct t.event_message) / count(*)',
      'approx_quantiles(safe_cast(t.metadata.execution_time_ms as float64), 100)[offset(95)]',
      'max(t.timestamp)',
      'logical_or(t.metadata.response.status_code = 200)',
      'count(*) / 1.5',
      'count(*) / count(t.metadata.response.status_code)',
      'any_value(1)',
      'safe_divide(count(t.metadata.x), countif(t.metadata.x is null))',
      'count(*) / 0.5',
      'div(count(*), 2)',
      '(count(*) - 1) / count(*)',
    ]);
  }

  #on(alias: 'g' | 'h'): string {
    return this.#pick(3, [
      `${alias}.k = d`,
      `d = ${alias}.k`,
      `${alias}.k = d`,
      `${alias}.k = d and ${alias}.n > 1`,
      `${alias}.k = d and d > timestamp '2026-05-01'`,
      `${alias}.k <= d and ${alias}.n > 2`,
      `timestamp_trunc(${alias}.k, day) = d`,
      `${alias}.k is not distinct from d`,
      `(${alias}.k = d or ${alias}.n = 1)`,
      'false',
      'true',
    ]);
  }

  #where(depth: number): string {
    if (depth > 0 && this.#random() < 0.5)
      return `${this.#where(depth - 1)} ${this.#isPlain || this.#random() < 0.75 ? 'and' : 'or'} ${this.#where(depth - 1)}`;
    return this.#pick(15, [
      'g.k is not null',
      'g.m is not null',
      'd is not null',
      'g.n > 1',
      'not (g.k is null)',
      'not (g.n = 1)',
      "d > timestamp '2026-05-01'",
      "d <= timestamp '2026-05-02'",
      "g.m != ''",
      `g.m < ${pick(this.#random, literals)}`,
      'extract(day from d) = 1',
      'g.e is not null',
      'd = g.k',
      'g.s / g.n > 200',
      '(g.n > 2 or d is null)',
      'd is null',
      'g.k is null',
      '(1 = 0 or g.k is not null)',
      '10 / (g.n - 1) > 2',
      'safe_divide(10, g.n - 1) > 2',
      'd in (select timestamp_trunc(z.timestamp, day) from sources.edge_logs as z)',
      'exists (select 1 from sources.auth_logs as z where z.id = g.m)',
      'coalesce(g.n, 0) >= 0',
      'false',
      'true',
      'null',
    ]);
  }

  #column(): string {
    return this.#pick(20, [
      'd',
      'd',
      'g.k',
      'g.k',
      'g.n',
      'g.m',
      'g.s',
      'g.e',
      'g.f',
      'ifnull(g.n, 0)',
      'coalesce(d, g.k)',
      'g.s / g.n',
      'g.n / g.n',
      'g.n * 0.5',
      'timestamp_trunc(d, month)',
      'datetime(d)',
      'date(g.k)',
      'g.n > 1',
      `concat(g.m, ${pick(this.#random, literals)})`,
      pick(this.#random, literals),
      'safe_divide(g.s, g.i)',
      'g.n / g.i',
      'g.n / (g.n - 1)',
      'g.n * 1.5',
      '(g.n + g.i) / g.n',
      'cast(d as string)',
      "format_timestamp('%F', d)",
      'unix_micros(d)',
      'timestamp_diff(d, g.k, second)',
      'sum(g.n) over (order by d, g.k, g.n, g.m rows between unbounded preceding and current row)',
      'row_number() over (partition by g.k order by d, g.n, g.m, g.s)',
      'case when g.k is null then "gap" else "row" end',
      'null',
    ]);
  }
}
