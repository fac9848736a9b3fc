import type { Detector } from '../detector.ts';
import { isSecretHeader } from '../namedPairs.ts';
import type { TextView } from '../textView.ts';
import { deviceHint, deviceSecretsIn } from './deviceSecret.ts';
import { isLoneToken, isSecretName, secretHint, secretNamesIn } from './secretNames.ts';
import { endWithin, isMixed, matchAt, quotedAt, type Value } from './secretValues.ts';

/**
 * Secrets in XML elements, pairs and lists of name and value, command-line options (including curl's short ones), SQL
 * statements that set a password, fields of forms, and private keys in PEM. A value never reaches beyond the string around
 * it, so that JSON stays JSON.
 */
export const writtenSecret: Detector = {
  name: 'written_secret',
  kind: 'key',
  hint: new RegExp(
    String.raw`${secretHint.source}|${deviceHint}|[Ii][Dd][Ee][Nn][Tt][Ii][Ff][Ii][Ee][Dd]\s|[Cc][Rr][Yy][Pp][Tt](?:_bytea)?\s?\(|PRIVATE KEY(?: BLOCK)?-----|Private-Lines:|curl\s|response=|[Pp][Rr][Aa][Gg][Mm][Aa]\s`,
  ),
  find(view, report) {
    const { text } = view;
    const reportValue = ({ from, to }: Value): void => {
      const end = endWithin(view, from, (_, at) => at >= to);
      const value = text.slice(from, end).trimEnd();
      if (/[\p{L}\p{N}]/u.test(value) && !placeholder.test(value)) report(from, from + value.length);
    };
    let done = 0;
    for (const { at, name } of secretNamesIn(view)) {
      if (at < done) continue;
      const value = isLoneToken(text, at, name) ? tokenArgument(view, name, at) : valueBeside(view, name, at);
      if (value === undefined) continue;
      done = value.to;
      reportValue(value);
    }
    for (const form of forms.filter(({ word }) => text.includes(word)).flatMap(({ expressions }) => expressions)) {
      for (const { 1: value = '', indices } of text.matchAll(form)) {
        const [from = 0] = indices?.[1] ?? [];
        reportValue({ from, to: from + value.length });
      }
    }
    for (const value of deviceSecretsIn(text)) reportValue(value);
    for (const { 0: value, index } of text.matchAll(identifiedBy)) {
      reportValue({ from: index, to: index + value.length });
    }
    for (const { 0: all, index } of text.matchAll(beforePassword)) {
      const value = quotedAt(view, index + all.length);
      if (value !== undefined && value.to > value.from) reportValue(value);
    }
  },
  canonical: (core) => core,
};

/** A syntax that ties a value to a name: what precedes the name, and what is between it and the value. */
interface Syntax {
  /** Matched at the end of the text before the name. */
  readonly before: RegExp;
  readonly after: RegExp;
  value(view: TextView, from: number, name: string): Value | undefined;
}

const words = String.raw`[\w .-]{0,40}`;
const sign = '(?:<<|[bu])?';
const assigned = String.raw`["']?\s{0,8}(?:=>|[:=])\s{0,8}`;

/** White space and comments in SQL. */
const space = String.raw`(?:\s|/\*[^*]{0,64}\*/)`;
/** What may stand before a quote in SQL: escapes, Unicode, national characters. */
const stringSign = '(?:E|N|U&)?';

const syntaxes: readonly Syntax[] = [
  // {"cookie", "…"} of Elixir, ('cookie', '…') and (b'cookie', b'…') of Python, [{<<"cookie">>, <<"…">>}] of Erlang
  {
    before: new RegExp(String.raw`[[({]\s{0,8}${sign}["']${words}$`),
    after: new RegExp(String.raw`["'](?:>>)?\s{0,8},\s{0,8}${sign}(?=["'])`, 'y'),
    value(view, from) {
      const value = quotedAt(view, from);
      if (value === undefined || matchAt(endOfPair, view.text, value.to) === null) return undefined;
      return isSecretHeader(view.text.slice(value.from, value.to), { isPair: true }, isSecretName) ? value : undefined;
    },
  },
  // ["Host", "…", "Cookie", "…"], as in rawHeaders of Node.js
  {
    before: new RegExp(String.raw`[[(,{]\s{0,8}${sign}["'][\w-]{0,40}$`),
    after: new RegExp(String.raw`["'](?:>>)?\s{0,8},\s{0,8}${sign}(?=["'])`, 'y'),
    value(view, from) {
      const value = quotedAt(view, from);
      if (value === undefined) return undefined;
      return isSecretHeader(view.text.slice(value.from, value.to), { isPair: false }, isSecretName) ? value : undefined;
    },
  },
  // {name: 'Cookie', value: '…'}, <add key="password" value="…"/>, name=Cookie value=…
  {
    before: new RegExp(String.raw`(?<!\w)(?:name|key|header|type)${assigned}["']?${words}$`, 'i'),
    after: new RegExp(String.raw`["']?[\s,;]{1,16}["']?(?:[\w-]{0,20}value|val|v)${assigned}`, 'iy'),
    value: (view, from) => quotedAt(view, from) ?? matched(plainValue, view, from),
  },
  // A field of a form in a multipart body (RFC 7578, section 4.2)
  {
    before: /name="[\w.[\]-]{0,40}$/,
    after: /\]{0,2}"[^\r\n]{0,80}\r?\n(?:[\w-]{1,40}:[^\r\n]{0,200}\r?\n){0,4}\r?\n/y,
    value: (view, from) => matched(restOfLine, view, from),
  },
  // <password>…</password>
  {
    before: /<(?:[\w.-]{1,40}:)?[\w.-]{0,40}$/,
    after: /(?:\s[^<>]{0,200})?>\s{0,64}(?:<!\[CDATA\[)?/y,
    value: (view, from) => matched(content, view, from),
  },
  // --password …, -storepass …
  {
    before: /(?<![\w-])--?[\w.-]{0,40}$/,
    after: /[ \t]{1,8}/y,
    value: (view, from) => quotedAt(view, from) ?? matched(argument, view, from),
  },
  // ["--password", "…"], ['--api-key', '…']
  {
    before: /["'\x60]--?[\w.-]{0,40}$/,
    after: /\\{0,3}["'\x60]\s{0,8},\s{0,8}(?=\\{0,3}["'\x60](?!-))/y,
    value: (view, from) => quotedAt(view, from),
  },
  // [--password, …], as Java prints lists
  {
    before: /[[,]\s{0,8}--?[\w.-]{0,40}$/,
    after: /,[ \t]{1,8}(?!-)/y,
    value: (view, from) => matched(element, view, from),
  },
  // aws configure set aws_secret_access_key …, npm config set …:_authToken …
  {
    before:
      /(?:\bconfig(?:ure)?\s{1,4}set|\bgit\s{1,4}config(?:\s{1,4}--\w{1,16})?|\bsetenv|\bngrok(?:\sconfig)?)\s{1,4}[^\s=]{0,60}$/,
    after: /[ \t]{1,8}/y,
    value: (view, from) => quotedAt(view, from) ?? matched(argument, view, from),
  },
  // ALTER USER … PASSWORD '…', SET PASSWORD = PASSWORD('…')
  {
    before: /(?:)/,
    after: new RegExp(
      String.raw`(?:${space}{1,8}|${space}{0,8}\(${space}{0,8})${stringSign}(?=\\?'|\$\w{0,16}\$)`,
      'iy',
    ),
    value: (view, from, name) =>
      /(?:pass(?:word|phrase)|key)$/i.test(name) ? (quotedAt(view, from) ?? dollarQuotedAt(view, from)) : undefined,
  },
  // CREATE USER … PASSWORD "…"
  {
    before: /\b(?:alter|create|set)\s[^;"]{0,88}$/i,
    after: /\s{1,8}(?=\\{0,3}")/y,
    value: (view, from, name) => (/pass(?:word|phrase)$/i.test(name) ? quotedAt(view, from) : undefined),
  },
  // CREATE USER … PASSWORD hunter2, which is a mistake that servers log with the statement
  {
    before: /\b(?:alter|create)\s{1,8}(?:user|role|login|group)\s[^;:'"]{0,88}$/i,
    after: /\s{1,8}/y,
    value: (view, from, name) => (/pass(?:word|phrase)$/i.test(name) ? matched(bareword, view, from) : undefined),
  },
  // CREATE SECRET … (SECRET '…') of DuckDB
  {
    before: /\bcreate\s[^;]{0,88}$/i,
    after: /\s{1,8}(?=\\?')/y,
    value: (view, from, name) => (/^secret$/i.test(name) ? quotedAt(view, from) : undefined),
  },
  // machine … login … password … of .netrc
  {
    before: /\b(?:login|account)\s{1,8}\S{1,64}\s{1,8}$/,
    after: /\s{1,8}/y,
    value: (view, from, name) => (name === 'password' ? matched(bareword, view, from) : undefined),
  },
];

/** A password without quotes at the end of a statement or before its next clause, and no option such as PASSWORD EXPIRE. */
const notPassword =
  'expire|never|null|default|require|required|history|reuse|interval|unbounded|encryption|policy|disable|enable|reset|change|changed|must|is|was|has|too|for|to|of|in|and|or|not|off|on|with|without|length|strength|hash|failed|authentication|expired|invalid';
const nextClause =
  'valid|in|role|roles|admin|sysid|createdb|nocreatedb|createrole|nocreaterole|login|nologin|superuser|nosuperuser|inherit|noinherit|replication|noreplication|bypassrls|connection|default|account|temporary|quota|profile|must_change|check_expiration';
const bareword = new RegExp(
  String.raw`(?!(?:${notPassword})\b)[^\s;,()'"\x60\\\ue000]*[^\s;,.()'"\x60\\\ue000](?=[;.'"\x60]?\s{0,8}(?:$|[;\r\n'"\x60\\]|(?:${nextClause})\b))`,
  'iy',
);

const endOfPair = /\\{0,3}["'](?:>>)?\s{0,8}[\])}]/y;
const plainValue = /[^\s,;}\])>"'\ue000]+/y;
const restOfLine = /[^\r\n\ue000]+/y;
const content = /[^<>\]\ue000\s][^<>\]\ue000]*(?=(?:\]\]>)?<\/)/y;
const element = /[^\s,"'\x60[\]\\\ue000]+/y;
const argument = /(?!-)[^\s"'\x60\\\ue000]+/y;

const beforeChars = 96;

function valueBeside(view: TextView, name: string, at: number): Value | undefined {
  const { text } = view;
  const before = text.slice(Math.max(0, at - beforeChars), at);
  for (const syntax of syntaxes) {
    const between = matchAt(syntax.after, text, at + name.length);
    if (between === null || !syntax.before.test(before)) continue;
    const value = syntax.value(view, at + name.length + between.length, name);
    if (value !== undefined && value.to > value.from) return value;
  }
  return undefined;
}

const beforeArgument = /[ \t]{1,8}|\\{0,3}["'\x60]\s{0,8},\s{0,8}(?=\\{0,3}["'\x60])/y;

/** `--token …`, if the value is no word: `--token is missing`. */
function tokenArgument(view: TextView, name: string, at: number): Value | undefined {
  const { text } = view;
  const between = matchAt(beforeArgument, text, at + name.length);
  if (between === null || !/(?:^|[^\w-])--?$/.test(text.slice(Math.max(0, at - 3), at))) return undefined;
  const from = at + name.length + between.length;
  const value = quotedAt(view, from) ?? matched(argument, view, from);
  return value !== undefined && isMixed.test(text.slice(value.from, value.to)) ? value : undefined;
}

function matched(expression: RegExp, { text }: TextView, from: number): Value | undefined {
  const found = matchAt(expression, text, from);
  return found === null ? undefined : { from, to: from + found.length };
}

/** The text between the dollar signs of PostgreSQL: `$$…$$`, `$tag$…$tag$`. */
function dollarQuotedAt({ text }: TextView, start: number): Value | undefined {
  const tag = matchAt(/\$\w{0,16}\$/y, text, start);
  if (tag === null) return undefined;
  const from = start + tag.length;
  const to = text.indexOf(tag, from);
  return { from, to: to < 0 ? text.length : to };
}

/** IDENTIFIED BY hunter2, as Oracle allows */
const identifiedBy =
  /(?<=\b(?:(?:create|alter)\s{1,8}user|connect\s{1,8}to|grant\s[^;]{1,200}\sto)\s{1,8}[^\s;]{1,128}\s{1,8}identified\s{1,8}by\s{1,8})(?!(?:values|password|random|externally|globally)\b)[^\s;'"`\\\ue000]+/gi;

/** IDENTIFIED BY '…' REPLACE '…', SET PASSWORD FOR … = '…', PRAGMA key = '…', crypt('…', gen_salt('bf')) */
const beforePassword = new RegExp(
  [
    String.raw`\b(?:identified${space}{1,8}(?:by(?:${space}{1,8}values)?|(?:with|via)${space}{1,8}\w{1,40}${space}{1,8}(?:by|as|using))${space}{1,8}`,
    String.raw`replace(?<=\bidentified\s{1,8}by\s{1,8}\S{1,128}\s{1,8}replace)${space}{1,8}`,
    String.raw`set${space}{1,8}password${space}{1,8}for${space}{1,8}[^\r\n;=]{1,200}?(?:=|\bto\b)${space}{0,8}`,
    String.raw`pragma${space}{1,8}(?:\w{1,40}\.)?(?:hex)?(?:re)?key${space}{0,8}=${space}{0,8}`,
    String.raw`(?:pgp_sym|aes)_(?:en|de)crypt(?:_bytea)?\([^;\r\n]{1,200}?,${space}{0,8}`,
    String.raw`crypt${space}{0,8}\(${space}{0,8})${stringSign}(?=\\{0,3}['"])`,
  ].join('|'),
  'gi',
);

/** Values without a name, in texts with a word. */
const forms: readonly { readonly word: string; readonly expressions: readonly RegExp[] }[] = [
  // curl -u user:password, curl -b 'sid=…'
  {
    word: 'curl',
    expressions: [
      /(?<=\bcurl\b[^\r\n]{0,512}\s)(?:-[A-Za-z]{0,6}[uUE]|--user|--proxy-user|--cert|--proxy-cert)(?:=|[ \t]{0,8})["'\x60]?([^\s:"'\x60\\\ue000-][^\s:"'\x60\\\ue000]{0,127}:[^\s"'\x60\\\ue000]+)/dg,
      /(?<=\bcurl\b[^\r\n]{0,512}\s)(?:-b|--cookie)(?:=|[ \t]{0,8})(?=["'\x60])[^\s]([^\s=;"'\x60\ue000]{1,128}=[^"'\x60\r\n\ue000]+)/dg,
      /(?<=\bcurl\b[^\r\n]{0,512}\s)(?:-b|--cookie)(?:=|[ \t]{0,8})([^\s=;"'\x60\ue000-][^\s=;"'\x60\ue000]{0,127}=[^\s"'\x60\ue000]+)/dg,
    ],
  },
  // The proof of the password in Digest (RFC 7616)
  { word: 'response=', expressions: [/(?<![\w-])response=\\{0,3}["']?([\da-fA-F]{32}|[\da-fA-F]{64})(?![\w-])/dg] },
  // PEM
  {
    word: 'Private-Lines:',
    expressions: [/Private-Lines: \d{1,4}\s+([A-Za-z0-9+/=][A-Za-z0-9+/=\s]*?)(?=\s{0,4}(?:Private-|$|[^\w\s+/=]))/dg],
  },
  {
    word: 'PRIVATE KEY',
    expressions: [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----\s*([^\s\ue000-][^\ue000-]*)/dg],
  },
];

const placeholder =
  /^(?:\$\d+|%s|\$\{[\w.: -]*\}|\$\w+|\*+|x{3,}|null|none|true|false|yes|no|redacted|filtered|hidden|masked|and|or|is|to|for|in|the|flag|option|argument|was|must|required)\s*$/i;
