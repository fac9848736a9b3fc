import { describe, expect, it } from 'vitest';
import { createRedactor } from '../createRedactor.ts';
import { RedactionCounts } from '../redactionCounts.ts';

const redactor = createRedactor();
const redact = (text: string) => redactor.redactString(text, [], new RedactionCounts());
const mark = '[REDACTED:key]';

describe('values that their names say are secret', () => {
  it.each<[string, string]>([
    ['password=hunter2', `password=${mark}`],
    ['user=jane password=hunter2 host=db', `user=jane password=${mark} host=db`],
    ['PGPASSWORD=hunter2 psql', `PGPASSWORD=${mark} psql`],
    ['DB_PASSWORD=hunter2', `DB_PASSWORD=${mark}`],
    ['db.password = hunter2', `db.password = ${mark}`],
    ['dbPassword: hunter2', `dbPassword: ${mark}`],
    ['--password=hunter2 --verbose', `--password=${mark} --verbose`],
    ["{'user': 'jane', 'password': 'it\\'s me'}", `{'user': 'jane', 'password': '${mark}'}`],
    ["{'password': 'hunter2', 'n': 1}", `{'password': '${mark}', 'n': 1}`],
    ['password="two words" next', `password="${mark}" next`],
    ['password=`two words` next', `password=\`${mark}\` next`],
    ['"password" => "hunter2"', `"password" => "${mark}"`],
    [':passwd=>"hunter2", :n=>1', `:passwd=>"${mark}", :n=>1`],
    ['said "password=\\"hunter 2\\"" twice', `said "password=\\"${mark}\\"" twice`],
    ['password="never closed', `password="${mark}`],
    ['Server=db;Uid=jane;Pwd=hunter2;Port=1', `Server=db;Uid=jane;Pwd=${mark};Port=1`],
    ['POST /login?user=jane&password=h%40nter2&x=1', `POST /login?user=jane&password=${mark}&x=1`],
    ['redirect=%2Flogin%3Fpassword%3Dhunter2%26x%3D1', `redirect=%2Flogin%3Fpassword%3D${mark}%26x%3D1`],
    ['api_key=abc api-key: def apiKey=ghi', `api_key=${mark} api-key: ${mark} apiKey=${mark}`],
    ['X-API-KEY: abcdef\nAccept: */*', `X-API-KEY: ${mark}\nAccept: */*`],
    ['access_token=abc&refresh_token=def', `access_token=${mark}&refresh_token=${mark}`],
    ['?token=abcdef', `?token=${mark}`],
    ['client_secret = abc.def', `client_secret = ${mark}`],
    ['secret: s3cr3t.', `secret: ${mark}.`],
    ['Cookie: sid=abc; theme=dark\r\nAccept: */*', `Cookie: ${mark}\r\nAccept: */*`],
    ['Set-Cookie: sid=abc; Path=/; HttpOnly', `Set-Cookie: ${mark}`],
    ["curl -H 'Cookie: sid=abc; b=c' https://example.com", `curl -H 'Cookie: ${mark}' https://example.com`],
    ['{"headers":"Cookie: a=b\\r\\nHost: x"}', `{"headers":"Cookie: ${mark}\\r\\nHost: x"}`],
    ['Authorization: Digest username="jane", nonce="a"\nHost: x', `Authorization: Digest ${mark}\nHost: x`],
    ['Authorization: Token abcdef', `Authorization: Token ${mark}`],
    ['Authorization: abcdef', `Authorization: ${mark}`],
    ['Proxy-Authorization: Basic amFuZTpodW50ZXIy', `Proxy-Authorization: Basic ${mark}`],
    ["curl -H 'Authorization: Bearer abc' x", `curl -H 'Authorization: Bearer ${mark}' x`],
    ['before {"password=x":1', `before {"password=${mark}":1`],
    ['password=jane@example.com', 'password=[REDACTED:email]'],
    ['pass\u200fword=hunter2', `pass\u200fword=${mark}`],
  ])('%j', (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });

  it.each([
    'grant_type=password',
    'update users set password = $1 where id = $2',
    'set encrypted_password = ?',
    'password=%s',
    `password=$\{DB_PASSWORD}`,
    'password: ****',
    'using password: YES',
    'invalid password: incorrect',
    'password: required',
    'Unexpected token: }',
    'unexpected token < in JSON',
    'the secret is out',
    'cookie: none',
    'no cookie set',
    'key=value',
    'keyword: x',
    'compassed: x',
    'tokens: 12',
    'author: jane',
    '{"password":"[REDACTED:key]"}',
    'password=[REDACTED:key]',
    "password='[REDACTED:key]'",
    'authorization: missing',
    'PATH=/bin',
  ])('stays: %j', (text) => {
    expect(redact(text)).toBe(text);
  });
});
