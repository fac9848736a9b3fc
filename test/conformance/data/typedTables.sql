numbers as (
  select * from unnest(array<struct<id int64, i int64, j int64, f float64, g float64>>[
    (1, 0, 1, 0.0, 1.0),
    (2, 7, 2, 3.5, 2.0),
    (3, -7, 2, -3.5, 0.5),
    (4, 1, -3, 2.5, -2.0),
    (5, null, 4, null, 3.25),
    (6, 42, null, 1e10, null),
    (7, 9007199254740993, 3, 1.5e-7, 100.0),
    (8, -1, 64, -0.25, 0.0),
    (9, 255, 16, 123456.789, 10.0),
    (10, 1000000, 1000, 0.1, 0.2)
  ])
),
extremes as (
  select * from unnest(array<struct<id int64, i int64, f float64>>[
    (1, 9223372036854775807, cast('inf' as float64)),
    (2, -9223372036854775808, cast('-inf' as float64)),
    (3, 0, cast('nan' as float64)),
    (4, null, null),
    (5, 1, 1.7976931348623157e308),
    (6, -1, 5e-324),
    (7, 4611686018427387904, 0.0)
  ])
),
texts as (
  select * from unnest(array<struct<id int64, s string, t string>>[
    (1, 'hello', 'l'),
    (2, '', 'x'),
    (3, 'Hello World', 'World'),
    (4, null, 'a'),
    (5, 'abc', null),
    (6, 'naïve café', 'é'),
    (7, 'e\u0301 combining', '\u0301'),
    (8, '😀 smile 👍🏽', '👍'),
    (9, '  padded  ', ' '),
    (10, 'a,b,,c', ','),
    (11, 'line one\nline two\ttab', '\n'),
    (12, 'GET /api/v1/users?id=42 200', '/'),
    (13, 'ÀÉÎ ßx Ω', 'ß'),
    (14, '%a_b%', '%'),
    (15, 'aaa', 'aa'),
    (16, '123', '2')
  ])
),
times as (
  select * from unnest(array<struct<id int64, ts timestamp, dt datetime, d date, t time>>[
    (1, timestamp '2026-05-01 10:20:30.123456+00', datetime '2026-05-01 10:20:30.123456', date '2026-05-01', time '10:20:30.123456'),
    (2, timestamp '2024-02-29 23:59:59+00', datetime '2024-02-29 23:59:59', date '2024-02-29', time '23:59:59'),
    (3, timestamp '1969-12-31 23:59:59.999999+00', datetime '1969-12-31 23:59:59.999999', date '1969-12-31', time '00:00:00'),
    (4, null, null, null, null),
    (5, timestamp '2026-03-29 00:59:59+00', datetime '2026-03-29 02:30:00', date '2026-03-29', time '02:30:00'),
    (6, timestamp '2026-03-29 01:00:00+00', datetime '2026-10-25 02:30:00', date '2026-10-25', time '12:00:00.5'),
    (7, timestamp '2026-01-01 00:00:00+00', datetime '2026-01-01 00:00:00', date '2026-01-01', time '23:59:59.999999'),
    (8, timestamp '2020-12-31 12:00:00+00', datetime '2021-01-03 12:00:00', date '2021-01-03', time '12:34:56'),
    (9, timestamp '1900-03-01 00:00:00+00', datetime '1900-02-28 12:00:00', date '1900-03-01', time '00:00:00.000001'),
    (10, timestamp '2026-10-25 01:30:00+00', datetime '2026-12-31 23:59:59.999999', date '2026-12-31', time '06:07:08.9')
  ])
),
bounds as (
  select * from unnest(array<struct<id int64, ts timestamp, dt datetime, d date>>[
    (1, timestamp '0001-01-01 00:00:00+00', datetime '0001-01-01 00:00:00', date '0001-01-01'),
    (2, timestamp '9999-12-31 23:59:59.999999+00', datetime '9999-12-31 23:59:59.999999', date '9999-12-31'),
    (3, timestamp '1970-01-01 00:00:00+00', datetime '1970-01-01 00:00:00', date '1970-01-01')
  ])
),
lists as (
  select 1 as id, [3, 1, 2] as a, ['x', 'y'] as s union all
  select 2, array<int64>[], array<string>[] union all
  select 3, [5, null, 5], ['', null, 'b'] union all
  select 4, cast(null as array<int64>), cast(null as array<string>) union all
  select 5, [9223372036854775807], ['é😀']
),
documents as (
  select * from unnest(array<struct<id int64, j json, t string>>[
    (1, json '{"a": {"b": [1, 2, {"c": "x"}]}, "n": 200, "s": "text", "f": 1.5, "t": true, "z": null}', '{"a": {"b": [1, 2, {"c": "x"}]}, "n": 200, "s": "text", "f": 1.5, "t": true, "z": null}'),
    (2, json '[1, "two", null, [3], {"k": 4}]', '[1, "two", null, [3], {"k": 4}]'),
    (3, json '"plain"', '"plain"'),
    (4, null, null),
    (5, json '{}', ''),
    (6, json '{"a.b": 1, "k y": {"$": 2}, "é": "ü"}', '{"a.b": 1, "k y": {"$": 2}, "é": "ü"}'),
    (7, json '{"n": 9007199254740993, "a": []}', 'not json'),
    (8, json '42', '42'),
    (9, json 'false', 'false'),
    (10, json '{"n": "17", "f": "2.5", "t": "true", "s": 3}', '{"n": "17", "f": "2.5", "t": "true", "s": 3}')
  ])
),
flags as (
  select * from unnest(array<struct<id int64, p bool, q bool, b bytes>>[
    (1, true, true, b'abc'),
    (2, true, false, b''),
    (3, true, null, b'\x00\xff'),
    (4, false, true, b'\xc3\xa9'),
    (5, false, false, null),
    (6, false, null, b'ABC'),
    (7, null, true, b'\xff\xfe'),
    (8, null, false, b'a'),
    (9, null, null, b'abc')
  ])
),
people as (
  select * from unnest(array<struct<id int64, name string, team string, boss int64, score float64, joined date>>[
    (1, 'Ada', 'red', null, 9.5, date '2024-01-15'),
    (2, 'Bo', 'red', 1, 7.0, date '2024-03-01'),
    (3, 'Cy', 'blue', 1, 7.0, date '2025-02-28'),
    (4, 'Di', 'blue', 3, null, date '2025-02-28'),
    (5, 'Ed', null, 3, 4.25, null),
    (6, 'Flo', 'green', 2, 8.0, date '2026-07-04'),
    (7, 'Gus', 'red', 2, 1.0, date '2023-12-31')
  ])
),
teams as (
  select * from unnest(array<struct<team string, city string, size int64>>[
    ('red', 'Rome', 3), ('blue', 'Bern', 2), ('white', 'Wien', 0), (null, 'Nowhere', 1)
  ])
),
visits as (
  select * from unnest(array<struct<person int64, ts timestamp, path string, ms int64>>[
    (1, timestamp '2026-05-01 10:00:00+00', '/a', 12),
    (1, timestamp '2026-05-01 10:05:00+00', '/b', 30),
    (1, timestamp '2026-05-01 11:10:00+00', '/a', null),
    (2, timestamp '2026-05-01 10:00:30+00', '/a', 7),
    (2, timestamp '2026-05-02 00:00:00+00', '/c', 250),
    (3, timestamp '2026-05-01 23:59:59.999999+00', '/b', 30),
    (9, timestamp '2026-05-03 08:00:00+00', '/x', 99),
    (null, timestamp '2026-05-03 09:00:00+00', '/x', 1)
  ])
)
