-- name: hashes_of_texts
select id, to_hex(md5(s)) as m, to_hex(sha1(s)) as s1, to_hex(sha256(s)) as s256 from texts order by id
-- name: hashes_of_bytes
select id, to_hex(md5(b)) as m, to_base64(sha1(b)) as s1, sha256(b) as s256 from flags order by id
-- name: farm_fingerprint_of_values
select id, farm_fingerprint(s) as f, farm_fingerprint(cast(s as bytes)) as g from texts order by id
-- name: sha512_of_values
select id, to_hex(sha512(s)) as h from texts order by id
-- name: generate_uuid_form
-- by hand: it differs from call to call
-- rows: [[true, true, true]]
select regexp_contains(generate_uuid(), r'^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$') as form, count(distinct u) = 10 as differs, length(min(u)) = 36 as l from (select generate_uuid() as u from numbers)
-- name: net_host_of_white_space
select u, net.host(u) as h from unnest(['\f', '\v', '\t', ' ', '\n\r', 'a\f', '\va', ' http://a/ ', 'http://a\f/b', '\u00a0', '\u00a0a']) as u
-- name: net_host_of_urls
select u, net.host(u) as h from unnest(['https://www.Example.co.uk:8080/a?b#c', 'http://user:pw@host/', '//a.b/c', 'a.b.c', 'mailto:x@y.z', '', 'http://[::1]:80/', 'HTTP://X', null, 'http://a b/', '1.2.3.4', 'https://例え.jp/']) as u
-- name: net_ip_from_string
select to_hex(net.ip_from_string('1.2.3.4')) as a, to_hex(net.ip_from_string('::1')) as b, to_hex(net.ip_from_string('2001:db8::ff')) as c, net.ip_from_string(cast(null as string)) as d
-- name: net_ip_from_other_text
-- fails: no address
select net.ip_from_string(s) as a from texts where id = 1
-- name: net_safe_ip_from_string
select s, to_hex(net.safe_ip_from_string(s)) as a from unnest(['1.2.3.4', '256.1.1.1', '1.2.3', '::', '::ffff:1.2.3.4', 'fe80::1%eth0', '', '01.2.3.4', '1.2.3.4/8', 'g::', '0.0.0.0', '::1 ']) as s
-- name: net_host_after_brackets
select net.host('[a-z]+') as a, net.host('http://[a-z]+/') as b, net.host('[::1]:80') as c
