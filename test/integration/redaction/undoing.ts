/** Queries that try to learn what redaction hides. `$ip`, `$email`, `$name` stand for guesses of the first secrets. */
export const undoingQueries: readonly string[] = [
  'select event_message as x from logs order by timestamp',
  'select id, timestamp, event_message, metadata from logs order by timestamp',
  'select metadata as m from logs order by timestamp',
  'select m.request.headers as h from logs cross join unnest(metadata) as m order by timestamp',
  'select r as r from logs cross join unnest(metadata) as m cross join unnest(m.request) as r order by timestamp',
  'select h.x_real_ip as x, h.cf_connecting_ip as y from logs cross join unnest(metadata) as m cross join unnest(m.request) as r cross join unnest(r.headers) as h order by timestamp',
  'select m.request.path as p, m.request.url as u, m.request.search as s from logs cross join unnest(metadata) as m order by timestamp',
  'select reverse(event_message) as x, reverse(m.request.path) as y from logs cross join unnest(metadata) as m order by timestamp',
  'select substr(event_message, 6, 3) as a, substr(event_message, 9) as b, left(event_message, 8) as c, right(event_message, 4) as d from logs order by timestamp',
  'select to_base64(cast(event_message as bytes)) as x, to_hex(cast(string(m.request.path) as bytes)) as y from logs cross join unnest(metadata) as m order by timestamp',
  'select md5(event_message) as a, sha256(event_message) as b, sha512(event_message) as c, farm_fingerprint(event_message) as d from logs order by timestamp',
  "select regexp_extract(event_message, '[0-9.]+') as a, regexp_extract_all(event_message, '[0-9]+') as b, regexp_replace(event_message, '[.]', '-') as c from logs order by timestamp",
  "select split(event_message, '.') as x, split(m.request.path, '') as y from logs cross join unnest(metadata) as m order by timestamp",
  "select part from logs cross join unnest(split(event_message, '')) as part with offset as o order by timestamp, o",
  "select array_to_string(split(event_message, ''), '|') as x, array_reverse(split(event_message, ' ')) as y from logs order by timestamp",
  "select count(*) as n from logs where event_message like '%$ip%'",
  "with guess as (select '%$ip%' as p, ['$ip', '1'] as ips) select count(*) as n from guess cross join logs cross join unnest(metadata) as m where event_message like guess.p or m.request.headers.x_real_ip in unnest(guess.ips)",
  "select count(*) as n from logs where contains_substr(event_message, '$ip') or starts_with(event_message, 'from $ip') or strpos(event_message, '$ip') > 0",
  "select count(*) as n from logs cross join unnest(metadata) as m where m.request.path = '/lookup/$ip' or m.request.headers.x_real_ip = '$ip' or m.user_email = '$name'",
  "select count(*) as n from logs cross join unnest(metadata) as m where m.request.headers.x_real_ip in ('$ip', '1') or m.request.headers.x_real_ip between '0' and '5'",
  "select event_message < 'from 2' as a, event_message < 'from 20' as b, event_message < 'from 7' as c from logs order by timestamp",
  'select min(event_message) as a, max(event_message) as b, any_value(event_message) as c from logs',
  'select count(distinct m.request.headers.x_real_ip) as a, approx_count_distinct(event_message) as b, count(distinct m.user_email) as c from logs cross join unnest(metadata) as m',
  'select event_message as x, count(*) as n from logs group by 1 order by 1',
  'select m.request.cf.latitude as a, m.request.cf.longitude as b, m.request.cf.postalCode as c from logs cross join unnest(metadata) as m order by timestamp',
  'select sum(cast(m.request.cf.longitude as float64)) as a, avg(safe_cast(m.request.cf.latitude as float64)) as b, countif(m.request.cf.longitude > 25) as c from logs cross join unnest(metadata) as m',
  'select id, row_number() over (order by event_message, id) as a, rank() over (order by m.request.headers.x_real_ip) as b, dense_rank() over (order by m.request.cf.longitude) as c from logs cross join unnest(metadata) as m order by id',
  'select lag(event_message) over (order by timestamp) as a, first_value(m.request.path) over (order by timestamp) as b from logs cross join unnest(metadata) as m order by timestamp',
  'select id from logs order by event_message, id limit 2',
  'select id from logs cross join unnest(metadata) as m order by m.request.headers.x_real_ip, m.user_email, id',
  "select format('%s|%T|%t', event_message, event_message, m.request.path) as x from logs cross join unnest(metadata) as m order by timestamp",
  'select to_json_string(metadata) as a, to_json_string(m.request) as b, to_json(m.request.headers) as c from logs cross join unnest(metadata) as m order by timestamp',
  "select json_value(event_message, '$.user_email') as a, json_query(event_message, '$') as b, json_value(parse_json(m.payload), '$.user_email') as c, json_value(parse_json(m.payload), '$.n') as d from logs cross join unnest(metadata) as m where starts_with(event_message, '{') order by timestamp",
  'select json_value(metadata, "$.request.headers.x_real_ip") as a, json_query(metadata, "$.request.headers") as b, json_value(metadata, "$.user_email") as c from logs order by timestamp',
  'select length(event_message) as a, byte_length(event_message) as b, char_length(m.request.path) as c from logs cross join unnest(metadata) as m order by timestamp',
  "select event_message as x from logs where id = 'a' union all select reverse(event_message) from logs where id = 'b' union all select m.request.path from logs cross join unnest(metadata) as m order by 1",
  'select a.id as i, b.id as j from logs as a join logs as b on a.event_message = b.event_message and a.id < b.id order by 1, 2',
  "select (select string_agg(event_message, '' order by timestamp) from logs) as x, array(select m.request.path from logs cross join unnest(metadata) as m order by timestamp) as y",
  'select string_agg(distinct m.request.path order by m.request.path) as a, array_agg(event_message order by timestamp) as b from logs cross join unnest(metadata) as m',
  "select replace(event_message, '.', ',') as b, upper(event_message) as c, concat('x', event_message) as d, lpad(event_message, 50, '.') as e from logs order by timestamp",
  "select if(substr(event_message, 6, 1) = '2', 1, 0) as a, case when event_message > 'from 3' then 'high' else 'low' end as b, nullif(event_message, 'from $ip') as c from logs order by timestamp",
  "select safe_cast(substr(event_message, 6, 3) as int64) as a, safe_cast(regexp_extract(event_message, '[0-9]+') as float64) as b from logs order by timestamp",
  "select safe_cast(m.request.path as string) as a, json_value(m.request.path) as b, lax_string(m.request.url) as c, reverse(json_value(m.request.url, '$')) as d, safe_cast(substr(json_value(m.request.path), 9, 3) as int64) as e from logs cross join unnest(metadata) as m order by timestamp",
  'select initcap(event_message) as a, repeat(event_message, 2) as b, normalize(event_message) as c, instr(event_message, ".") as d from logs order by timestamp',
  'select net.safe_ip_from_string(m.request.headers.x_real_ip) as a, net.host(m.request.url) as b from logs cross join unnest(metadata) as m order by timestamp',
  'select struct(event_message as a, m.request.path as b) as s, [event_message, m.request.url] as l from logs cross join unnest(metadata) as m order by timestamp',
  "select regexp_instr(event_message, '[.]') as x, regexp_contains(event_message, '^from 2') as y from logs order by timestamp",
  'with w as (select event_message as e, id from logs) select w1.e as a, w2.id as b from w as w1 join w as w2 using (id) order by b',
  'select distinct event_message as x from logs order by 1',
  'select t as whole from logs as t order by t.timestamp',
  'select m.tags[offset(0)] as a, m.list[offset(1)].who as b, u as c from logs cross join unnest(metadata) as m left join unnest(m.list) as u order by timestamp, c.k',
  'from logs |> extend reverse(event_message) as r |> aggregate max(r) as a, min(event_message) as b',
  'select cast(event_message as bytes) as a, safe_cast(m.request.path as bytes) as b, to_hex(cast(event_message as bytes)) as c, to_base64(cast(event_message as bytes)) as d, reverse(cast(event_message as bytes)) as e from logs cross join unnest(metadata) as m order by timestamp',
  "select substr(cast(event_message as bytes), 6, 3) as a, left(cast(event_message as bytes), 8) as b, right(cast(event_message as bytes), 4) as c, split(cast(event_message as bytes), b'.') as d, replace(cast(event_message as bytes), b'.', b',') as e, upper(cast(event_message as bytes)) as f, trim(cast(event_message as bytes), b'f') as g, lpad(cast(event_message as bytes), 60, b'.') as h, repeat(cast(event_message as bytes), 2) as i from logs order by timestamp",
  "select regexp_extract(cast(event_message as bytes), b'[0-9.]+') as a, regexp_extract_all(cast(event_message as bytes), b'[0-9]') as b, regexp_replace(cast(event_message as bytes), b'[.]', b'-') as c, regexp_contains(cast(event_message as bytes), b'^from 2') as d, regexp_instr(cast(event_message as bytes), b'[.]') as e from logs order by timestamp",
  "select concat(cast(event_message as bytes), b'|', cast(m.request.path as bytes)) as a, b'x' || cast(m.user_email as bytes) as b, safe_convert_bytes_to_string(cast(event_message as bytes)) as c, to_code_points(cast(event_message as bytes)) as d, cast(reverse(cast(event_message as bytes)) as string) as e from logs cross join unnest(metadata) as m order by timestamp",
  "select (select string_agg(cast(event_message as bytes), b'' order by timestamp) from logs) as a, (select array_to_string(array_agg(cast(m.request.path as bytes) order by timestamp), b',') from logs cross join unnest(metadata) as m) as b",
  'select bit_xor(sha256(event_message)) as a, bit_and(left(cast(event_message as bytes), 8)) as b, bit_or(left(cast(event_message as bytes), 8)) as c, sum(bit_count(cast(event_message as bytes))) as d from logs',
  'select md5(cast(event_message as bytes)) as a, sha1(cast(m.request.path as bytes)) as b, farm_fingerprint(cast(m.user_email as bytes)) as c from logs cross join unnest(metadata) as m order by timestamp',
  "select count(*) as n from logs where cast(event_message as bytes) like b'%$ip%' or starts_with(cast(event_message as bytes), b'from $ip') or strpos(cast(event_message as bytes), b'$ip') > 0",
  "select cast(event_message as bytes) < b'from 2' as a, cast(event_message as bytes) between b'from 2' and b'from 21' as b, cast(m.request.headers.x_real_ip as bytes) in (b'$ip', b'1') as c, nullif(cast(event_message as bytes), b'from $ip') as d from logs cross join unnest(metadata) as m order by timestamp",
  "select count(*) as n from logs cross join unnest(metadata) as m where event_message like any unnest(['%$ip%', '%$name%']) or m.user_email not like all ('%$name%', '$ip') or cast(event_message as bytes) like any (b'%$ip%', b'%$email%')",
  'select id from logs order by cast(event_message as bytes), id limit 2',
  'select min(cast(event_message as bytes)) as a, max(cast(event_message as bytes)) as b, count(distinct cast(m.user_email as bytes)) as c, approx_quantiles(cast(event_message as bytes), 2) as d, approx_top_count(cast(event_message as bytes), 2) as e from logs cross join unnest(metadata) as m',
  'select a.id as i, b.id as j from logs as a join logs as b on cast(a.event_message as bytes) = reverse(reverse(cast(b.event_message as bytes))) and a.id < b.id order by 1, 2',
  'select cast(event_message as bytes) as x, count(*) as n from logs group by 1 order by 1',
  'select percentile_disc(cast(event_message as bytes), 0.5 respect nulls) over () as a, percentile_disc(m.request.path, 0.5 respect nulls) over () as b, percentile_cont(cast(m.request.cf.longitude as float64), 0.25 respect nulls) over () as c from logs cross join unnest(metadata) as m order by timestamp',
  "select event_message as x, id as y from logs where id = 'a' union all by name select m.request.path as y, reverse(m.user_email) as x from logs cross join unnest(metadata) as m order by 1, 2",
  'select id as x from logs left union all by name select event_message as x, m.request.path as y from logs cross join unnest(metadata) as m order by 1',
  'select id as x, event_message as z from logs full outer union distinct by name select m.user_email as x, m.request.headers.x_real_ip as y from logs cross join unnest(metadata) as m order by 1, 2, 3',
  'select event_message as x, id as y from logs intersect distinct by name select id as y, event_message as x from logs order by 1, 2',
  "select event_message as x, id as y from logs except distinct by name on (x) select 'from $ip by $email' as x order by 1",
  'from logs |> select id as y, event_message as x |> union all corresponding (from logs |> cross join unnest(metadata) as m |> select m.request.url as x, reverse(event_message) as y) |> order by x, y',
  'select struct(event_message as a, m.user_email as b) as k, count(*) as n from logs cross join unnest(metadata) as m group by k order by n, to_json_string(k)',
  'select distinct struct(m.request.headers.x_real_ip as a, m.request.path as b) as k from logs cross join unnest(metadata) as m order by to_json_string(k)',
  'select id, row_number() over (partition by struct(m.request.headers.x_real_ip as a) order by id) as n from logs cross join unnest(metadata) as m order by id',
  "select count(*) as n from logs cross join unnest(metadata) as m where struct(m.user_email as a, m.request.headers.x_real_ip as b) in unnest([struct('$name' as a, '$ip' as b)])",
  'select event_message as a, m.request.headers.x_real_ip as b, count(*) as n from logs cross join unnest(metadata) as m group by rollup(a, b) order by 1, 2',
  'select m.user_email as a, reverse(m.user_email) as b, grouping(m.user_email) as g, count(*) as n from logs cross join unnest(metadata) as m group by rollup((a, b), m.request.headers.x_real_ip) order by 1, 2, 3, 4',
  "select count(*) as n from logs where event_message like '%' '$ip' '%' or concat(event_message, 1) = 'from $ip' ' by $email1' or event_message || true like '%$ip%true'",
  "select format(concat('%s', '|%T'), event_message, cast(event_message as bytes)) as a, to_json_string(struct(event_message as a, cast(event_message as bytes) as b, m.request as r), true) as c, m['user' || '_email'] as d from logs cross join unnest(metadata) as m order by timestamp",
  'select m.named.value as a, m.named.newValue as b, reverse(m.named.value) as c, cast(m.named.newValue as float64) + 1 as d from logs cross join unnest(metadata) as m order by timestamp',
  'select p.value.stringValue as a, to_json_string(p.value) as b from logs cross join unnest(metadata) as m cross join unnest(m.pairs) as p order by timestamp, 1',
  "select count(*) as n from logs cross join unnest(metadata) as m where m.named.value = '$name' or json_value(metadata, '$.named.value') = '$name' or json_value(m.pairs, '$[0].value.stringValue') = '$name'",
  "select m.pairs[offset(0)].value as a, json_value(metadata, '$.named.newValue') as b, m.single.value as c from logs cross join unnest(metadata) as m order by timestamp",
];

/** Of the same classes, in the same places; those of one set are nowhere in the other. */
export interface Secrets {
  /** IPv4, IPv4, IPv6, IPv4, one for each event; the last two have the last. In one set it is the first. */
  readonly ips: readonly string[];
  readonly email: string;
  readonly name: string;
  readonly key: string;
  readonly latitude: string;
  readonly longitude: number;
}

export const secretSets: readonly [Secrets, Secrets] = [
  {
    ips: ['203.0.113.7', '198.51.100.23', '2001:db8::7:1', '203.0.113.7'],
    email: 'jane.doe@example.com',
    name: 'janedoe',
    key: 'sb_secret_9f8e7d6c5b4a39281706f5e4d3c2b1a0',
    latitude: '60.1699',
    longitude: 24.9384,
  },
  {
    ips: ['10.77.3.250', '192.0.2.1', 'fe80::abcd:12', '172.16.254.3'],
    email: 'zed@mail.example.org',
    name: 'z',
    key: 'sb_secret_00112233445566778899aabbccddeeff',
    latitude: '-33.8688',
    longitude: 151.2093,
  },
];

/** Five events that hold every secret of a set in every kind of place. */
export function eventsWith({ ips, email, name, key, latitude, longitude }: Secrets): readonly {
  readonly id: string;
  readonly event_message: string;
  readonly metadata: object;
}[] {
  const [first = '', second = '', third = '', last = ''] = ips;
  const event = (id: string, ip: string, message: string) => ({
    id,
    event_message: message,
    metadata: {
      request: {
        method: 'GET',
        path: `/lookup/${ip}`,
        search: `?email=${encodeURIComponent(email)}`,
        url: `https://example.com/lookup/${ip}?apikey=${key}`,
        host: 'example.com',
        headers: { x_real_ip: ip, cf_connecting_ip: ip, user_agent: `curl (${email})`, cf_ray: '8f1a' },
        cf: { latitude, longitude, postalCode: name, asn: 1234 },
        sb: { jwt: { apikey: { payload: { role: name, expires_at: longitude } } } },
      },
      response: { status_code: 200, origin_time: 12 },
      user_email: name,
      payload: JSON.stringify({ user_email: name, n: 7, at: ip }),
      tags: [ip, 'plain'],
      list: [
        { k: 1, who: ip },
        { k: 2, who: email, 'x-real-ip': name },
      ],
      named: { name: 'Cookie', value: name, newValue: longitude },
      single: [{ value: name, name: 'x-api-key' }],
      pairs: [
        { key: 'db_password', value: { stringValue: name } },
        { key: 'accept', value: { stringValue: 'plain' } },
      ],
    },
  });
  return [
    event('a', first, `from ${first} by ${email}`),
    event('b', second, `from ${second}:443 with ${key}`),
    event('c', third, `from [${third}] again`),
    event('d', last, JSON.stringify({ user_email: name, at: last, longitude })),
    event('e', last, `from ${last} by ${email}`),
  ];
}

/** Every secret of a set as it could stand in an answer. */
export function secretTexts({ ips, email, name, key, latitude, longitude }: Secrets): readonly string[] {
  return [...ips, email, key, latitude, String(longitude), ...(name.length > 3 ? [name] : [])];
}
