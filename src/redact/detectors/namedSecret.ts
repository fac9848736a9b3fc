import type { Detector } from '../detector.ts';
import type { TextView } from '../textView.ts';
import { isWholeName, secretHint, secretWords } from './secretNames.ts';

/**
 * Values that the name before them says are secret, in texts that are not JSON: `password=…`, `'api_key': '…'`, a line
 * `Cookie: …`. The name stays. Not: placeholders (`password = $1`), and words that tell of a value (`password: missing`).
 */
export const namedSecret: Detector = {
  name: 'named_secret',
  kind: 'key',
  hint: secretHint,
  find(view, report) {
    const { text } = view;
    let done = 0;
    for (const match of text.matchAll(names)) {
      const [all, name = '', quote = '', separator = ''] = match;
      if (match.index < done || !isWholeName(text, match.index, name)) continue;
      let from = match.index + all.length;
      if (quote === '"' && separator === ':' && matchAt(jsonValue, text, from) !== null) continue;
      const line = separator === ':' ? lineOf(name) : undefined;
      // A token is a word of many languages: `Unexpected token: }`.
      if (/^tokens?$/i.test(name) && quote === '' && (separator === ':' || /[([{<]/.test(text.charAt(from)))) continue;
      if (separator === ':') from += matchAt(folded, text, from)?.length ?? 0;
      // Bearer and Basic have detectors of their own, which keep the word.
      if (separator !== ':' && /authorization$/i.test(name) && matchAt(ownScheme, text, from) !== null) continue;
      const value = line === undefined ? valueAt(view, from, separator) : lineValueAt(view, match.index, from, line);
      if (value === undefined) continue;
      done = value.to;
      for (const part of text.slice(value.from, value.to).matchAll(unmarked)) {
        if (/[\p{L}\p{N}]/u.test(part[0])) report(value.from + part.index, value.from + part.index + part[0].length);
      }
    }
  },
  canonical: (core) => core,
};

/** A name, the quote that closes it, and what stands before its value. */
const blank = String.raw`(?:[^\S\r\n]|\0){0,64}`;
const names = new RegExp(String.raw`(${secretWords})\\{0,3}(["'\x60]?)\]?${blank}(=>|->|:=|==?|:)${blank}`, 'gi');

/** A value on a line of its own, as YAML and folded headers have it. */
const folded = /(?:[|>][+-]?[^\S\r\n]{0,8})?\r?\n[^\S\r\n]{1,64}(?=\S{0,4096}[^\s:][^\S\r\n]{0,8}(?:[\r\n]|$))/y;
/** How a value of JSON begins: what follows is found by its quotes, brackets and digits (fieldsInText.ts). */
const jsonValue = /["[{]|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,}\]"\\]|$)|(?:true|false|null)(?![\w-])/y;

/** What lies between marks that stand in a value already, without the white space around it. */
const unmarked = /[^\s\ue000](?:[^\ue000]*[^\s\ue000])?/g;

/** What a sticky expression matches there. */
function matchAt(expression: RegExp, text: string, at: number): string | null {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? null;
}

const ownScheme = /(?:bearer|basic)[\s:=+]/iy;

type Line = 'cookies' | 'credentials';

/** What the rest of a line of a header is. */
function lineOf(name: string): Line | undefined {
  if (/cookie$/i.test(name)) return 'cookies';
  return /authorization$/i.test(name) ? 'credentials' : undefined;
}

interface Value {
  readonly from: number;
  readonly to: number;
}

/** The rest of the line, up to the quote that the line stands in. Of credentials the scheme stays. */
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
      // Their own detectors know where these end.
      if (/^(?:bearer|basic)/i.test(known[0])) {
        token.lastIndex = from;
        to = from + (token.exec(text)?.[0].length ?? 0);
      }
    }
  }
  while (to > from && /\s/.test(text.charAt(to - 1))) to--;
  return to > from && !isHarmless(text.slice(from, to), true) ? { from, to } : undefined;
}

/** What follows a quote that ends a string of JSON, at whatever depth of quoting. */
const afterString = /[\s,:}\]"\\]/;
const mayOpen = (text: string, quote: number): boolean =>
  quote + 1 < text.length && !afterString.test(text.charAt(quote + 1));

/** Where a value ends that JSON may stand around: double quotes within it come in pairs, and any other ends what it stands in. */
function endWithin(view: TextView, start: number, isEnd: (unit: string, at: number) => boolean): number {
  const { text } = view;
  let open: number | null = null;
  for (let at = start; at < text.length; at++) {
    const unit = text.charAt(at);
    if (isEnd(unit, at)) return at;
    if (unit !== '"') continue;
    const depth = backslashesAt(view, at);
    if (open === null) {
      if (!mayOpen(text, at)) return at;
      open = depth;
    } else if (depth < open) return at;
    else if (depth === open) open = null;
  }
  return text.length;
}

/** More cookies on a line that goes on with the one before (RFC 9112, section 5.2). */
const foldedCookie = /\r?\n[ \t]{1,64}[\w!#$%&'*+.^`|~-]{1,256}=[^\s=]/y;
const scheme = /[A-Za-z][\w-]{1,30}[ \t]+/y;
const token = /[^\s"'`,;<>(){}[\]\\\ue000]+/y;

function valueAt(view: TextView, start: number, separator: string): Value | undefined {
  const quoted = quotedAt(view, start);
  if (quoted !== undefined) return quoted.to > quoted.from ? quoted : undefined;
  const { text } = view;
  template.lastIndex = start;
  if (template.test(text)) return undefined;
  // What is percent-encoded within a value belongs to it, unless all of it is encoded.
  const isEncoded = isPercent(view, start - 1);
  if (/[[({<]/.test(text.charAt(start))) return inBrackets(view, start);
  let to = start;
  // One that was opened within the value belongs to it, and any other ends what the value stands in.
  const open: string[] = [];
  for (; to < text.length; to++) {
    const unit = text.charAt(to);
    const closing = brackets[unit];
    if (closing !== undefined) open.push(closing);
    else if (unit === open.at(-1)) open.pop();
    else if (!isValueUnit(unit) && (isEncoded || !isPercent(view, to))) break;
  }
  while (to > start && /[.!?]/.test(text.charAt(to - 1)) && (to === text.length || /\s/.test(text.charAt(to)))) to--;
  return to > start && !isHarmless(text.slice(start, to), separator === ':') ? { from: start, to } : undefined;
}

const brackets: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** What stands between brackets, to the end of the line where they are not closed; undefined where it is harmless. */
function inBrackets(view: TextView, start: number): Value | undefined {
  let depth = 0;
  const isClosing = (unit: string): boolean => {
    if (/[[({<]/.test(unit)) depth++;
    else if (/[\])}>]/.test(unit)) depth--;
    return depth === 0 || /[\r\n]/.test(unit);
  };
  const value = { from: start + 1, to: endWithin(view, start, isClosing) };
  return value.to > value.from && !isHarmless(view.text.slice(value.from, value.to), true) ? value : undefined;
}

const template =
  /[$#%]\{[\w.: -]{0,64}\}|\{\{[\w.: -]{0,64}\}|\{(?:[A-Za-z_.: -]{0,64}|\d\d?)\}|\$\([\w ]{0,64}\)|<[A-Za-z_ -]{0,64}>/y;
const isValueUnit = (unit: string): boolean => !/[\s"'`,;&|<>(){}[\]\\\ue000]/.test(unit);
const isPercent = (view: TextView, at: number): boolean =>
  view.isDecoded(at) && view.raw.charAt(view.rawOffset(at)) === '%' && view.text.charAt(at) !== '\ue000';

/** What stands between quotes, to the end of the text where they are not closed; undefined without a quote, empty where it is harmless. */
function quotedAt(view: TextView, start: number): Value | undefined {
  const { text } = view;
  let opening = start;
  while (opening < start + 4 && text.charAt(opening) === '\\') opening++;
  const quote = text.charAt(opening);
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined;
  const from = opening + 1;
  // It may end a string of JSON that the name stands in.
  if (quote === '"' && !mayOpen(text, opening)) return { from, to: from };
  // One with more backslashes stands inside, and one with fewer ends what all of this stands in.
  const depth = backslashesAt(view, opening);
  const isClosing = (unit: string, at: number) => unit === quote && backslashesAt(view, at) <= depth;
  let to = quote === '"' ? from : endWithin(view, from, isClosing);
  if (quote === '"') while (to < text.length && !isClosing(text.charAt(to), to)) to++;
  // SQL and YAML write a quote within as two.
  while (quote === "'" && to > from && text.startsWith("''", to)) to = endWithin(view, to + 2, isClosing);
  while (to > from && text.charAt(to - 1) === '\\') to--;
  const value = text.slice(from, to);
  return isHarmless(value, false) ? { from, to: from } : { from, to };
}

function backslashesAt(view: TextView, quote: number): number {
  const start = view.rawOffset(quote);
  let count = 0;
  while (count < 64 && view.raw.charAt(start + count) === '\\') count++;
  for (let at = quote - 1; at >= 0 && count < 64 && view.text.charAt(at) === '\\'; at--) count++;
  return count;
}

const placeholder =
  /^(?:\$\d+|\?|:\w+|@\w+|%\(?\w*\)?s|\$?\{\{?[^{}]*\}?\}|\*+|x{3,}|null|none|nil|undefined|filtered|redacted|hidden|masked|removed|omitted|protected|optional|object object|function\b.*|true|false|yes|no)?$/i;
const tellingWord =
  /^(?:required|invalid|incorrect|wrong|missing|empty|expired|must|should|is|was|not|too|reset|changed|failed|ok|mismatch|unknown|unset|set|revoked|rejected|accepted)$/i;

/** What is no value: a placeholder, nothing, or, after a colon, a word that tells of it. */
function isHarmless(value: string, mayTell: boolean): boolean {
  return placeholder.test(value) || (mayTell && tellingWord.test(value.replace(/[.,!?]+$/, '')));
}
