import type { SeededRandom } from '../../src/demo/seededRandom.ts';
import { logStreams } from '../support/logStreams.ts';
import { logVocabulary, TypedQueries, type Vocabulary } from './typedQuery.ts';

/** A call of an endpoint by one tenant. */
export interface TenantCall {
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const statsVocabulary: Vocabulary = {
  froms: ['agg', 'agg cross join dates as d', 'agg left join dates as d using (timestamp)', 'agg cross join arr'],
  columns: {
    TIMESTAMP: ['agg.timestamp'],
    INT64: ['agg.count', 'agg.error_count', 'agg.two_xx_status_code_count'],
    FLOAT64: ['agg.avg_execution_time', 'agg.p99_execution_time', 'agg.max_execution_time'],
  },
};

const countsVocabulary: Vocabulary = {
  froms: ['chart_counts', 'chart_counts cross join dates as d'],
  columns: {
    DATETIME: ['chart_counts.timestamp'],
    INT64: ['chart_counts.total_rest_requests', 'chart_counts.total_auth_requests'],
  },
};

/** Of a union an engine may read any arm first, which aggregates without ORDER BY and ties in windows show. */
const [first, ...others] = logVocabulary.froms.filter((from) => !from.includes('union'));
const withoutUnion: Vocabulary = { ...logVocabulary, froms: [first ?? 'edge_logs as t', ...others] };

/** Expressions over one table, called `t`. */
const oneTable: Vocabulary = {
  froms: ['edge_logs as t'],
  columns: {
    STRING: ['t.id', 't.event_message', "json_value(t.event_message, '$.text')"],
    TIMESTAMP: ['t.timestamp'],
    JSON: [
      't.metadata',
      't.metadata.n',
      't.metadata.request',
      't.metadata.request.path',
      't.metadata.request.url',
      't.metadata.response.status_code',
      't.metadata.parsed.error_severity',
      't.metadata.execution_time_ms',
      't.metadata.words',
      't.metadata.host',
      't.metadata[0].response',
    ],
  },
};

/**
 * Makes calls of the shipped endpoints, most of them with a query of the caller: whatever the typed
 * grammar makes, and the ways in which one table can be brought beside another. Answers do not depend
 * on the order in which an engine finds rows.
 */
export class TenantCalls {
  readonly #random: SeededRandom;
  readonly #typed: TypedQueries;
  readonly #row: TypedQueries;
  readonly #stats: TypedQueries;
  readonly #counts: TypedQueries;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#typed = new TypedQueries(random, withoutUnion);
    this.#row = new TypedQueries(random, oneTable);
    this.#stats = new TypedQueries(random, statsVocabulary);
    this.#counts = new TypedQueries(random, countsVocabulary);
  }

  /** `pattern` finds the tenant's own requests. */
  call(project: string, pattern: string): TenantCall {
    const random = this.#random;
    const chosen = random.integer(0, 19);
    if (chosen < 3) return this.#statsCall(project);
    if (chosen < 6) return this.#countsCall(pattern);
    if (chosen === 6) return { endpoint: 'logs.all', parameters: { project, lql: this.#lql() } };
    const sql = chosen < 9 ? ordered(withoutLimit(this.#typed.query())) : ordered(this.#combined());
    const tier = random.pick(['', 'FREE', 'PRO', 'PAYG'] as const);
    return tier === ''
      ? { endpoint: 'logs.all', parameters: { project, sql } }
      : { endpoint: '6827ba9b-37ca-425d-8cde-4f10a8dd70f3', parameters: { project, project_tier: tier, sql } };
  }

  #lql(): string {
    const random = this.#random;
    const path = (): string =>
      random.pick(['m.n', 'm.host', 'm.request.path', 'm.request.url', 'm.words', 'm.response.status_code'] as const);
    const value = (): string =>
      random.pick(['5', '0', '7771000..7771005', 'GET', '~"("', '~"a"', 'NULL', '"rest"', 'true'] as const);
    const operator = (): string => random.pick([':', ':>', ':<=', ':~', ':@>', ':@>~'] as const);
    const forms: readonly [() => string, ...(() => string)[]] = [
      () => `${path()}${operator()}${value()}`,
      () => 'message',
      () => '~"message [0-9]"',
      () => 'm.level:debug..error',
      () => `t:last@${random.integer(1, 9)}h`,
    ];
    const clauses = Array.from(
      { length: random.integer(1, 3) },
      () => `${random.pick(['', '', '-'])}${random.pick(forms)()}`,
    );
    const shape = random.pick([
      '',
      's:id s:m.n@n',
      'c:count(*)',
      `c:${random.pick(['avg', 'max', 'countd', 'p95'] as const)}(${path()})`,
    ] as const);
    return [`f:${this.#table()}`, ...clauses, shape].join(' ').trim();
  }

  #statsCall(project: string): TenantCall {
    const random = this.#random;
    const interval = random.pick(['5min', '15min', '1hr', '1day', '7day'] as const);
    const fill = random.pick(['', 'zero'] as const);
    const sql = random.chance(0.2) ? '' : ordered(this.#overSummary(this.#stats, statsVocabulary.froms));
    return { endpoint: 'functions.invocation-stats', parameters: { project, interval, fill, sql } };
  }

  #countsCall(project: string): TenantCall {
    const random = this.#random;
    const interval = random.pick(['hourly', 'daily', 'minutely', '15min', '3day'] as const);
    const fill = random.pick(['', 'zero'] as const);
    const sql = random.chance(0.2) ? '' : ordered(this.#overSummary(this.#counts, countsVocabulary.froms));
    return { endpoint: 'usage.api-counts', parameters: { project, interval, fill, sql } };
  }

  #overSummary(typed: TypedQueries, froms: Vocabulary['froms']): string {
    const random = this.#random;
    const from = random.pick(froms);
    const list = Array.from({ length: random.integer(1, 3) }, (_, n) => `${this.#any(typed)} as c${n}`).join(', ');
    const where = random.chance(0.7) ? ` where ${typed.expression('BOOL', 3)}` : '';
    if (random.chance(0.3)) return `select count(*) as n, max(c0) as m from (select ${list} from ${from}${where})`;
    return `select ${list} from ${from}${where}`;
  }

  #any(typed: TypedQueries): string {
    return typed.expression(this.#random.pick(['INT64', 'FLOAT64', 'STRING', 'BOOL', 'TIMESTAMP', 'JSON'] as const), 2);
  }

  /** An expression over the columns of `alias`. */
  #of(alias: string, wanted: 'BOOL' | 'STRING' | 'INT64' | 'FLOAT64' | 'TIMESTAMP' | 'JSON', depth = 2): string {
    return this.#row.expression(wanted, depth).replaceAll(/\bt\./g, `${alias}.`);
  }

  #table(): string {
    return this.#random.pick(logStreams);
  }

  #combined(): string {
    const random = this.#random;
    const [a, b, c] = [this.#table(), this.#table(), this.#table()];
    const join = random.pick(['join', 'left join', 'right join', 'full join'] as const);
    const wanted = random.pick(['STRING', 'INT64', 'FLOAT64', 'TIMESTAMP'] as const);
    const both = () => `${this.#of('a', wanted, 1)} ${random.pick(['=', '!=', '<'])} ${this.#of('b', wanted, 1)}`;
    const forms: readonly [() => string, ...(() => string)[]] = [
      () => `select ${this.#of('t', wanted, 3)} as x, t.id from ${a} as t where ${this.#of('t', 'BOOL', 4)}`,
      () => `select a.id as x, b.id as y, ${this.#of('b', 'JSON')} as z from ${a} as a ${join} ${b} as b on ${both()}`,
      () =>
        `select a.id as x, count(*) as n, max(${this.#of('b', wanted)}) as m from ${a} as a ${join} ${b} as b using (timestamp) where ${this.#of('a', 'BOOL')} group by 1`,
      () => `select count(*) as n from ${a} as a, ${b} as b, ${c} as c where ${both()} and ${this.#of('c', 'BOOL')}`,
      () =>
        `select a.id as x, (select count(*) from ${b} as b where ${both()} and ${this.#of('b', 'BOOL')}) as n from ${a} as a where ${this.#of('a', 'BOOL')}`,
      () =>
        `select a.id as x from ${a} as a where ${random.pick(['', 'not '])}exists (select 1 from ${b} as b where ${both()})`,
      () =>
        `select a.id as x from ${a} as a where ${this.#of('a', wanted)} ${random.pick(['in', 'not in'])} (select ${this.#of('b', wanted)} from ${b} as b where ${this.#of('b', 'BOOL')})`,
      () =>
        `select a.id as x, array(select b.id from ${b} as b where ${both()} order by b.id) as y from ${a} as a where ${this.#of('a', 'BOOL')}`,
      () =>
        `select ${this.#of('a', wanted)} as x from ${a} as a ${random.pick(['union all', 'union distinct', 'intersect distinct', 'except distinct'])} select ${this.#of('b', wanted)} from ${b} as b where ${this.#of('b', 'BOOL')}`,
      () =>
        `select a.id as x, ${random.pick(['row_number()', 'rank()', 'lag(a.id)', 'count(*)', `max(${this.#of('a', wanted)})`])} over (partition by ${this.#of('a', 'BOOL')} order by ${this.#of('a', wanted)}, a.id) as w from ${a} as a qualify ${random.pick(['w is not null', 'true', 'w is null'])}`,
      () =>
        `with ${a} as (select * from ${b} as t where ${this.#of('t', 'BOOL')}), q as (select id, timestamp, event_message, metadata from ${a} union all select id, timestamp, event_message, metadata from ${c}) select ${this.#of('q', wanted, 3)} as x, id from q where ${this.#of('q', 'BOOL', 3)}`,
      () =>
        `select ${this.#of('a', wanted)} as x, count(*) as n, string_agg(a.id, ',' order by a.id) as ids from ${a} as a group by 1 having ${random.pick(['count(*) > 1', 'true', 'min(a.timestamp) is not null'])}`,
      () =>
        `select t.id as x, e as y from ${a} as t cross join unnest(t.metadata) as m cross join unnest(m.${random.pick(['words', 'request', 'response', 'host', 'n'] as const)}) as e where ${this.#of('t', 'BOOL')}`,
      () =>
        `select a.id as x from (select * from ${a} as t where ${this.#of('t', 'BOOL')}) as a ${join} (select * from ${b} as t where ${this.#of('t', 'BOOL')}) as b on ${both()} where ${random.pick(['true', 'b.id is null', 'a.id is null', this.#of('b', 'BOOL')])}`,
      () => `select id as x, 100 / cast(metadata.n as int64) as y from ${a} where ${this.#of(a, 'BOOL')}`,
      () =>
        `select id as x, regexp_contains('x', event_message) as y, timestamp_sub(timestamp, interval 621000 day) as z, parse_json(event_message) as j from ${a}`,
      () => `select id as x from ${a} as a order by timestamp desc, id limit ${random.integer(0, 20)}`,
    ];
    return random.pick(forms)();
  }
}

/** What the order of rows cannot change; which rows a LIMIT cuts is open where they tie. */
function withoutLimit(sql: string): string {
  return sql.replace(/(?: order by [^()]*)? limit \d+$/, '');
}

/** The query with its rows in an order that leaves no choice; one with a LIMIT has such an order. */
function ordered(sql: string): string {
  if (/ limit \d+$/.test(sql)) return sql;
  return `select to_json_string(q) as r from (${sql}) as q order by r`;
}
