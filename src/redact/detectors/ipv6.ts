import ipaddr from 'ipaddr.js';
import type { Detector, Report } from '../detector.ts';
import type { TextView } from '../textView.ts';
import { withContext } from './addressContext.ts';
import { endWithoutCast } from './sqlCast.ts';

/**
 * IPv6 addresses (RFC 4291, section 2.2) with a zone, prefix length, brackets, port, or an IPv4 address at the end, next to
 * any character. A lone `::`, MAC addresses and EUI-64, fingerprints, casts and names with `::` stay. An address has a digit
 * or three groups (contract, section 6).
 */
export const ipv6: Detector = {
  name: 'ipv6',
  kind: 'ip',
  hint: /::|(?::[0-9A-Fa-f]+){5}:/,
  find(view, report) {
    const { text } = view;
    let done = 0;
    for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', done)) {
      let from = colon;
      while (from > done && isHexDigit(text.charCodeAt(from - 1))) from--;
      let to = colon + 1;
      let count = 1;
      let isDoubled = false;
      for (let code = text.charCodeAt(to); isHexDigit(code) || code === 0x3a; code = text.charCodeAt(++to)) {
        if (code !== 0x3a) continue;
        count++;
        isDoubled ||= text.charCodeAt(to - 1) === 0x3a;
      }
      if (isDoubled || count >= 6) inspectRun(view, from, endWithoutCast(text, from, to), report);
      done = to;
    }
  },
  canonical,
};

interface Group {
  readonly from: number;
  readonly to: number;
  /** Whether `::` precedes it. */
  readonly isAfterGap: boolean;
}

/** A chain of groups, none of which is too long to be part of an address. */
interface Chain {
  readonly groups: readonly Group[];
  readonly endsWithGap: boolean;
  /** The end of an IPv4 address that starts with the last group. */
  readonly quadTo: number | undefined;
}

function inspectRun(view: TextView, runFrom: number, runTo: number, report: Report): void {
  for (const whole of chainsOf(view.text, runFrom, runTo)) {
    if (!holdsAddress(view.text, whole)) continue;
    const chain = withoutLabel(view.text, whole);
    const first = chain.groups[0];
    const last = chain.groups.at(-1);
    if (first === undefined || last === undefined) continue;
    const from = first.isAfterGap ? first.from - 2 : first.to - lengthAtLeft(view.text.slice(first.from, first.to));
    const to =
      chain.quadTo ??
      (chain.endsWithGap ? last.to + 2 : last.from + lengthAtRight(view.text.slice(last.from, last.to)));
    const span = withContext(view, { from, to }, 'ipv6', chain.quadTo !== undefined);
    report(span.from, span.to, from, to);
  }
}

const label = /(?<![\p{L}\p{N}])(?:ip6|ipv6|inet6|id|node|source|device|interface)$/iu;

/** Removes the first group if it ends a word that often precedes addresses: `id:2001:db8::1`. */
function withoutLabel(text: string, chain: Chain): Chain {
  const first = chain.groups[0];
  if (first === undefined || !label.test(text.slice(Math.max(0, first.to - 10), first.to))) return chain;
  const rest = { ...chain, groups: chain.groups.slice(1) };
  return holdsAddress(text, rest) ? rest : chain;
}

const quadRest = /(?:\.\d{1,3}){3}(?!\d)/y;

function chainsOf(text: string, runFrom: number, runTo: number): readonly Chain[] {
  const chains: Chain[] = [];
  let groups: Group[] = [];
  let isAfterGap = false;
  const finish = (quadTo?: number): void => {
    if (groups.length > 0) chains.push({ groups, endsWithGap: isAfterGap, quadTo });
    groups = [];
  };
  for (let at = runFrom; at < runTo; ) {
    let to = at;
    if (text.charCodeAt(at) === 0x3a) {
      while (to < runTo && text.charCodeAt(to) === 0x3a) to++;
      // The first of three colons is a separator: `peer:::1`.
      if (to - at > 2) finish();
      isAfterGap = to - at > 1;
    } else {
      while (to < runTo && text.charCodeAt(to) !== 0x3a) to++;
      if (isGroup(text.slice(at, to), at === runFrom, to === runTo)) groups.push({ from: at, to, isAfterGap });
      else finish();
      isAfterGap = false;
    }
    at = to;
  }
  finish(endOfQuad(text, groups.at(-1), runTo));
  return chains;
}

/**
 * Whether the digits can be a group: four hexadecimal digits, up to eight if other digits touch them, or any number of
 * letters that touch the first or last group. Anything longer is a digest or an id.
 */
function isGroup(digits: string, isFirst: boolean, isLast: boolean): boolean {
  if (digits.length <= 8) return true;
  return (isFirst && lengthAtLeft(digits) === 4) || (isLast && lengthAtRight(digits) === 4);
}

/** How many digits of the first group belong to the address: four after letters that only touch it, otherwise all. */
function lengthAtLeft(digits: string): number {
  return digits.length > 4 && !/\d/.test(digits.slice(0, -4)) ? 4 : digits.length;
}

function lengthAtRight(digits: string): number {
  return digits.length > 4 && !/\d/.test(digits.slice(4)) ? 4 : digits.length;
}

function endOfQuad(text: string, last: Group | undefined, runTo: number): number | undefined {
  if (last?.to !== runTo || !/^\d{1,3}$/.test(text.slice(last.from, last.to))) return undefined;
  quadRest.lastIndex = runTo;
  if (!quadRest.test(text)) return undefined;
  const octets = text.slice(last.from, quadRest.lastIndex).split('.');
  return octets.every((octet) => Number(octet) <= 255) ? quadRest.lastIndex : undefined;
}

/** Whether a part of the chain is an address. Then all of it is replaced, because the exact part is unclear. */
function holdsAddress(text: string, { groups, endsWithGap, quadTo }: Chain): boolean {
  const hasGap = endsWithGap || groups.some(({ isAfterGap }) => isAfterGap);
  if (!hasGap) {
    const isPairs = quadTo === undefined && groups.every(({ from, to }) => to - from === 2);
    return !isPairs && groups.length + (quadTo === undefined ? 0 : 1) >= 8;
  }
  // Groups on both sides of each gap, up to the next gap.
  let before = 0;
  let isDigitBefore = false;
  let count = 0;
  let isDigit = false;
  let gaps = 0;
  const isAddress = (): boolean => gaps > 0 && (before + count >= 3 || isDigitBefore || isDigit);
  for (const group of groups) {
    if (group.isAfterGap) {
      if (isAddress()) return true;
      gaps++;
      before = count;
      isDigitBefore = isDigit;
      count = 0;
      isDigit = false;
    }
    count++;
    isDigit ||= /\d/.test(text.slice(group.from, group.to));
  }
  if (isAddress()) return true;
  return endsWithGap && (count >= 3 || isDigit);
}

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}

/** Eight lower-case groups without leading zeros; a mapped IPv4 address as IPv4; anything invalid in lower case. */
function canonical(core: string): string {
  if (!ipaddr.IPv6.isValid(core)) return core.toLowerCase();
  const address = ipaddr.IPv6.parse(core);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toNormalizedString();
}
