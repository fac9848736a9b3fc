import type { Detector, Report } from '../detector.ts';
import type { TextView } from '../textView.ts';
import { hasSuffix, withContext } from './addressContext.ts';

/**
 * IPv4 addresses: four octets with dots, next to any character, with a port (also after a dot), prefix length or brackets;
 * also with hyphens, as in host names (`ip-10-0-0-5`). Not: octets above 255, version and product numbers, dates and times
 * (contract, section 6).
 */
export const ipv4: Detector = {
  name: 'ipv4',
  kind: 'ip',
  hint: /\d(?:[.-]\d+){2}[.-]\d/,
  find(view, report) {
    for (const match of view.text.matchAll(dotted)) inspectDotted(view, match, report);
    for (const match of view.text.matchAll(hyphened)) inspectHyphened(view.text, match, report);
  },
  canonical: (core) => core.split(/[.-]/).slice(0, 4).map(Number).join('.'),
};

// Each number is tried only from its first digit, which keeps long ones linear.
const dotted = /(?<!\d)\d+(?:\.\d+){3,}/g;
const hyphened = /(?<!\d)\d+(?:-\d+){3,}/g;

function inspectDotted(view: TextView, match: RegExpExecArray, report: Report): void {
  const { text } = view;
  const numbers = match[0].split('.');
  const found = addressAmong(numbers, match.index);
  if (found === undefined) return;
  const end = match.index + match[0].length;
  if (numbers.length === 4) {
    const before = text.slice(Math.max(0, found.from - contextMax), found.from);
    const isWhole = found.from <= contextMax;
    const isProduct = isInProductToken(before, isWhole) && text.charAt(end) !== '/';
    if (!hasSuffix(text, end) && (isProduct || followsVersionWord(before, isWhole))) return;
    if (isTimeAfterDate(before, numbers)) return;
  }
  const span = withContext(view, { from: found.from, to: end }, 'ipv4', true);
  report(span.from, span.to, found.from, found.coreTo);
}

function inspectHyphened(text: string, match: RegExpExecArray, report: Report): void {
  const numbers = match[0].split('-');
  const end = match.index + match[0].length;
  const before = text.slice(Math.max(0, match.index - contextMax), match.index);
  // The only word in such names that ends with a digit: `ec2-203-0-113-7.compute-1.amazonaws.com`.
  const isEc2 = numbers[0] === '2' && numbers.length > 4 && /(?<![A-Za-z])ec$/i.test(before);
  const found = isEc2 ? addressAmong(numbers.slice(1), match.index + 2) : addressAmong(numbers, match.index);
  if (found === undefined) return;
  if (!/[A-Za-z][-_]?$/.test(before) && !/^[.-]?[A-Za-z]/.test(text.slice(end, end + 2))) return;
  if (/(?:^|[^\p{L}\p{N}_])v(?:ersion)?-?$/iu.test(before)) return;
  if (isTimeAfterDate(before, numbers) || isHardwareAddress(text, match.index, end, before)) return;
  report(found.from, end, found.from, found.coreTo);
}

/** How many characters before an address are searched for a word. */
const contextMax = 80;

interface Found {
  readonly from: number;
  readonly coreTo: number;
}

/**
 * Finds the start of an address among four or more numbers: the first number if four octets start there, otherwise the
 * first four octets, unless the numbers are a date and what follows it.
 */
function addressAmong(numbers: readonly string[], at: number): Found | undefined {
  let from = at;
  let octets = 0;
  const isDated =
    /^(?:19|20)\d\d$/.test(numbers[0] ?? '') && isBetween(numbers[1], 1, 12) && isBetween(numbers[2], 1, 31);
  let end = at;
  for (const number of numbers) {
    const next = end + number.length;
    if (number.length <= 3 && Number(number) <= 255) octets++;
    else {
      octets = 0;
      from = next + 1;
    }
    if (octets === 4) return isDated && from > at ? undefined : { from, coreTo: next };
    if (numbers.length === 4 && octets === 0) return undefined;
    end = next + 1;
  }
  return undefined;
}

function isBetween(number: string | undefined, low: number, high: number): boolean {
  return number !== undefined && number.length <= 2 && Number(number) >= low && Number(number) <= high;
}

/** Whether a separate word `v` or `version` precedes: `v1.2.3.4`, `version 1.2.3.4`, `Version: 1.2.3.4`, `version="1.2.3.4"`. */
function followsVersionWord(before: string, isWhole: boolean): boolean {
  const match = /(?:^|[^\p{L}\p{N}_])v(?:ersion)?(?:\s*[=:]\s*["']?|\s*)$/iu.exec(before);
  return match !== null && (isWhole || match.index > 0);
}

/** Whether it is a product token, `Name/1.2.3.4`, at the start or after white space, `(` or a quote. */
function isInProductToken(before: string, isWhole: boolean): boolean {
  const match = /(?:^|[\s("'])[A-Za-z][\w+-]*\/$/.exec(before);
  return match !== null && (isWhole || match.index > 0);
}

/** Whether it is a time after a date, as in file names: `2026-05-01T10.00.30.123`. */
function isTimeAfterDate(before: string, numbers: readonly string[]): boolean {
  return (
    /(?:^|\D)\d{4}-?\d\d-?\d\d[Tt]$/.test(before) &&
    isBetween(numbers[0], 0, 23) &&
    isBetween(numbers[1], 0, 59) &&
    isBetween(numbers[2], 0, 60)
  );
}

/** Whether the numbers are part of six or eight pairs of hexadecimal digits, and no `ip-` precedes. */
function isHardwareAddress(text: string, from: number, to: number, before: string): boolean {
  if (/ip[-_]?$/i.test(before)) return false;
  const start = Math.max(0, from - 24);
  for (const match of text.slice(start, to + 24).matchAll(hardwareAddress)) {
    const at = start + match.index;
    if (at <= from && at + match[0].length >= to) return true;
  }
  return false;
}

const hardwareAddress =
  /(?<![0-9A-Za-z])[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5}(?:(?:-[0-9A-Fa-f]{2}){2})?(?![0-9A-Za-z-])/g;
