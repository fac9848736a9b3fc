import { expect, it } from 'vitest';
import { placesIn } from './comparedLiterals.ts';
import { layOut } from './layOut.ts';
import { parseQuery } from './parser.ts';

const places = (sql: string) => placesIn(parseQuery(sql).query);
const literals = (sql: string) =>
  places(sql).literals.map(({ pos, end, type, value, member, comparison }) => [
    sql.slice(pos.offset, end),
    type,
    value,
    member?.join('.') ?? null,
    comparison,
  ]);

it('finds literals at their place in the text, with what they are compared with', () => {
  const sql = `select t.id, 'x' as y from edge_logs as t where t.metadata.status >= 500 and 7 < t.n
    and t.event_message like '%a\\'b%' and t.level in ('error') and t.kind not in ('a', "b")
    and cast(t.x.y as int64) between -1 and 2.5 and regexp_contains(t.p, r'^/a') and not t.ok = true
    and t.timestamp >= timestamp '2026-05-01' and lower(t.z) = 'q' limit 10`;
  expect(literals(sql)).toEqual([
    ["'x'", 'string', 'x', null, null],
    ['500', 'int64', '500', 'metadata.status', 'min'],
    ['7', 'int64', '7', 'n', 'min'],
    ["'%a\\'b%'", 'string', "%a'b%", 'event_message', 'like'],
    ["'error'", 'string', 'error', 'level', 'equal'],
    ["'a'", 'string', 'a', 'kind', 'element'],
    ['"b"', 'string', 'b', 'kind', 'element'],
    ['-1', 'int64', '-1', 'x.y', 'min'],
    ['2.5', 'float64', '2.5', 'x.y', 'max'],
    ["r'^/a'", 'string', '^/a', 'p', 'pattern'],
    ['true', 'bool', 'true', 'ok', 'equal'],
    ["timestamp '2026-05-01'", 'timestamp', '2026-05-01', 'timestamp', 'min'],
    ["'q'", 'string', 'q', null, null],
    ['10', 'int64', '10', null, null],
  ]);
});

it('finds the start of a relative time range, and the current time, in conditions on a timestamp only', () => {
  const sql = `select current_timestamp() as now from e where e.timestamp between
    timestamp_sub(timestamp_trunc(current_timestamp(), hour), interval 2 hour) and current_timestamp()
    and e.other > timestamp_sub(current_timestamp(), interval 3 day)`;
  const { relativeStarts, nows } = places(sql);
  expect(relativeStarts.map(({ pos, end, count, unit }) => [sql.slice(pos.offset, end), count, unit])).toEqual([
    ['interval 2 hour', 2n, 'hour'],
  ]);
  expect(nows.map(({ pos, end }) => sql.slice(pos.offset, end))).toEqual([
    'current_timestamp()',
    'current_timestamp()',
  ]);
});

it('lays a printed query out by its clauses and conditions, without changing a token', () => {
  const printed =
    "SELECT a, (SELECT b FROM c WHERE d AND e) FROM t WHERE x BETWEEN 1 AND 2 AND y = ' FROM ' ORDER BY a DESC";
  expect(layOut(printed)).toBe(
    "SELECT a, (SELECT b FROM c WHERE d AND e)\nFROM t\nWHERE x BETWEEN 1 AND 2\n  AND y = ' FROM '\nORDER BY a DESC",
  );
});
