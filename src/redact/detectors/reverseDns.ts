import type { Detector } from '../detector.ts';

/** Reverse DNS names (RFC 1035, section 3.5; RFC 3596, section 2.5) of addresses and networks. */
export const reverseDns: Detector = {
  name: 'reverse_dns',
  kind: 'ip',
  hint: /\.[Aa][Rr][Pp][Aa]|[Ii][Pp]6\.[Ii]/,
  find({ text }, report) {
    for (const match of text.matchAll(zones)) {
      const labels = (match[1] === undefined ? nibbles : octets).exec(
        text.slice(Math.max(0, match.index - labelsCharsMax), match.index),
      )?.[0];
      if (labels === undefined || labels === '') continue;
      report(match.index - labels.length, match.index + match[0].length);
    }
  },
  canonical(core) {
    const name = core.toLowerCase();
    const labels = name
      .slice(0, name.lastIndexOf('.', name.lastIndexOf('.') - 1))
      .split('.')
      .reverse();
    return name.endsWith('in-addr.arpa') ? labels.map(Number).join('.') : canonicalNibbles(labels);
  },
};

const zones = /\.(?:(in-addr)\.arpa|ip6\.(?:arpa|int))/gi;
const labelsCharsMax = 64;
const octet = String.raw`(?:25[0-5]|2[0-4]\d|[01]?\d?\d)`;
const octets = new RegExp(String.raw`(?<!\d)${octet}(?:\.${octet}){0,3}$`);
// A letter or digit that touches the first one may be part of a word.
const nibbles = /[0-9A-Fa-f](?:\.[0-9A-Fa-f]){0,31}$/;

/** Eight groups in the spelling of the IPv6 detector, or the bare digits of a network. */
function canonicalNibbles(digits: readonly string[]): string {
  if (digits.length < 32) return digits.join('');
  return (
    digits
      .join('')
      .match(/.{4}/g)
      ?.map((group) => Number.parseInt(group, 16).toString(16))
      .join(':') ?? ''
  );
}
