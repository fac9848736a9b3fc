import { builtinFieldRules } from '../../src/redact/fieldRules.ts';
import { measureCorpus } from '../../test/redaction/measureCorpus.ts';
import { readCorpus } from '../../test/redaction/readCorpus.ts';

/** What each detector of the corpus finds. */
const finds: Readonly<Record<string, string>> = {
  ipv4: 'IPv4 addresses: plain, with a port (also after a dot), with a prefix length, in brackets, next to letters, as `ip-10-0-0-5`, and as reverse DNS names',
  ipv6: 'IPv6 addresses: every spelling of RFC 4291, with a port, zone or prefix length, in brackets, with mapped IPv4, and as reverse DNS names',
  email:
    'e-mail addresses, also quoted, with non-ASCII characters, percent-encoded, with `&#64;`, `=40` or `\\x40`, and `git@host.tld:`',
  jwt: 'JWT and JWE, and JSON in base64 (`eyJ…`)',
  bearer: 'the token after `Bearer`, if it has 16 or more characters or a digit',
  basic: 'the credentials after `Basic`',
  userinfo: 'the user and password in a URL, or before `@tcp(` in an address of a Go driver',
  key_prefix:
    'keys that start with `sb_secret_`, `sb_publishable_`, `sk_`/`pk_`/`rk_` `live_` or `test_`, `AKIA`, `ASIA`, `ghp_`, `gho_`, `github_pat_`, `xox.-`, `AIza` or `lm_`, and the keys of GitLab (`glpat-`), Supabase (`sbp_`), npm, PyPI, Docker Hub, Hugging Face, OpenAI and Anthropic (`sk-`), SendGrid (`SG.`), Vault (`hvs.`), Slack apps (`xapp-`), Shopify, DigitalOcean, Tailscale, Google (`ya29.`) and of signed webhooks (`whsec_`)',
  named_secret:
    "values after the name of a secret, such as `password=…`, `Access Token: …` and `'api_key': '…'`, the headers `Cookie:`, `Set-Cookie:`, `Authorization:` and `X-API-KEY:`, and secret parameters of URLs, forms and cookies (`?code=…`, `&sig=…`)",
  written_secret:
    "secrets that are recognised by the syntax around them: `<password>…</password>`, `--password …`, `[\"--password\", \"…\"]`, `aws configure set aws_secret_access_key …`, `curl -u …`, `curl -b …`, `PASSWORD '…'`, `SET PASSWORD FOR … = '…'`, `IDENTIFIED BY '…' REPLACE '…'`, `ENCRYPTION_KEY '…'`, `PRAGMA key = '…'` and `crypt('…')` in SQL, `CREATE USER … PASSWORD …` without quotes, `response=` of Digest, pairs and lists of name and value (`{\"cookie\", \"…\"}`, `['Host', '…', 'Cookie', '…']`, `{ name: 'Cookie', value: '…' }`, `<add key=\"password\" value=\"…\"/>`), fields of multipart forms, private keys in PEM, and lines that configure network devices (`enable secret 5 …`, `username x password 7 …`, `snmp-server community …`, `radius-server key …`)",
  tool_secret:
    'secrets after short options of programs, such as `sshpass -p …`, `mysql -p…`, `redis-cli -a …`, `htpasswd -b … …`, `net use … /user:… …` and `docker login -p …`, and in lines of protocols: `AUTH …` of Redis, `AUTH PLAIN …` of SMTP, `PASS …` of FTP, `LOGIN … …` of IMAP',
  secret_url:
    'secrets in the path of a URL: webhooks of Slack, Discord, Telegram, Teams and IFTTT, and tokens in links such as `/reset-password/…` and `/invite/…`',
  phone: 'telephone numbers (optional)',
  card: 'payment card numbers with a valid check digit (optional)',
  iban: 'bank account numbers with valid check digits (optional)',
};

/** The redaction page, with the recall and precision of each detector on the labelled corpus. */
export function redactionPage(): string {
  const texts = readCorpus().flatMap((file) => file.texts);
  const rows = measureCorpus().map(
    ({ detector, kind, labelled, found, false: wrong }) =>
      `| \`${detector}\` | \`[REDACTED:${kind}]\` | ${finds[detector] ?? ''} | ${labelled} | ${percent(found, labelled)} | ${percent(found, found + wrong)} |`,
  );
  const kinds = [...new Set(builtinFieldRules.map(({ kind }) => kind))];
  const fields = kinds.map((kind) => {
    const names = builtinFieldRules.filter((rule) => rule.kind === kind).map(({ field }) => `\`${field}\``);
    return `| \`[REDACTED:${kind}]\` | ${names.join(', ')} |`;
  });
  return `# Redaction

This page lists what redaction replaces. [The redaction guide](../guides/redaction.md) says when redaction applies, and what it means for queries.

- Redaction examines strings anywhere in a value, at any depth. Member names, numbers, booleans and null stay as they are.
- In doubt, redaction replaces a string. Redacting a redacted value changes nothing.
- If two matches overlap, one mark replaces both. Its kind is that of the match that starts first.

## Detectors

Recall is the share of labelled values that are completely replaced. Precision is the share of marks that cover a labelled value. Both are
measured on the ${texts.length} texts in \`test/redaction/corpus\`, of which ${texts.filter(({ marks }) => marks.length === 0).length} contain only look-alikes. All texts are invented; real logs contain forms that the
corpus does not have.

| detector | mark | finds | labelled | recall | precision |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

### What a mark covers

The mark of an address covers its port, zone, prefix length and brackets. The words \`Bearer\` and \`Basic\`, the host of a URL, and the domain
after \`ip-10-0-0-5\` stay.

### Named secrets

In text that is not JSON, \`named_secret\` replaces the value after \`=\`, \`:\`, \`:=\`, \`->\` or \`=>\` and one of these names. Names are
case-insensitive. Their words may be joined by \`-\`, \`_\`, \`.\`, a space or nothing, and other words may come first (\`db_password\`, \`dbPassword\`,
\`PGPASSWORD\`). A number or a word such as \`hash\`, \`confirmation\`, \`old\` or \`value\` may follow (\`password_confirmation\`, \`apiKey2\`):

- \`password\`, \`passwd\`, \`passphrase\`, \`passcode\`, \`pwd\`, \`db_pass\`, \`secret\`, \`secret_key_base\`, \`otp\`, \`cvv\`, \`cvc\`
- \`api_key\`, also with \`app\`, \`access\`, \`account\`, \`secret\`, \`private\`, \`service_role\`, \`encryption\`, \`signing\`, \`shared_access\`, \`master\`, \`admin\`,
  \`auth\`, \`subscription\`, \`functions\`, \`consumer\`, \`hmac\`, \`jwt\`, \`ssh\`, \`server\`, \`deploy\`, \`license\` or \`webhook\` instead of \`api\`
- \`access_token\`, and any other word joined to \`token\` (\`X-Vault-Token\`, \`X-Amz-Security-Token\`), except words that make it public, such as \`next\`, \`page\`,
  \`sync\`, \`stop\` and \`max\`. After \`token:\` alone, a value of eight or more characters with letters and digits; after \`token=\`, any value
- \`verification_code\`, also with \`security\`, \`confirmation\`, \`login\`, \`auth\`, \`recovery\` and others instead of \`verification\`
- \`credentials\`, \`cookie\`, \`set-cookie\`, \`authorization\`, \`x-auth\`, \`JSESSIONID\`, \`PHPSESSID\`, \`ASP.NET_SessionId\`, \`connect.sid\`
- \`X-Amz-Signature\`, \`X-Goog-Signature\` and others of the kind, \`SharedAccessSignature\`

In URLs, forms and cookies, also the values of these parameters, which are ordinary words elsewhere:

- \`sig\`, \`signature\`, \`assertion\`, \`jwt\`, \`hmac\`, \`psw\`, \`code_verifier\`, \`device_code\`, \`user_code\`, \`oauth_verifier\`, \`SAMLResponse\`,
  \`_app_session\`
- \`sid\`, \`session\`, \`session_id\` and \`auth\` with six or more characters, \`ticket\` with twelve or more, \`pin\` with four or more digits
- \`code\` with six or more characters, except words such as \`not_found\`; \`key\` with sixteen or more letters and digits

The value ends as follows:

- A value in quotes ends at its closing quote, a value in brackets at its closing bracket.
- \`Cookie:\` and \`Authorization:\` cover the rest of the line.
- Any other value ends at white space, \`&\`, \`,\`, \`;\`, \`|\` or a bracket that it did not open.
- After \`:\`, the value may be on the next line, if that line is indented and contains nothing else.

Placeholders (\`$1\`, \`?\`, \`%s\`, \`\${NAME}\`, \`****\`) stay. After a colon, words such as \`required\` or \`missing\` also stay.

These rules replace some ordinary texts, such as \`?code=SUMMER26\` of a shop, and leave some secrets:

- names in other languages, and secrets in prose ("the password is …")
- single letters (\`-p hunter2\`) of programs that are not listed, and short options in lists (\`["mysql", "-p…"]\`)
- lines of network devices without the name of a secret (\`key-string …\`, \`rocommunity …\`)
- short words as options (\`--pass …\`, \`--auth …\`), arguments without an option (\`snyk auth …\`), and \`password …\` alone on a line
- members with ordinary names, such as \`token\`, \`code\`, \`signature\`, \`nonce\`, \`jwk\`, \`passport\` and \`account_number\`: add them with
  \`LOGMILL_REDACT_FIELDS\`

### Encoded and nested text

- Escapes, entities and percent-encoding are decoded: \`jane%40example.com\`, \`jane\\u0040example.com\`, \`jane\\x40example.com\`, \`jane\\100example.com\`,
  \`jane&#64;example.com\` (also \`&amp;#64\`), \`jane=40example.com\`, \`2001%3Adb8%3A%3A1\`. Full-width characters, and long lines that mail software
  breaks with \`=\`, are also recognised.
- Invisible characters are skipped: soft hyphens, zero-width spaces and joiners, directional marks, variation selectors, fillers and tags.
- An escape such as \`\\n\` before a value is a boundary.
- In a string that contains JSON, redaction examines each value, also in JSON within JSON. The result is still valid JSON. Member names in such
  a string are examined as text, also in an object that PARSE_JSON or JSON_QUERY reads from it.

### Look-alikes

These stay, although they resemble an address:

- UUIDs, timestamps and times of day, ratios, hexadecimal digests, MAC addresses and EUI-64
- casts in SQL (\`1::bigint\`) and scoped names (\`Base64::decode\`), a lone \`::\`, \`::/0\`, \`[::]:3000\`
- octets above 255, \`icon@2x.png\`, \`user@host\` without a dot, \`package@1.2.3\`
- four numbers directly after the word \`v\` or \`version\` (also with \`=\` or \`:\`), and in \`Name/1.2.3.4\` at the start of a text, or after white
  space, \`(\` or a quote. A JSON member \`"version": "1.2.3.4"\` is redacted, because the string contains only the number.

## Members that are personal by name

Every string below such a member is replaced as a whole, and every number becomes null. Booleans, null, names and structure stay. Names are
case-insensitive, and \`-\` equals \`_\`. The same applies to JSON inside strings, even if only a part of the string is JSON.

An installation can add members, by name or by path (\`request.cf.city\`). Their mark is \`[REDACTED:field]\`. A member whose name ends with one of the
[names of secrets](#named-secrets) (\`db_password\`, \`stripeSecretKey\`) counts as a key; \`token\` alone does not.

If another member of the same object names a value, redaction treats the value as a member with that name: \`{"name": "Cookie", "value": "…"}\` like
\`{"Cookie": "…"}\`, in either order. The name can be in \`name\`, \`key\`, \`k\`, \`header\`, or members such as \`header_name\` and \`field_key\`. The value can
be in \`value\`, \`values\`, \`val\`, \`v\`, or a member that ends with \`value\`, such as \`newValue\`. This covers headers in HAR, variables in Kubernetes
and attributes in OTLP.

The name can also be the element before the value in an array: in a pair (\`["Cookie", "…"]\`, \`["Set-Cookie", ["…", "…"]]\`), or in a list of names
and values in turn (\`["Host", "…", "Cookie", "…"]\`). This applies to names of secrets and to members that an installation adds. Values that are
usual names of headers stay, because lists such as \`["authorization", "content-type"]\` hold only names. In a list longer than a pair, values that
are a single word stay, except in \`rawHeaders\`. Numbers, and values in an object after the name, stay.

If a stored query selects only the value (\`h.value\`, \`m.pairs[0][1]\`), it reads redacted events ([the guide](../guides/redaction.md#values-that-another-member-names)).

| mark | members |
| --- | --- |
${fields.join('\n')}

## Pseudonyms

With a key, a mark is \`[ip:7f3a9c]\` instead of \`[REDACTED:ip]\`: the kind, and the first 24 bits of HMAC-SHA-256 of kind and value. Equal values
have equal marks in every row, so you can join and count by them. Addresses are normalised to one spelling, and e-mail addresses are
case-insensitive. Without the key, no one can find a value by guessing. Among 5,000 different values, two have the same mark with a probability
of about one half. For exact counts of many values, use unredacted rows.
`;
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
}
