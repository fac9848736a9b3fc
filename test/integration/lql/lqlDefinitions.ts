const project = { project: { type: 'string', required: true } };
const own = 'where t.project = @project';

/** Endpoints whose tables are unlike those of `logs.all`. */
export const definitions: readonly Readonly<Record<string, unknown>>[] = [
  {
    id: '00000000-0000-4000-8000-0000000000a1',
    name: 'one.table',
    query: `with rows_of_one as (select id, timestamp, event_message, metadata from sources.edge_logs as t ${own}) select 1 as one`,
    sandbox: true,
    max_rows: 3,
    parameters: project,
  },
  {
    id: '00000000-0000-4000-8000-0000000000a2',
    name: 'typed.tables',
    query: `with numbers as (select t.id as name, 7 as n, 2.5 as half, t.timestamp > '2026-05-01' as young from sources.edge_logs as t ${own}),
      hours as (select cast(timestamp_trunc(t.timestamp, hour) as datetime) as timestamp, count(*) as n from sources.edge_logs as t ${own} group by 1),
      letters as (select t.id, ['a', 'bc'] as list, 1 as c from sources.edge_logs as t ${own})
      select 1 as one`,
    sandbox: true,
    parameters: project,
  },
  {
    id: '00000000-0000-4000-8000-0000000000a3',
    name: 'no.table',
    query: `select id from sources.edge_logs as t ${own}`,
    sandbox: true,
    parameters: project,
  },
];
