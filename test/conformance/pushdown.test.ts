import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../support/enginesUnderTest.ts';
import { ConformanceStore } from './conformanceStore.ts';

/**
 * Nothing passes a LIMIT on its way to the scan: over such a table the same query runs without what
 * planning does to filters, projections and path reads. `{name}` stands for the table.
 */
const barrier = (table: string) => `(select * from ${table} limit 1000)`;

const queries: readonly (readonly [title: string, sql: string])[] = [
  [
    'groups by nested values, NULL among them',
    'select metadata.response.status_code s, metadata.request.method m, count(*) n from {edge_logs} group by s, m order by s, m',
  ],
  [
    'reads a grouped nested value as text, as a number and as JSON',
    'select s, s + 1, concat(s, "x"), s is null from (select metadata.response.status_code s from {edge_logs} group by s) order by s desc',
  ],
  [
    'sorts by nested text, whole numbers and fractions',
    'select id from {edge_logs} order by metadata.request.method desc, metadata.response.status_code, metadata.response.origin_time desc, id',
  ],
  [
    'counts and tells apart nested values',
    'select count(metadata.response.status_code), count(distinct metadata.response.status_code), count(distinct metadata.request.path), count(distinct metadata.response.origin_time) from {edge_logs}',
  ],
  [
    'partitions and orders windows by nested values',
    'select id, row_number() over (partition by metadata.request.method order by metadata.response.status_code desc, id) from {edge_logs} order by id',
  ],
  [
    'takes distinct nested values',
    'select distinct metadata.request.method m, metadata.response.status_code >= 500 from {edge_logs} order by m, 2',
  ],
  [
    'reads below DISTINCT do not make rows differ',
    'select r.method from (select distinct metadata.response r0, metadata.request r from {edge_logs}) order by 1',
  ],
  [
    'compares a whole number with literals of every kind',
    `select id, metadata.response.status_code > 201, metadata.response.status_code >= 200.5, metadata.response.status_code = 404.0, metadata.response.status_code != 500, metadata.response.status_code < -1, metadata.response.status_code between 200 and 404, metadata.response.status_code in (200, 503), metadata.response.status_code not in (200, null), metadata.response.status_code = 9007199254740993 from {edge_logs} order by id`,
  ],
  [
    'compares a fraction with literals',
    'select id, metadata.response.origin_time > 30, metadata.response.origin_time <= 30.5, metadata.response.origin_time = 250.25 from {edge_logs} order by id',
  ],
  [
    'compares nested values with one another',
    'select id, metadata.response.status_code > metadata.response.origin_time, metadata.request.method = metadata.request.path, metadata.request.url like concat("%", metadata.request.path) from {edge_logs} order by id',
  ],
  [
    'reads members through a projection that computes something else',
    'select r.method, up, rs.status_code from (select upper(id) up, metadata.request r, metadata.response rs from {edge_logs}) where r.method != "POST" and rs.status_code < 500 order by up',
  ],
  [
    'reads members through two such projections',
    'select x.r.path, x.n from (select t.m.request r, length(t.up) n, t.m from (select upper(id) up, metadata m from {edge_logs}) t) x where x.m.response.status_code >= 400 order by 1',
  ],
  [
    'reads members of rows that an outer join makes up',
    'select e.id, f.r.method, f.k from {edge_logs} e left join (select id, metadata.request r, concat(id, "!") k from {function_edge_logs}) f on e.id = f.id order by e.id',
  ],
  [
    'filters a joined side by its nested values only after an outer join',
    'select e.id from {edge_logs} e left join (select id, metadata.response.status_code s, upper(id) u from {function_edge_logs}) f on e.id = f.id where f.s is null order by e.id',
  ],
  [
    'reads a member of an outer row in a correlated subquery',
    'select u.up, (select count(*) from {function_edge_logs} f where f.metadata.request.method = u.m.request.method) from (select upper(id) up, metadata m from {edge_logs}) u order by 1',
  ],
  [
    'joins on nested values that are text on one side and numbers on the other',
    'select e.id, a.id from {edge_logs} e join {auth_logs} a on e.metadata.response.status_code = a.metadata.status order by 1, 2',
  ],
  [
    'compares nested members of a table that is read twice in join',
    'with w as (select id, metadata m from {edge_logs} union all select id, metadata from {auth_logs}) select a.id, b.id from w a join w b on a.m.response.status_code = b.m.response.status_code and a.id <= b.id and b.id < "e5" order by 1, 2',
  ],
  [
    'compares nested members of a table that is read twice in left join',
    'with w as (select id, metadata m from {edge_logs} union all select id, metadata from {auth_logs}) select a.id, b.id from w a left join w b on a.m.response.status_code = b.m.response.status_code and a.id <= b.id and b.id < "e5" order by 1, 2',
  ],
  [
    'compares nested members of a table that is read twice in right join',
    'with w as (select id, metadata m from {edge_logs} union all select id, metadata from {auth_logs}) select a.id, b.id from w a right join w b on a.m.response.status_code = b.m.response.status_code and a.id <= b.id and b.id < "e5" order by 1, 2',
  ],
  [
    'compares nested members of a table that is read twice in full join',
    'with w as (select id, metadata m from {edge_logs} union all select id, metadata from {auth_logs}) select a.id, b.id from w a full join w b on a.m.response.status_code = b.m.response.status_code and a.id <= b.id and b.id < "e5" order by 1, 2',
  ],
  [
    'joins nested values that are equal in one way and differ in another',
    `select a.n, b.n from (select n, parse_json(v) j from {edge_logs} cross join unnest([struct(1 as n, '12' as v), (2, '12.0'), (3, '"12"'), (4, '"12.0"'), (5, '-0'), (6, '0'), (7, '9007199254740993'), (8, '9007199254740992'), (9, 'true'), (10, '"true"'), (11, 'null'), (12, '"nan"'), (13, '"NaN"')]) where id = 'e1') a
     join (select n, parse_json(v) j from {edge_logs} cross join unnest([struct(1 as n, '12' as v), (2, '12.0'), (3, '"12"'), (4, '"12.0"'), (5, '-0'), (6, '0'), (7, '9007199254740993'), (8, '9007199254740992'), (9, 'true'), (10, '"true"'), (11, 'null'), (12, '"nan"'), (13, '"NaN"')]) where id = 'e1') b on a.j = b.j order by 1, 2`,
  ],
  [
    'joins on nested text',
    'select e.id, f.id from {edge_logs} e join {function_edge_logs} f on e.metadata.request.method = f.metadata.request.method order by 1, 2',
  ],
  [
    'unions nested values of several tables',
    'select m, count(*) from (select metadata.request.method m from {edge_logs} union all select metadata.request.method from {function_edge_logs} union all select metadata.level from {auth_logs}) group by m order by m',
  ],
  [
    'rolls up nested values',
    'select metadata.request.method m, metadata.response.status_code s, count(*) n from {edge_logs} group by rollup (m, s) order by m, s, n',
  ],
  [
    'has nested values in HAVING, QUALIFY and CASE',
    'select metadata.request.method m, case when metadata.request.method = "GET" then metadata.request.path end p, count(*) n from {edge_logs} group by m, p having m != "HEAD" qualify row_number() over (partition by m order by p) = 1 order by m',
  ],
  [
    'asks for objects inside one another and for what is in them',
    `select id, rq.path, rs.status_code from {edge_logs} t cross join unnest(t.metadata) m cross join unnest(m.request) rq
     cross join unnest(m.response) rs where rs.status_code >= 400 and rs.status_code is not null and t.metadata is not null order by id`,
  ],
  [
    'asks for objects of which one is not there',
    'select id from {edge_logs} t cross join unnest(t.metadata) m cross join unnest(m.request) rq where m.response is null or rq.method != "GET" order by id',
  ],
  [
    'asks for what is in an object and for another one',
    'select id from {edge_logs} t cross join unnest(t.metadata) m cross join unnest(m.response) rs where m.request.method in ("GET", null) order by id',
  ],
  [
    'bounds times twice',
    `select id from {edge_logs} where timestamp > "2000-01-01" and timestamp >= timestamp_add(timestamp "2000-01-01", interval 1 microsecond)
     and timestamp < "2100-01-01" and timestamp <= "2099-01-01" and timestamp != "2050-01-01" order by id`,
  ],
  [
    'computes the same aggregates more than once, and divides whole numbers',
    `select metadata.request.method m, count(*) n, count(*) again, countif(metadata.response.status_code >= 400) bad,
     countif(metadata.response.status_code >= 400) / count(*) rate, count(*) / count(*) one, count(metadata.response.status_code) / 9223372036854775807 tiny,
     sum(9223372036854775807 / 3) s from {edge_logs} group by m having count(*) = n order by count(*), m`,
  ],
  [
    'renames columns through projections, unions and joins',
    `select c, d, t.k from (select b as c, b as d from (select a as b from (select id as a from {edge_logs} where metadata.request.method = "GET") where a != "")
     union all select id, event_message from {auth_logs}) left join (select k from (select id as k, timestamp from {function_edge_logs})) t on t.k = c order by 1, 2, 3`,
  ],
  [
    'takes the newest rows of a union',
    'select id, timestamp from {edge_logs} where metadata.response.status_code is not null union all select id, timestamp from {auth_logs} order by timestamp desc, id limit 4',
  ],
];

const variants = [
  { withHotColumns: false, isSealed: false },
  { withHotColumns: true, isSealed: false },
  { withHotColumns: false, isSealed: true },
  { withHotColumns: true, isSealed: true },
];

describe(
  onEngine(
    'a query answers the same pushed to its scans and not, from metadata and typed columns, in active and sealed files',
  ),
  () => {
    let stores: readonly ConformanceStore[] = [];
    beforeAll(async () => {
      stores = await Promise.all(variants.map((variant) => ConformanceStore.open(variant)));
    });
    afterAll(async () => {
      for (const store of stores) await store.close();
    });

    it.each(queries)('%s', async (_title, sql) => {
      const held = sql.replaceAll(/\{(\w+)\}/g, (_, table: string) => barrier(table));
      const pushed = sql.replaceAll(/\{(\w+)\}/g, '$1');
      const answers = [];
      for (const store of stores) for (const text of [held, pushed]) answers.push((await store.run(text)).rows);
      const [expected] = answers;
      expect(expected?.length).toBeGreaterThan(0);
      for (const rows of answers) expect(rows).toEqual(expected);
    });
  },
);
