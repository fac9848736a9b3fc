import { describe, expect, it } from 'vitest';
import { readsElements } from './elementReads.ts';
import { stored } from './plan.fixture.ts';

const from = 'from sources.edge_logs as t cross join unnest(t.metadata) as m';
const reads = (columns: string, more: string): boolean => readsElements(stored(`select ${columns} ${from}${more}`));

describe('elements of JSON arrays in output columns', () => {
  it.each([
    ['m.a[0]', ''],
    ['m.a[0][1]', ''],
    ['m.a[safe_ordinal(1)]', ''],
    ['upper(string(m.a[1]))', ''],
    ["json_value(t.metadata, '$.a[1]')", ''],
    ["json_query(m.a, '$[0]')", ''],
    ['json_value_array(m.a)', ''],
    ['array_length(json_query_array(m.a)), json_query_array(m.a)[offset(0)]', ''],
    ['x', ', unnest(m.a) as x'],
    ['x', ', unnest(json_value_array(m.a)) as x'],
    ['y', ', unnest(m.a) as x, unnest(x) as y'],
    ['to_json_string(x)', ', unnest(m.a) as x'],
    ['max(string(x))', ', unnest(m.a) as x'],
    ['struct(x as v)', ', unnest(m.a) as x'],
    ['(select string_agg(string(x)) from unnest(m.a) as x)', ''],
    ['parse_json(t.event_message)[1]', ''],
  ])('are found in %s%s', (columns, more) => {
    expect(reads(columns, more)).toBe(true);
  });

  it.each([
    ['m.a', ''],
    ['m', ''],
    ['t.metadata', ''],
    ['m.request.path', ''],
    ['r.path', ', unnest(m.request) as r'],
    ['h.cf_ray', ', unnest(m.request) as r, unnest(r.headers) as h'],
    ['m.request[0].path', ''],
    ["json_value(t.metadata, '$.a[0].b')", ''],
    ['array_length(json_value_array(m.a)) > 1', ''],
    ['count(*)', ', unnest(m.a) as x'],
    ["x is null, string(x) = 'a'", ', unnest(m.a) as x'],
    ["split(t.event_message, ' ')[offset(0)]", ''],
    ['array_agg(m.request.path)[offset(0)]', ''],
  ])('are not found in %s%s', (columns, more) => {
    expect(reads(columns, more)).toBe(false);
  });
});
