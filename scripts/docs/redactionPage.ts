import { builtinFieldRules } from '../../src/redact/fieldRules.ts';
import { measureCorpus } from '../../test/redaction/measureCorpus.ts';
import { readCorpus } from '../../test/redaction/readCorpus.ts';

/** What each detector of the corpus finds. */
const finds: Readonly<Record<string, string>> = {
  ipv4: 'IPv4 addresses: plain, with port (also joined by a dot), prefix length, in brackets, touching letters, as `ip-10-0-0-5`, as names of reverse DNS',
  ipv6: 'IPv6 addresses: every spelling of RFC 4291, with port, zone, prefix length, in brackets, mapped IPv4, as names of reverse DNS',
  email: 'e-mail addresses, also quoted, not ASCII, percent-encoded, with `&#64;`, `=40` or `\\x40`, `git@host.tld:`',
  jwt: 'JWT and JWE, and JSON in base64 (`eyJ…`)',
  bearer: 'the token after `Bearer`, if it has 16 or more characters or a digit',
  basic: 'the credentials after `Basic`',
  userinfo: 'user and password in a URL',
  key_prefix:
    'keys that begin with `sb_secret_`, `sb_publishable_`, `sk_`/`pk_`/`rk_` `live_` or `test_`, `AKIA`, `ASIA`, `ghp_`, `gho_`, `github_pat_`, `xox.-`, `AIza`, `lm_`',
  named_secret:
    "values after a name that says that they are secret, `password=…`, `'api_key': '…'`, and lines of `Cookie:`, `Set-Cookie:`, `Authorization:`, `X-API-KEY:`",
  written_secret:
    "secrets by the syntax that they stand in: `<password>…</password>`, `--password …`, `curl -u …`, `curl -b …`, `PASSWORD '…'` and `IDENTIFIED BY '…'` of SQL, private keys in PEM",
  phone: 'telephone numbers (optional)',
  card: 'payment card numbers with a valid check digit (optional)',
  iban: 'bank account numbers with valid check digits (optional)',
};

/** The page of redaction, with what the detectors find of the labelled corpus. */
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

What redaction takes out of values. When it is in force, and what it means for queries, is told under [Redaction](../guides/redaction.md).

Texts are looked at wherever they stand in a value, at any depth. Names of members, numbers, booleans and null stay as they are. In doubt, a
text is redacted. Redacting what is redacted changes nothing. Of two matches that overlap, the one that starts first gives the mark, and the
mark takes in both.

## Detectors

Recall is the part of the labelled values that is wholly replaced, precision the part of the marks that belongs to a labelled value, both over
the ${texts.length} texts of the corpus in \`test/redaction/corpus\`, of which ${texts.filter(({ marks }) => marks.length === 0).length} hold only look-alikes. All of them are invented; real logs hold forms that nobody
thought of.

| detector | mark | finds | labelled | recall | precision |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

A mark takes in what belongs to an address: port, zone, prefix length, brackets. The words \`Bearer\` and \`Basic\`, the host of a URL and the
domain behind \`ip-10-0-0-5\` stay.

In texts that are not JSON, a value is secret after \`=\`, \`:\`, \`:=\`, \`->\` or \`=>\` and one of these names, in any case, with \`-\`, \`_\` or nothing between their
words, and also behind other words (\`db_password\`, \`dbPassword\`, \`PGPASSWORD\`): \`password\`, \`passwd\`, \`passphrase\`, \`passcode\`, \`pwd\`, \`password_hash\`, \`secret\`, \`secret_key_base\`,
\`api_key\` (also \`access\`, \`secret\`, \`private\`, \`service_role\`, \`encryption\`, \`signing\`), \`access_token\` (also \`refresh\`, \`id\`, \`auth\`, \`session\`, \`api\`, \`bearer\`,
\`service\`, \`bot\`, \`csrf\`, \`xsrf\`, \`reset\`, \`confirmation\`, \`recovery\`), \`token=\`, \`token_hash\`, \`credentials\`, \`cookie\`, \`set-cookie\`, \`authorization\`. A value in quotes goes up to its closing
quote, one in brackets to the bracket that closes them, \`Cookie:\` and \`Authorization:\` take the rest of their line, and any other value ends at white space, \`&\`, \`,\`, \`;\`, \`|\` or a bracket
that it did not open. After \`:\` it may stand on the next line if that is indented and holds nothing else. Placeholders (\`$1\`, \`?\`,
\`%s\`, \`\${NAME}\`, \`****\`) and, after a colon, words such as \`required\` or \`missing\` stay.

Escapes, entities and percent-encoding are read as what they mean (\`jane%40example.com\`, \`jane\\u0040example.com\`, \`jane\\x40example.com\`, \`jane\\100example.com\`,
\`jane&#64;example.com\`, also \`&amp;#64\`, \`jane=40example.com\`, \`2001%3Adb8%3A%3A1\`), and so are characters of full width and long lines that mails break with \`=\`. Characters that show nothing are passed
over: soft hyphens, spaces and joiners without width, marks of direction, variation selectors, fillers, tags. An escape such as \`\\n\` before a value is a
boundary. A text that is JSON is looked into value by value, also where JSON stands in JSON, and is JSON afterwards;
names of its members are looked at as text, also in an object that PARSE_JSON or JSON_QUERY reads from it.

What stays, though it could be read as an address: UUIDs, timestamps and times of day, ratios, hexadecimal digests, MAC addresses and EUI-64,
casts of SQL (\`1::bigint\`) and scoped names (\`Base64::decode\`), a lone \`::\`, \`::/0\`, \`[::]:3000\`, octets above 255, \`icon@2x.png\`,
\`user@host\` without a dot, \`package@1.2.3\`; four numbers right after the word \`v\` or \`version\` (also with \`=\` or \`:\`), and in \`Name/1.2.3.4\`
at the start of a text, after white space, \`(\` or a quote. A JSON member \`"version": "1.2.3.4"\` is redacted: the number stands alone there.

## Members that are personal by their name

Every text below such a member is replaced whole and numbers below it become null; booleans, null, names and shape stay. Names are compared
without case, and \`-\` equals \`_\`. The same goes inside texts that hold JSON, whole or in part. An installation can add members, by name or by
path (\`request.cf.city\`). A member whose name ends with one of the names above (\`db_password\`, \`stripeSecretKey\`) is one of a key; \`token\` alone is none. The mark of added members is \`[REDACTED:field]\`.

A value that another member of its object names is treated as the member of that name would be: \`{"name": "Cookie", "value": "…"}\` as
\`{"Cookie": "…"}\`, whichever comes first. Names stand in \`name\`, \`key\`, \`k\`, \`header\`, and \`header_name\`, \`field_key\` and their like; values in
\`value\`, \`values\`, \`val\`, \`v\`, and members that end with \`value\`, such as \`newValue\`. That covers headers in HAR, variables in Kubernetes and
attributes in OTLP. Redaction does not see the name if a stored query selects the value alone (\`h.value\`), and does not
know pairs in arrays (\`["Cookie", "…"]\`) or secrets in prose ("the password is …").

| mark | members |
| --- | --- |
${fields.join('\n')}

## Pseudonyms

With a key, marks are \`[ip:7f3a9c]\` instead of \`[REDACTED:ip]\`: the first 24 bits of HMAC-SHA-256 of kind and value. The same value has the
same mark in every row, so rows can be joined and counted by it; addresses are compared in one spelling, e-mail without case. Without the key
nobody can find a value by trying. Among 5,000 different values it is about even that two of them share a mark, so exact counts of many values
need the plain rows.
`;
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
}
