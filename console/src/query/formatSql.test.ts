import { describe, expect, it } from 'vitest';
import { formatSql } from './formatSql.ts';

describe('formatSql', () => {
  it.each([
    [
      'select timestamp_trunc(timestamp, hour) as hour, count(*) as requests from edge_logs where a=1 and b between 1 and 2 group by hour order by hour',
      `select
  timestamp_trunc(timestamp, hour) as hour,
  count(*) as requests
from edge_logs
where a = 1
  and b between 1 and 2
group by hour
order by hour`,
    ],
    [
      `with a as (select x from t -- only x
      where x is not null), b as (select 1) select a.from, -(-1) from a left join b on a.x=b.x`,
      `with a as (
  select x
  from t -- only x
  where x is not null
),
b as (
  select 1
)
select a.from, -(-1)
from a
left join b on a.x = b.x`,
    ],
    [
      "select case when status >= 500 then 'failed' when status >= 400 then 'refused' else 'fine' end as outcome from t",
      `select case
  when status >= 500 then 'failed'
  when status >= 400 then 'refused'
  else 'fine'
end as outcome
from t`,
    ],
    [
      'from t |> where x > 1 |> aggregate count(*) as n group by y',
      `from t
|> where x > 1
|> aggregate count(*) as n group by y`,
    ],
    [
      `# first
select 1 /* one */, '''two
  lines''' -- last`,
      `# first
select
  1 /* one */,
  '''two
  lines''' -- last`,
    ],
  ])('lays out %s', (text, formatted) => {
    expect(formatSql(text)).toBe(formatted);
  });

  it.each(["select 'open", 'select /* open', 'select `open', 'select ?', ''])('leaves %s alone', (text) => {
    expect(formatSql(text) ?? text).toBe(text);
  });
});
