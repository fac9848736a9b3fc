import type { Detector } from '../detector.ts';
import type { TextView } from '../textView.ts';
import { doubtfulHint, doubtfulNames, isSecretUnder } from './doubtfulNames.ts';
import { isLoneToken, parameterWords, secretHint, secretNamesIn } from './secretNames.ts';
import { endWithin, isHarmless, matchAt, quotedAt, type Value, valueAt, wrappedAt } from './secretValues.ts';

/**
 * Values after the name of a secret, in texts that are not JSON: `password=…`, `'api_key': '…'`, a line `Cookie: …`. The
 * name stays. Not: placeholders (`password = $1`), and words that describe a value (`password: missing`).
 */
export const namedSecret: Detector = {
  name: 'named_secret',
  kind: 'key',
  hint: new RegExp(`${secretHint.source}|${doubtfulHint.source}`),
  find(view, report) {
    const { text } = view;
    const reportUnmarked = ({ from, to }: Value): void => {
      for (const part of text.slice(from, to).matchAll(unmarked)) {
        if (!/[\p{L}\p{N}]/u.test(part[0])) continue;
        let end = from + part.index + part[0].length;
        // What is written behind a blank belongs to it, such as the end of a colour.
        while (end < to && text.charAt(end) !== '\ue000' && view.isDecoded(end)) end++;
        report(from + part.index, end);
      }
    };
    for (const value of parametersIn(view)) reportUnmarked(value);
    for (const value of doubtfulIn(view)) reportUnmarked(value);
    let done = 0;
    for (const { at, name } of secretNamesIn(view)) {
      if (at < done) continue;
      afterName.lastIndex = at + name.length;
      const [between, quote = '', separator = ''] = afterName.exec(text) ?? [];
      if (between === undefined) continue;
      let from = at + name.length + between.length;
      if (quote === '"' && separator === ':' && matchAt(jsonValue, text, from) !== null) continue;
      const line = separator === ':' ? lineOf(name) : undefined;
      const isLone = quote === '' && isLoneToken(text, at, name);
      if (isLone && (separator === ':' ? matchAt(randomText, text, from) === null : /[([{<]/.test(text.charAt(from)))) {
        continue;
      }
      if (separator === ':') from += matchAt(folded, text, from)?.length ?? 0;
      // Bearer and Basic have their own detectors, which keep the word.
      if (separator !== ':' && /authorization$/i.test(name) && matchAt(ownScheme, text, from) !== null) continue;
      if (separator === ':' && /s$/i.test(name) && matchAt(count, text, from) !== null) continue;
      const value =
        (quote === '' ? undefined : wrappedAt(view, from)) ??
        (line === undefined ? valueAt(view, from, separator) : lineValueAt(view, at, from, line));
      if (value === undefined) continue;
      const whole = phraseName.test(name) ? withWords(text, value) : value;
      done = whole.to;
      reportUnmarked(whole);
    }
  },
  canonical: (core) => core,
};

/** The closing quote of a name, and the separator before its value. */
const blank = String.raw`(?:[^\S\r\n]|\0){0,64}`;
const afterName = new RegExp(String.raw`\\{0,3}(["'\x60]?)(?:>>)?\]?${blank}(=>|->|:=|==?|:)${blank}`, 'y');

/** What a token looks like, as against a word: `Token: 8f2c41d90b` and `Unexpected token: identifier`. */
const randomText = /\\{0,3}["'\x60]?(?=[^\d\s]{0,64}\d)(?=[^A-Za-z\s]{0,64}[A-Za-z])[\w.~+/=-]{8}/y;
/** `cookies: 3` */
const count = /\d{1,9}(?![\w=.-])/y;

/** Found from the sign behind the name, because few texts contain it. */
const parameters = new RegExp(`=(?<=(?:^|[^\\w.-])(${parameterWords})=)`, 'gi');
/** The end of the text before a name in a URL or a cookie. */
const inList = /[?&;#] ?$/;
/** The first parameter of a form has nothing before it. */
const nextParameter = /[^\s&"'<>]{1,2048}&[\w.[\]-]{1,64}=/y;

/** Values of parameters that are secrets where they stand in a URL, a form or a cookie. */
function* parametersIn(view: TextView): Generator<Value> {
  const { text } = view;
  let done = 0;
  for (const { index, 1: name = '' } of text.matchAll(parameters)) {
    const [at, from] = [index - name.length, index + 1];
    if (at < done) continue;
    if (!inList.test(text.slice(Math.max(0, at - 2), at)) && matchAt(nextParameter, text, from) === null) continue;
    const value = valueAt(view, from, '=');
    if (value === undefined) continue;
    done = value.to;
    if (isSecretParameter(name, text.slice(value.from, value.to))) yield value;
  }
}

/** Values after names that are ordinary words too, if they look like secrets. JSON has fieldsInText.ts for these. */
function* doubtfulIn(view: TextView): Generator<Value> {
  const { text } = view;
  let done = 0;
  for (const { 0: name, index } of text.matchAll(doubtfulNames)) {
    if (index < done) continue;
    afterName.lastIndex = index + name.length;
    const [between, quote = '', separator = ''] = afterName.exec(text) ?? [];
    if (between === undefined) continue;
    const from = index + name.length + between.length;
    if (quote === '"' && separator === ':' && matchAt(jsonValue, text, from) !== null) continue;
    const first = valueAt(view, from, separator);
    if (first === undefined) continue;
    const value = phraseName.test(name) ? withWords(text, first) : first;
    done = value.to;
    const isProse = separator === ':' && quote === '' && !/["'`]/.test(text.charAt(value.from - 1));
    if (isSecretUnder(name, text.slice(value.from, value.to), isProse)) yield value;
  }
}

const phraseName = /(?:phrase|mnemonic)$/i;
/** Words of a recovery phrase (BIP 39): 12 to 24, each of 3 to 8 letters. */
const furtherWords = /(?:[ ,]{1,2}[a-z]{3,8}(?![\w=:-])){2,23}/y;

function withWords(text: string, { from, to }: Value): Value {
  return { from, to: to + (matchAt(furtherWords, text, to)?.length ?? 0) };
}

/** Whether a value is no ordinary one of its parameter: `code=404`, `code=not_found`, `key=path/of/a.png`, `ticket=AB-12`. */
function isSecretParameter(name: string, value: string): boolean {
  switch (name.toLowerCase()) {
    case 'code':
      return value.length >= 6 && (!isWords.test(value) || value.length >= 40);
    case 'key':
      return /^(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[\w-]{16,}$/.test(value);
    case 'pin':
      return /^\d{4,}$/.test(value);
    case 'ticket':
      return value.length >= 12;
    case 'sid':
    case 'sess':
    case 'session':
    case 'session_id':
    case 'session-id':
    case 'auth':
      return value.length >= 6;
    default:
      return true;
  }
}

const isWords = /^(?:[a-z]+|[A-Z][a-z]*|[A-Z]+)(?:[_.-](?:[a-z]+|[A-Z][a-z]*|[A-Z]+))*$/;

/** A value on its own line, as in YAML and folded headers. */
const folded = /(?:[|>][+-]?[^\S\r\n]{0,8})?\r?\n[^\S\r\n]{1,64}(?=\S{0,4096}[^\s:][^\S\r\n]{0,8}(?:[\r\n]|$))/y;
/** The start of a JSON value, which fieldsInText.ts finds by its quotes, brackets and digits. */
const jsonValue = /["{]|\[(?!\][\w[*])|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,}\]"\\]|$)|(?:true|false|null)(?![\w-])/y;

/** Text between marks that a value already has, without surrounding white space. */
const unmarked = /[^\s\ue000](?:[^\ue000]*[^\s\ue000])?/g;

const ownScheme = /(?:bearer|basic)[\s:=+]/iy;

type Line = 'cookies' | 'credentials';

/** The kind of header that a name starts. */
function lineOf(name: string): Line | undefined {
  if (/cookies?2?$/i.test(name)) return 'cookies';
  return /authorization$/i.test(name) ? 'credentials' : undefined;
}

/** The rest of the line, up to the quote around the line. The scheme of credentials stays. */
function lineValueAt(view: TextView, nameAt: number, start: number, line: Line): Value | undefined {
  const { text } = view;
  const own = quotedAt(view, start);
  if (own !== undefined) return own.to > own.from ? own : undefined;
  const around = text.charAt(nameAt - 1);
  const isInQuotes = around === "'" || around === '`';
  let to = endWithin(view, start, (unit, at) =>
    /[\r\n\0]/.test(unit)
      ? line !== 'cookies' || matchAt(foldedCookie, text, at) === null
      : isInQuotes && unit === around,
  );
  let from = start;
  if (line === 'credentials') {
    scheme.lastIndex = start;
    const known = scheme.exec(text);
    if (known !== null && from + known[0].length < to) {
      from += known[0].length;
      // Their own detectors find the end.
      if (/^(?:bearer|basic)/i.test(known[0])) {
        token.lastIndex = from;
        to = from + (token.exec(text)?.[0].length ?? 0);
      }
    }
  }
  while (to > from && /\s/.test(text.charAt(to - 1)) && !view.isDecoded(to - 1)) to--;
  return to > from && !isHarmless(text.slice(from, to), true) ? { from, to } : undefined;
}

/** Further cookies on a folded header line (RFC 9112, section 5.2). */
const foldedCookie = /\r?\n[ \t]{1,64}[\w!#$%&'*+.^`|~-]{1,256}=[^\s=]/y;
/** Schemes of credentials (IANA, HTTP Authentication Schemes, and others in use). Any other first word may be the secret. */
const scheme =
  /(?:basic|bearer|concealed|digest|dpop|gnap|hoba|mutual|negotiate|oauth2?|privatetoken|scram-sha-[\d-]{1,8}|vapid|token|key|api-?key|ntlm|kerberos|hawk|mac|hmac|hmac-sha\d{1,3}|signature|jwt|aws|aws4-hmac-sha256|goog4-[\w-]{1,20}|sharedkey(?:lite)?|sharedaccesssignature|splunk|ssws|geniekey|googlelogin|client-id|snowflake)[ \t]+/iy;
const token = /[^\s"'`,;<>(){}[\]\\\ue000]+/y;
