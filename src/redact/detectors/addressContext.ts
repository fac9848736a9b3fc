import type { TextView } from '../textView.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

// Not the start of another address: `10.0.0.5/10.0.0.6`.
const prefixLength = /\/\d{1,3}(?!\d|\.\d)/y;
const port = /:\d{1,5}(?!\d|\.\d)/y;
const dottedPort = /\.\d{1,5}(?!\d)/y;
const zoneRest = /[A-Za-z0-9._~-]*/y;

/** Extends the span of an address by its zone, brackets, prefix length and port (contract, section 6). */
export function withContext(view: TextView, address: Span, family: 'ipv4' | 'ipv6', hasPortByColon: boolean): Span {
  const { text } = view;
  let { from, to } = address;
  if (family === 'ipv6') to = endOfZone(view, to);
  to = endOf(prefixLength, text, to);
  let isBracketed = false;
  if (text.charAt(from - 1) === '[' && text.charAt(to) === ']') {
    isBracketed = true;
    from--;
    to++;
  }
  if (isBracketed || hasPortByColon) to = endOf(port, text, to);
  if (family === 'ipv6' && to === address.to) to = endOf(dottedPort, text, to);
  return { from, to: endOf(prefixLength, text, to) };
}

/** Whether a port or prefix length follows, which a version number does not have. */
export function hasSuffix(text: string, to: number): boolean {
  return endOf(port, text, to) > to || endOf(prefixLength, text, to) > to;
}

/**
 * The end of a zone (`%eth0`, `%25eth0`, `%10`) after an IPv6 address. If its first two characters are hexadecimal digits,
 * the view has decoded them as percent-encoding; then they are a separator only if they decode to one.
 */
function endOfZone(view: TextView, at: number): number {
  const { text } = view;
  if (at >= text.length || view.raw.charAt(view.rawOffset(at)) !== '%') return at;
  const first = text.charAt(at);
  const rest = endOf(zoneRest, text, at + 1);
  if (first === '%') {
    const end = trimmed(text, at + 1, rest);
    return end > at + 1 ? end : at;
  }
  return /[\p{L}\p{N}]|(?![\t\n\r ])\p{Cc}/u.test(first) ? trimmed(text, at + 1, rest) : at;
}

/** Removes punctuation at the end of a zone, which more likely ends a sentence. */
function trimmed(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && /[.~-]/.test(text.charAt(end - 1))) end--;
  return end;
}

function endOf(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}
