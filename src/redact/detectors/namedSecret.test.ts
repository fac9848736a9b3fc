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
    ["{'password': ['a1', 'b2'], 'n': 1}", `{'password': [${mark}], 'n': 1}`],
    ["{'password': {'a': 'b1'}, 'n': 1}", `{'password': {${mark}}, 'n': 1}`],
    ['password=(h1 x) next', `password=(${mark}) next`],
    ['password=<h1> next', `password=<${mark}> next`],
    ['password=[never closed\nnext', `password=[${mark}\nnext`],
    ['user(password=a1(b)c)', `user(password=${mark})`],
    ['said "password=[a1" next', `said "password=[${mark}" next`],
    ["password='it''s me' next", `password='${mark}' next`],
    ['"password": \'a1\'', `"password": '${mark}'`],
    ['x {"password":a1}', `x {"password":${mark}}`],
    ['x {"password":1a2}', `x {"password":${mark}}`],
    ['password -> h1', `password -> ${mark}`],
    ['password\u2003=\u00a0h1', `password\u2003=\u00a0${mark}`],
    ['password\0=h1', `password\0=${mark}`],
    ['DB_PASS=h1', `DB_PASS=${mark}`],
    ['?pass=h1', `?pass=${mark}`],
    ['user=jane pass=hunter2 x', `user=jane pass=${mark} x`],
    ['PASS: hunter2', `PASS: ${mark}`],
    ["{'pass': 'secretword'}", `{'pass': '${mark}'}`],
    ['user=jane pw=hunter2 x', `user=jane pw=${mark} x`],
    ['pw: hunter2', `pw: ${mark}`],
    ['wrong pin=4711 given', `wrong pin=${mark} given`],
    ['pin code: 4711', `pin code: ${mark}`],
    ['session_id=a8f3b2c9d0e1f2a3 on', `session_id=${mark} on`],
    ['X-Session-Id: a8f3b2c9d0e1f2a3', `X-Session-Id: ${mark}`],
    ['sessionId: a8f3b2c9d0e1f2a3', `sessionId: ${mark}`],
    ['sid=s%3Aa8f3b2c9d0e1f2a3.x on', `sid=${mark} on`],
    ['jwt=a8f3b2c9d0e1f2a3', `jwt=${mark}`],
    ['x {"pass":"hunter2","n":1}', `x {"pass":"${mark}","n":1}`],
    ['x {"sid":"a8f3b2c9d0e1f2a3"', `x {"sid":"${mark}"`],
    ['password:\n  h1\nuser: x', `password:\n  ${mark}\nuser: x`],
    ['password: |\n  h1', `password: |\n  ${mark}`],
    ['X-API-KEY:\r\n h1\r\nHost: x', `X-API-KEY:\r\n ${mark}\r\nHost: x`],
    ['Cookie: a=1;\r\n b=c\r\nHost: x', `Cookie: ${mark}\r\nHost: x`],
    ['code_verifier=dBjftJeZ4CVP-mB92', `code_verifier=${mark}`],
    ["{'codeVerifier': 'dBjftJeZ4CVP'}", `{'codeVerifier': '${mark}'}`],
    ['client_assertion: abc', `client_assertion: ${mark}`],
    ['security_answer=fluffy', `security_answer=${mark}`],
    ['psk="hunter2"', `psk="${mark}"`],
    ['storepass=hunter2 keypass=hunter3', `storepass=${mark} keypass=${mark}`],
    ['private_key_pem=abc privkey=abc', `private_key_pem=${mark} privkey=${mark}`],
    ['seed phrase: abandon ability able about x=1', `seed phrase: ${mark} x=1`],
    ['mnemonic: abandon ability able about above absent, n=1', `mnemonic: ${mark}, n=1`],
    ["{'mnemonic': 'abandon ability able about above absent'}", `{'mnemonic': '${mark}'}`],
    ['jane:hunter2@tcp(db:3306)/shop', `${mark}@tcp(db:3306)/shop`],
    ['card_pin=4711', `card_pin=${mark}`],
    ['x {"pin":4711,"n":4711}', 'x {"pin":null,"n":4711}'],
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
    'password=[FILTERED]',
    'password: [object Object]',
    'password: <your password>',
    'password={password}',
    'password:\n    at login (auth.js:3)',
    'secret:\n  name: x',
    'pass=3 fail=12 pass=2/3 pass=99.5% pass=12ms pass=ok pass=true',
    'first pass: parsing, second pass: 12ms',
    'pass the salt: it is here',
    'pin 3, pin=13, pin: GPIO4, spin=4711',
    'pwsafe=1 pw=3 pw: 12',
    'sid=ORCL SID: 3 session_id=12345678',
    'session_id=64f0a1b2.1a2c',
    'session_id=0188f0a4-52b1-7c3e-9f10-aabbccddeeff',
    'sid=CA0123456789abcdef0123456789abcdef',
    'jwt: expired',
    'x {"pass":3,"fail":"ok"} {"pass":"ok"}',
    'tests_passed=3 pass: 4 bypass=5',
    'Cookie: none\n at x',
    'mnemonic: mov mnemonic=add',
    'the verifier: passed, answer: 42, phrase: hello',
    'assertion: failed, recovery: done',
    'x {"pin":13,"gpio_pin":4}',
    'meet at 10:30@tcp',
  ])('stays: %j', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('a name of several words, each of which names a secret', () => {
  const firsts =
    'key store require keyStore token secret cookie auth pass pwd client api apiKey admin credential privateKey master sessionid set'.split(
      ' ',
    );
  const lasts =
    'Password Passwd Passphrase Pwd Secret AccessToken Token ApiKey Cookie Authorization Otp Credentials'.split(' ');

  it.each(firsts)('is found from its last word after %s', (first) => {
    for (const last of lasts) {
      const [camel, snake] = [`${first}${last}`, `${first}_${last.toLowerCase()}`];
      for (const name of [camel, snake]) {
        expect(redact(`${name}=hunter2`)).toBe(`${name}=${mark}`);
        expect(redact(`x: 1, ${name}: "hunter2ab"`)).toBe(`x: 1, ${name}: "${mark}"`);
      }
    }
  });

  it.each<[string, string]>([
    ['developer_token: abc', `developer_token: ${mark}`],
    ['offlineToken: abc', `offlineToken: ${mark}`],
    ['backend-token: abc', `backend-token: ${mark}`],
    ['java -Dpassword=hunter2 -jar x', `java -Dpassword=${mark} -jar x`],
    ['gradle -Ptoken=hunter2', `gradle -Ptoken=${mark}`],
    ['token: "8f2c41d90b"', `token: "${mark}"`],
    ["{ token: '8f2c41d90b' }", `{ token: '${mark}' }`],
  ])('%j', (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });

  it.each([
    'next_token: abc',
    'nextPageToken: abc',
    'maxTokens: 4096',
    'total-token: abc',
    'NEXT_TOKEN: abc',
    'Unexpected token: "identifier"',
    'the D-password rule',
  ])('stays: %j', (text) => {
    expect(redact(text)).toBe(text);
  });
});
