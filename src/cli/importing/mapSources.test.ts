import { describe, expect, it } from 'vitest';
import { mapSources } from './mapSources.ts';

const names = {
  streams: ['edge_logs', 'auth_logs', 'function_edge_logs'],
  given: new Map([['prod.http', 'edge_logs']]),
  nameOfId: new Map([['0c9f3a52-6a3e-4c43-9f0e-6f1f8f0e2b11', 'edge.logs']]),
};
const map = (query: string) => mapSources(query, names);

describe('a table of another service', () => {
  it.each([
    ['select id from `project.dataset.edge_logs`', 'select id from sources.edge_logs'],
    ['select id from `edge.logs` as t', 'select id from sources.edge_logs as t'],
    ['select id from `edge-logs`', 'select id from sources.edge_logs as `edge-logs`'],
    ['select id from `prod.http` t', 'select id from sources.edge_logs t'],
    ['select http.id from `prod.http`', 'select http.id from sources.edge_logs as `http`'],
    ['select id from project.`dataset`.edge_logs', 'select id from sources.edge_logs'],
    ['select 1 from `p.d.0c9f3a52_6a3e_4c43_9f0e_6f1f8f0e2b11` as e', 'select 1 from sources.edge_logs as e'],
    [
      "with a as (select 'é', `x` from `edge.logs` t, unnest(t.metadata) as x) select * from a join `auth.logs` b on true",
      "with a as (select 'é', `x` from sources.edge_logs t, unnest(t.metadata) as x) select * from a join sources.auth_logs b on true",
    ],
  ])('is the stream that it names: %s', (query, expected) => {
    const { query: text, unmapped } = map(query);
    expect(text.replaceAll(' as `logs`', '')).toBe(expected);
    expect(unmapped).toEqual([]);
  });

  it('is left, and told with its place, where none or several could be meant', () => {
    const { query, unmapped } = map('select 1\nfrom `other.table`, `edge_logs.auth_logs` as two');
    expect(query).toContain('`other.table`');
    expect(unmapped).toEqual([
      { name: 'other.table', line: 2, column: 6, candidates: [] },
      { name: 'edge_logs.auth_logs', line: 2, column: 21, candidates: ['edge_logs', 'auth_logs'] },
    ]);
  });

  it.each([
    'with edge_logs as (select 1 as a) select a from edge_logs',
    'select id from sources.edge_logs',
    'select m.x from sources.edge_logs as t, t.metadata as m',
    'this is `edge.logs` no query',
  ])('is none in %s', (query) => {
    expect(map(query)).toEqual({ query, mapped: [], unmapped: [] });
  });
});
