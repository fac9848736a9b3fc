import { describe, expect, it } from 'vitest';
import { createRedactor } from '../createRedactor.ts';
import { RedactionCounts } from '../redactionCounts.ts';

const redactor = createRedactor();
const redact = (text: string) => redactor.redactString(text, [], new RedactionCounts());
const mark = '[REDACTED:key]';

describe('secrets that no sign ties to their names', () => {
  it.each<[string, string]>([
    ['<password>hunter2</password>', `<password>${mark}</password>`],
    ['<ns:dbPassword type="x">hunter 2 </ns:dbPassword>', `<ns:dbPassword type="x">${mark} </ns:dbPassword>`],
    ['<secret><![CDATA[hunter2]]></secret>', `<secret><![CDATA[${mark}]]></secret>`],
    ['&lt;password&gt;hunter2&lt;/password&gt;', `&lt;password&gt;${mark}&lt;/password&gt;`],
    ['mysql --user x --password hunter2 db', `mysql --user x --password ${mark} db`],
    ["x --db-password 'hunter2' y", `x --db-password '${mark}' y`],
    ['curl -sS -u jane:hunter2 https://x.test/', `curl -sS -u ${mark} https://x.test/`],
    ["curl --user 'jane:hunter2' x", `curl --user '${mark}' x`],
    ['curl --proxy-user=jane:hunter2 x', `curl --proxy-user=${mark} x`],
    ["ran curl -b 'sid=abc; theme=dark' https://x.test", `ran curl -b '${mark}' https://x.test`],
    ['curl -b sid=abc x', `curl -b ${mark} x`],
    ['x --api-key hunter2', `x --api-key ${mark}`],
    ['x --db.password hunter2', `x --db.password ${mark}`],
    ['kubectl --token hunter2ab get', `kubectl --token ${mark} get`],
    ["x --token 'hunter2ab'", `x --token '${mark}'`],
    ['[{"accept", "x"}, {"cookie", "sid=1"}]', `[{"accept", "x"}, {"cookie", "${mark}"}]`],
    ["[(b'cookie', b'sid=1'), ('api_key', 'k')]", `[(b'cookie', b'${mark}'), ('api_key', '${mark}')]`],
    ['[{<<"db_password">>,<<"hunter2">>}]', `[{<<"db_password">>,<<"${mark}">>}]`],
    ['{\\"cookie\\", \\"sid=1\\"}', `{\\"cookie\\", \\"${mark}\\"}`],
    ["{ name: 'Cookie', value: 'sid=1' }", `{ name: 'Cookie', value: '${mark}' }`],
    ['<add key="DbPassword" value="hunter2" />', `<add key="DbPassword" value="${mark}" />`],
    ['- name: DB_PASSWORD\n  value: hunter2', `- name: DB_PASSWORD\n  value: ${mark}`],
    ['http.Header{"Cookie":[]string{"sid=1"}}', `http.Header{"Cookie":[]string{"${mark}"}}`],
    ["{b'cookie': b'sid=1'}", `{b'cookie': b'${mark}'}`],
    ['User { password: Some("hunter2") }', `User { password: Some("${mark}") }`],
    ['name="user[password]"\r\n\r\nhunter 2\r\n--b', `name="user[password]"\r\n\r\n${mark}\r\n--b`],
    ["SET PASSWORD FOR u = PASSWORD('hunter2')", `SET PASSWORD FOR u = PASSWORD('${mark}')`],
    ["crypt('hunter2', gen_salt('bf'))", `crypt('${mark}', gen_salt('bf'))`],
    ["ALTER USER jane WITH PASSWORD 'it''s me';", `ALTER USER jane WITH PASSWORD '${mark}';`],
    ["create user x identified by 'hunter2' account lock", `create user x identified by '${mark}' account lock`],
    ["IDENTIFIED WITH caching_sha2_password AS 'h1'", `IDENTIFIED WITH caching_sha2_password AS '${mark}'`],
    ["SET PASSWORD FOR 'u'@'h' = 'hunter2'", `SET PASSWORD FOR 'u'@'h' = '${mark}'`],
    ["set password for u to 'hunter2'", `set password for u to '${mark}'`],
    ["IDENTIFIED BY 'new1' REPLACE 'old1'", `IDENTIFIED BY '${mark}' REPLACE '${mark}'`],
    ["IDENTIFIED BY VALUES 'S:12AB'", `IDENTIFIED BY VALUES '${mark}'`],
    ['ALTER ROLE u PASSWORD $$hunter2$$;', `ALTER ROLE u PASSWORD $$${mark}$$;`],
    ['ALTER ROLE u PASSWORD $x$hunter2$x$;', `ALTER ROLE u PASSWORD $x$${mark}$x$;`],
    ["alter user u password /* c */ U&'hunter2'", `alter user u password /* c */ U&'${mark}'`],
    ['ALTER USER u PASSWORD "hunter2"', `ALTER USER u PASSWORD "${mark}"`],
    ["ATTACH 'x' (ENCRYPTION_KEY 'hunter2')", `ATTACH 'x' (ENCRYPTION_KEY '${mark}')`],
    ["PRAGMA rekey = 'hunter2'", `PRAGMA rekey = '${mark}'`],
    [
      'Digest username="jane", response="6629fae49393a05397450978507c4ef1", qop=auth',
      `Digest username="jane", response="${mark}", qop=auth`,
    ],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nMIIB\nabcd\n-----END RSA PRIVATE KEY-----',
      `-----BEGIN RSA PRIVATE KEY-----\n${mark}\n-----END RSA PRIVATE KEY-----`,
    ],
    ['-----BEGIN PRIVATE KEY-----\\nMIIB\\nabcd', `-----BEGIN PRIVATE KEY-----\\n${mark}`],
    ['-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF', `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${mark}`],
    ['Private-Lines: 2\nAAAA\nBBBB\nPrivate-MAC: 12', `Private-Lines: 2\n${mark}\nPrivate-MAC: 12`],
    ['STATEMENT: CREATE USER x WITH PASSWORD hunter2;', `STATEMENT: CREATE USER x WITH PASSWORD ${mark};`],
    [
      'alter role x with login password hunter2 valid until x',
      `alter role x with login password ${mark} valid until x`,
    ],
    ['CREATE USER x PASSWORD hunter', `CREATE USER x PASSWORD ${mark}`],
    ['CREATE USER x IDENTIFIED BY hunter2 ACCOUNT LOCK', `CREATE USER x IDENTIFIED BY ${mark} ACCOUNT LOCK`],
    [
      "CREATE DATABASE LINK l CONNECT TO u IDENTIFIED BY h1 USING 'x'",
      `CREATE DATABASE LINK l CONNECT TO u IDENTIFIED BY ${mark} USING 'x'`,
    ],
    ["IDENTIFIED VIA mysql_native_password USING 'h1'", `IDENTIFIED VIA mysql_native_password USING '${mark}'`],
    ["CREATE SECRET s (TYPE s3, SECRET 'h1')", `CREATE SECRET s (TYPE s3, SECRET '${mark}')`],
    ["select pgp_sym_encrypt('data', 'h1')", `select pgp_sym_encrypt('data', '${mark}')`],
    ['keytool -storepass hunter2 -keypass h3', `keytool -storepass ${mark} -keypass ${mark}`],
    ['machine x login jane password hunter2', `machine x login jane password ${mark}`],
  ])('%j', (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });

  it.each([
    '<password></password>',
    'response="200" response=6629fae4',
    "replace 'old' with 'new'",
    'the password "must" be long',
    'ALTER ROLE u PASSWORD $1',
    "duplicate key 'users_name'",
    'docker run -u 1000:1000 x --user app:app',
    'curl -b cookies.txt -u jane https://x.test',
    '<passwordPolicy>strict</passwordPolicy>',
    '<password/> text',
    'send `Bearer <token>`, or another <scheme> than that',
    'use --password or --token to sign in: no',
    '--password --verbose',
    'the password is wrong',
    "alter user x password '$1'",
    'grant types ("password", "refresh_token")',
    '{"token", "x"}',
    'name="password" value=""',
    'validates(:password, "is too short")',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'ALTER USER jane PASSWORD EXPIRE',
    'ALTER ROLE jane PASSWORD NULL',
    'create user jane: password too short',
    'create user request with password reset sent by mail',
    'could not create user jane with password policy strict',
    'customers are identified by id',
    'ALTER USER x IDENTIFIED BY RANDOM PASSWORD',
    'alter group of users, password change',
    'the secret "must" be long',
  ])('stays: %j', (text) => {
    expect(redact(text)).toBe(text);
  });
});
