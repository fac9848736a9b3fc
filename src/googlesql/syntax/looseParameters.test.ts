import { describe, expect, it } from 'vitest';
import { looseParameters } from './looseParameters.ts';
import { parseQuery } from './parser.ts';

const looseIn = (text: string): readonly string[] =>
  [...looseParameters(parseQuery(text).query, { projects: new Set(['project', 'project_ref']) })].sort();

const where = (condition: string): readonly string[] => looseIn(`select id from t where ${condition}`);

describe('parameters that a text uses freely', () => {
  it.each([
    'regexp_contains(url, @s)',
    'url like @s',
    "url like any ('a%', @s)",
    'strpos(url, concat(@s, "x")) > 0',
    'url = @s',
    'm.request.path in (@s)',
    'substr(url, @s, 1) = "a"',
    'exists (select 1 from unnest([@s]) as e where url = e)',
    'exists (select 1 from u where u.x = @s)',
    '@s in (select url from t)',
    'id > @s',
    'id like @s',
    'upper(id) = @s',
    'coalesce(@s, url) = url',
    'case url when @s then true end',
    'if(url = @s, true, false)',
    'n = @s',
    'timestamp_trunc(timestamp, hour) >= @s',
    '@s',
    'url || @s = "x"',
    'project || url = @s',
    'url = @S',
    'id = @s and strpos(url, id) > 0',
    'exists (select 1 from u where u.id = @s and t.url like concat(u.id, "%"))',
    'id = @s and id = url',
  ])('%s', (condition) => {
    expect(where(condition)).toEqual(['s']);
  });

  it.each([
    'select @s as needle from t',
    'select id from t cross join unnest([@s]) as needle',
    'select id from t order by @s',
    'select max(x) from t group by k having max(x) > @s',
    'from t |> where url = @s',
    'select id from t join u on t.url = @s',
    'with a as (select @s as x) select 1 from a',
  ])('%s', (text) => {
    expect(looseIn(text)).toEqual(['s']);
  });
});

describe('parameters that stand in one of the few places that say nothing of texts', () => {
  it.each([
    'project = @s',
    't.Project = @s',
    'm.project_ref in (@s, "x")',
    '@s is null',
    '@s is null or url = "x"',
    "@s = 'zero' or url = 'x'",
    't.timestamp > @s',
    'timestamp between @s and current_timestamp()',
    'timestamp > timestamp_sub(current_timestamp(), interval @s hour)',
    "timestamp > timestamp_sub(current_timestamp(), interval case @s when 'FREE' then 1 else 7 end day)",
    't.id = @s',
    't.id = @s and t.id = u.id and url like "x%"',
    'exists (select 1 from u where u.id = @s and u.url = "x")',
    'not (project = @s)',
  ])('%s', (condition) => {
    expect(where(condition)).toEqual([]);
  });
});
