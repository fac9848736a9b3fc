import type { Detector } from '../detector.ts';
import { isWholeName, secretHint, secretWords } from './secretNames.ts';

/** `token` alone has other meanings. */
const pairWords = `(?!tokens?\\b)(?:${secretWords})`;

/** Text up to the quote of the kind that precedes it. */
const quotedText = String.raw`(?<=")[^"\ue000]+|(?<=')[^'\ue000]+`;

/** Values after a name without a separator such as `=`, by syntax. */
const forms: readonly RegExp[] = [
  // {"cookie", "…"} of Elixir, ('cookie', '…') and (b'cookie', b'…') of Python, [{<<"cookie">>, <<"…">>}] of Erlang.
  // A list of names is no pair: ("password", "refresh_token").
  new RegExp(
    String.raw`[[({]\s{0,8}(?:<<|[bu])?["'][\w-]{0,40}?(${pairWords})["'](?:>>)?\s{0,8},\s{0,8}(?:<<|[bu])?["'](?!(?:${secretWords})["'])(${quotedText})(?=["'](?:>>)?\s{0,8}[\])}])`,
    'dgi',
  ),
  // {name: 'Cookie', value: '…'}, <add key="password" value="…"/>, name=Cookie value=…
  new RegExp(
    String.raw`(?<!\w)(?:name|key|header|type)["']?\s{0,8}(?:=>|[:=])\s{0,8}["']?[\w-]{0,40}?(${pairWords})["']?[\s,;]{1,16}["']?(?:[\w-]{0,20}value|val|v)["']?\s{0,8}(?:=>|[:=])\s{0,8}["']?(${quotedText}|(?<!["'])[^\s,;}\])>"'\ue000]+)`,
    'dgi',
  ),
  // http.Header{"Cookie":[]string{"…"}} of Go, {b'cookie': b'…'}, password: Some("…"), <<"password">> => <<"…">>
  new RegExp(
    String.raw`(${pairWords})["']?(?:>>)?\s{0,8}(?::|=>?)\s{0,8}(?:\[\][\w.]{1,20}\{|Some\(|<<|[bu])["'](${quotedText})`,
    'dgi',
  ),
  // A field of a form in a multipart body (RFC 7578, section 4.2)
  new RegExp(String.raw`name="[\w.[-]{0,40}?(${pairWords})\]{0,2}"[^\S\r\n]{0,8}\r?\n\r?\n([^\r\n\ue000]+)`, 'dgi'),
  // <password>…</password>
  new RegExp(
    String.raw`<(?:[\w.-]{1,40}:)?[\w.-]{0,40}?(${secretWords})(?:\s[^<>]{0,200})?>\s{0,64}(?:<!\[CDATA\[)?([^<>\]\ue000\s][^<>\]\ue000]*)(?=(?:\]\]>)?</)`,
    'dgi',
  ),
  // --password …
  new RegExp(String.raw`(?<![\w-])--[\w-]{0,40}?(${secretWords})[ \t]{1,8}["'\x60]?((?!-)[^\s"'\x60\\\ue000]+)`, 'dgi'),
  // ALTER USER … PASSWORD '…', SET PASSWORD = PASSWORD('…'), crypt('…', gen_salt('bf'))
  /(password|passphrase|identified[ \t]{1,8}(?:by|with[ \t]{1,8}\w{1,40}[ \t]{1,8}(?:by|as))|crypt)(?:\s{1,8}|\s{0,8}\(\s{0,8})E?\\?'((?:[^'\\\ue000]|\\+[^'\\\ue000]|\\+'(?!\s|;|$)|'')+)/dgi,
  // curl -u user:password, curl -b 'sid=…'
  /(?<=\bcurl\b[^\r\n]{0,512}\s)(-u|-U|--user|--proxy-user)(?:=|[ \t]{0,8})["'\x60]?([^\s:"'\x60\\\ue000-][^\s:"'\x60\\\ue000]{0,127}:[^\s"'\x60\\\ue000]+)/dg,
  /(?<=\bcurl\b[^\r\n]{0,512}\s)(-b|--cookie)(?:=|[ \t]{0,8})(?=["'\x60])[^\s]([^\s=;"'\x60\ue000]{1,128}=[^"'\x60\r\n\ue000]+)/dg,
  /(?<=\bcurl\b[^\r\n]{0,512}\s)(-b|--cookie)(?:=|[ \t]{0,8})([^\s=;"'\x60\ue000-][^\s=;"'\x60\ue000]{0,127}=[^\s"'\x60\ue000]+)/dg,
  // PEM
  /-----BEGIN ([A-Z ]{0,40}PRIVATE KEY)-----\s*([^\s\ue000-][^\ue000-]*)/dg,
];

/**
 * Secrets in XML elements, pairs of name and value, command-line options (including curl's short ones), SQL statements that
 * set a password, forms, and private keys in PEM.
 */
export const writtenSecret: Detector = {
  name: 'written_secret',
  kind: 'key',
  hint: new RegExp(
    String.raw`${secretHint.source}|[Ii][Dd][Ee][Nn][Tt][Ii][Ff][Ii][Ee][Dd]\s|[Cc][Rr][Yy][Pp][Tt]\s?\(|PRIVATE KEY-----|curl\s`,
  ),
  find({ text }, report) {
    for (const form of forms) {
      for (const { 1: name = '', 2: value = '', indices } of text.matchAll(form)) {
        const [nameAt = 0] = indices?.[1] ?? [];
        const [from = 0] = indices?.[2] ?? [];
        if (!isWholeName(text, nameAt, name)) continue;
        const to = from + value.trimEnd().length;
        if (/[\p{L}\p{N}]/u.test(value) && !placeholder.test(value)) report(from, to);
      }
    }
  },
  canonical: (core) => core,
};

const placeholder =
  /^(?:\$\d+|%s|\$\{[\w.: -]*\}|\$\w+|\*+|x{3,}|null|none|true|false|yes|no|redacted|filtered|hidden|masked|and|or|is|to|for|in|the|flag|option|argument|was|must|required)\s*$/i;
