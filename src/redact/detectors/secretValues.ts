import type { TextView } from '../textView.ts';

/** The span of a value in a view. */
export interface Value {
  readonly from: number;
  readonly to: number;
}

/** The match of a sticky expression at an offset, or null. */
export function matchAt(expression: RegExp, text: string, at: number): string | null {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? null;
}

/** Characters after the closing quote of a JSON string, at any quoting depth. */
const afterString = /[\s,:}\]"\\]/;
const mayOpen = (text: string, quote: number): boolean =>
  quote + 1 < text.length && !afterString.test(text.charAt(quote + 1));

/** The end of a value that may be inside JSON: double quotes within the value come in pairs, and any other ends the surrounding string. */
export function endWithin(view: TextView, start: number, isEnd: (unit: string, at: number) => boolean): number {
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

export function valueAt(view: TextView, start: number, separator: string): Value | undefined {
  const quoted = quotedAt(view, start);
  if (quoted !== undefined) return quoted.to > quoted.from ? quoted : undefined;
  const wrapped = wrappedAt(view, start);
  if (wrapped !== undefined) return wrapped;
  const { text } = view;
  template.lastIndex = start;
  if (template.test(text)) return undefined;
  // Percent-encoded characters in a value belong to it, unless all of it is encoded.
  const isEncoded = isPercent(view, start - 1);
  if (/[[({<]/.test(text.charAt(start))) return inBrackets(view, start);
  let to = start;
  // A bracket that was opened within the value belongs to it; any other ends the surrounding text.
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

/**
 * The text in quotes that a type, a function or a sign stands around or before, as languages print values: `b'…'` of Python,
 * `Some("…")` of Rust, `[]string{"…", "…"}` of Go, `<<"…">>` of Erlang, `N'…'` of SQL. Undefined without such a sign.
 */
export function wrappedAt(view: TextView, start: number): Value | undefined {
  const sign = matchAt(wrapper, view.text, start);
  if (sign === null) return undefined;
  const first = quotedAt(view, start + sign.length);
  if (first === undefined || first.to === first.from) return undefined;
  let { to } = first;
  for (;;) {
    const more = sign.endsWith('{') ? matchAt(nextQuoted, view.text, to) : null;
    const next = more === null ? undefined : quotedAt(view, to + more.length);
    if (next === undefined || next.to === next.from) return { from: first.from, to };
    to = next.to;
  }
}

const wrapper =
  /(?:[bBuUrRfFNEL]{1,2}|[@$&]|<<|Just |\[\][\w.*]{1,32}\{|(?:new )?[A-Za-z_][\w.:]{0,40}\()(?=\\{0,3}["'\x60])/y;
const nextQuoted = /\\{0,3}["'\x60]\s{0,8},\s{0,8}(?=\\{0,3}["'\x60])/y;

/** The text in brackets, or to the end of the line if they are not closed; undefined if it is harmless. */
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

/** The text in quotes, or to the end of the text if they are not closed. Undefined without a quote, empty if harmless. */
export function quotedAt(view: TextView, start: number): Value | undefined {
  const { text } = view;
  let opening = start;
  while (opening < start + 4 && text.charAt(opening) === '\\') opening++;
  const quote = text.charAt(opening);
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined;
  const from = opening + 1;
  // The quote may end a JSON string that contains the name.
  if (quote === '"' && !mayOpen(text, opening)) return { from, to: from };
  // A quote with more backslashes is inside the value; one with fewer ends the surrounding string.
  const depth = backslashesAt(view, opening);
  const isClosing = (unit: string, at: number) => unit === quote && backslashesAt(view, at) <= depth;
  let to = quote === '"' ? from : endWithin(view, from, isClosing);
  if (quote === '"') while (to < text.length && !isClosing(text.charAt(to), to)) to++;
  // SQL and YAML double a quote inside a string.
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
  /^(?:required|invalid|incorrect|wrong|missing|empty|expired|must|should|is|was|not|no|too|reset|changed|failed|ok|mismatch|unknown|unset|set|revoked|rejected|accepted|sent|created|updated|deleted|rotated|used|found|verified|valid)$/i;

/** Whether the text is not a secret: a placeholder, empty, or, after a colon, a word that describes a value. */
export function isHarmless(value: string, mayTell: boolean): boolean {
  return placeholder.test(value) || (mayTell && tellingWord.test(value.replace(/[.,!?]+$/, '')));
}

/** A text with letters and digits, which is no word. */
export const isMixed = /^(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])\S{8,}$/;
