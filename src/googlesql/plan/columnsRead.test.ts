import { describe, expect, it } from 'vitest';
import { builtinSources } from '../../sources/builtin.ts';
import { compileCaller, compileStored } from '../compile.ts';
import { membersRead, sourcesRead, tablesRead } from './columnsRead.ts';

const context = {
  sources: new Map(builtinSources.map((source) => [source.name, source] as const)),
  parameters: new Map([['project', 'string'] as const]),
};
const stored = `with edge_logs as (select timestamp, id, event_message, metadata from sources.edge_logs where project = @project),
  auth_logs as (select timestamp, id, event_message, metadata from sources.auth_logs where project = @project),
  minutes as (select timestamp_trunc(timestamp, minute) as start, count(*) as n, any_value(metadata) as sample from edge_logs group by 1)
  select id, n from edge_logs, minutes order by timestamp`;

const shown = (reads: ReturnType<typeof tablesRead>) =>
  reads.map(({ name, columns }) => `${name}(${columns.join(', ')})`);

describe('columns that a query reads', () => {
  it.each([
    ['select id from edge_logs', ['edge_logs(id)']],
    ['select count(*) from edge_logs', ['edge_logs()']],
    ['select 1', []],
    ['select * from edge_logs', ['edge_logs(event_message, id, metadata, timestamp)']],
    ['select id from (select * from edge_logs)', ['edge_logs(id)']],
    ['with own as (select * from edge_logs) select o.id from own as o', ['edge_logs(id)']],
    ['with own as (select * from edge_logs) select 1', []],
    ['select metadata.request.path from edge_logs', ['edge_logs(metadata.request.path)']],
    ['select metadata[offset(0)].request[safe_offset(0)].path from edge_logs', ['edge_logs(metadata.request.path)']],
    [
      'select r.path from edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r',
      ['edge_logs(metadata.request.path)'],
    ],
    ['select count(*) from edge_logs cross join unnest(metadata) as m', ['edge_logs(metadata)']],
    [
      'select upper(event_message) as u from edge_logs where timestamp > current_timestamp()',
      ['edge_logs(event_message, timestamp)'],
    ],
    ['select id from edge_logs order by timestamp', ['edge_logs(id, timestamp)']],
    ['select metadata.request from edge_logs group by 1', ['edge_logs(metadata.request)']],
    ['select max(metadata.a.b) from edge_logs having min(metadata.c) > 1', ['edge_logs(metadata.a.b, metadata.c)']],
    ['select distinct id from edge_logs', ['edge_logs(id)']],
    [
      'select a.id from edge_logs as a join auth_logs as b on a.timestamp = b.timestamp',
      ['edge_logs(id, timestamp)', 'auth_logs(timestamp)'],
    ],
    [
      'select id from edge_logs union all select event_message from auth_logs',
      ['edge_logs(id)', 'auth_logs(event_message)'],
    ],
    [
      'select 1 from edge_logs where id in (select id from auth_logs where metadata.x = 1)',
      ['edge_logs(id)', 'auth_logs(id, metadata.x)'],
    ],
    [
      'select (select max(timestamp) from auth_logs as b where b.id = a.id) as m from edge_logs as a',
      ['edge_logs(id)', 'auth_logs(id, timestamp)'],
    ],
    [
      'select row_number() over (partition by metadata.x order by timestamp) as n from edge_logs',
      ['edge_logs(metadata.x, timestamp)'],
    ],
    ['select sample.request.path from minutes', ['minutes(sample.request.path)']],
    [
      'select id from edge_logs where exists (select 1 from unnest(metadata.tags) as e where e.x = 1)',
      ['edge_logs(id, metadata.tags.x)'],
    ],
  ])('%s', (sql, tables) => {
    expect(shown(tablesRead(compileCaller(sql, stored, context)))).toEqual(tables);
  });

  it('are those of the outer query for a stored one, and those of the sources below', () => {
    const query = compileStored(stored, context);
    expect(shown(tablesRead(query))).toEqual(['edge_logs(id, timestamp)', 'minutes(n)']);
    // What a table computes is read even where only another of its columns is wanted.
    expect(shown(sourcesRead(query))).toEqual(['edge_logs(id, metadata, project, timestamp)']);
  });

  it('of sources are found through the tables of the endpoint', () => {
    const query = compileCaller('select metadata.msg from auth_logs', stored, context);
    expect(shown(sourcesRead(query))).toEqual(['auth_logs(metadata.msg, project)']);
  });
});

describe('members that a caller query reads', () => {
  // The second table has an optimization barrier, because it does not select one project.
  const tables = `with held as (select timestamp, metadata from sources.edge_logs where project = @project),
    open as (select timestamp, metadata from sources.edge_logs)
    select timestamp from held`;

  it.each(['held', 'open'])('are found in the table %s, with names that contain dots', (table) => {
    const sql = `select r.path, t.metadata.\`a.b\` from ${table} as t cross join unnest(t.metadata.request) as r`;
    const query = compileCaller(sql, tables, context);
    expect(shown(tablesRead(query))).toEqual([`${table}(metadata.a.b, metadata.request.path)`]);
    expect(membersRead(query)).toEqual(
      expect.arrayContaining([
        { table, path: ['metadata', 'a.b'] },
        { table, path: ['metadata', 'request', 'path'] },
      ]),
    );
  });
});
