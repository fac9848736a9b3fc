import { expect, it } from 'vitest';
import { atOnce } from '../../../core/concurrency/turns.ts';
import { compileStored } from '../../../googlesql/compile.ts';
import { newestFirst } from '../../../googlesql/plan/newestFirst.ts';
import { QueryPlanner } from '../../../googlesql/plan/queryPlan.ts';
import type { Column } from '../../../googlesql/resolve/tree.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { cutoffInSteps } from './emitStatement.ts';
import type { ScanChoice } from './scanChoice.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const edge = `sources.edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as request`;

function readsMetadata(sql: string): boolean {
  const plan = new QueryPlanner().plan({
    query: compileStored(sql, { sources, parameters: new Map() }),
    parameters: new Map(),
    projects: null,
    redaction: null,
    nowMicros: 0,
  });
  const newest = newestFirst(plan.relation, 10);
  if (newest === null) throw new Error('not of the newest rows');
  const choice: ScanChoice = {
    databases: ['active_1'],
    ordinals: new Map(),
    irregular: new Set(),
    kept: new Map(),
    unnumbered: new Map(),
  };
  const choices = new Map<Column, ScanChoice>([...plan.bounds.keys()].map((timestamp) => [timestamp, choice]));
  return atOnce(cutoffInSteps(plan, newest, choices, plan.bounds)).readsMetadata;
}

it.each([
  [`select id, request.cf.city from ${edge} where request.cf.asn = 1 order by timestamp desc`],
  [
    `select id from sources.edge_logs as t where t.metadata is not null and to_json_string(t.metadata) like '%x%' order by timestamp desc`,
  ],
  [
    `select * from (select timestamp, upper(request.cf.city) as city from ${edge}) where city = 'X' order by timestamp desc`,
  ],
  [
    `select timestamp from sources.auth_logs union all (select timestamp from ${edge} where request.cf.asn = 1) order by timestamp desc`,
  ],
])('looks at stored metadata to find a cutoff: %s', (sql) => {
  expect(readsMetadata(sql)).toBe(true);
});

it.each([
  [`select id, request.cf.city, t.metadata from ${edge} where request.method = 'GET' order by timestamp desc`],
  [
    `select timestamp, upper(request.cf.city) as city, to_json_string(t.metadata) as m from ${edge} where event_message like '%x%' order by timestamp desc`,
  ],
  [`select * from (select timestamp, upper(request.cf.city) as city from ${edge}) order by timestamp desc`],
  [
    `select timestamp, id from sources.auth_logs union all select timestamp, request.cf.city from ${edge} order by timestamp desc`,
  ],
])('finds a cutoff by other columns alone: %s', (sql) => {
  expect(readsMetadata(sql)).toBe(false);
});
