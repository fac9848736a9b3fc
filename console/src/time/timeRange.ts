import { type Micros, parseInstant } from './instant.ts';

/** From the first to the last microsecond, both included. An open end is null. */
export interface TimeRange {
  readonly from: Micros | null;
  readonly to: Micros | null;
}

const units = {
  s: 1e6,
  m: 60e6,
  h: 3600e6,
  d: 86_400e6,
  w: 604_800e6,
} as const;
type Unit = keyof typeof units;

const unitNames: readonly (readonly [RegExp, Unit])[] = [
  [/^(s|seconds?)$/, 's'],
  [/^(m|minutes?)$/, 'm'],
  [/^(h|hours?)$/, 'h'],
  [/^(d|days?)$/, 'd'],
  [/^(w|weeks?)$/, 'w'],
];

/**
 * The range that `t:` clauses name, if the clock of the service shows `now`. Null if a clause is one that only the service
 * can read, such as a range in braces.
 */
export function rangeOf(times: readonly string[], now: Micros): TimeRange | null {
  let range: TimeRange = { from: null, to: null };
  for (const text of times) {
    const [, op = ':', value = ''] = /^(?:t|timestamp)(:>=|:<=|:>|:<|:)(.+)$/.exec(text) ?? [];
    const named = rangeNamed(value, now);
    if (named === null) return null;
    const { from, to } = named;
    if (op === ':') range = within(range, from, to);
    else if (op === ':>=') range = within(range, from, null);
    else if (op === ':>') range = within(range, from === null ? null : from + 1, null);
    else if (op === ':<=') range = within(range, null, from);
    else range = within(range, null, from === null ? null : from - 1);
  }
  return range;
}

function within({ from, to }: TimeRange, later: Micros | null, earlier: Micros | null): TimeRange {
  return {
    from: from === null || (later !== null && later > from) ? later : from,
    to: to === null || (earlier !== null && earlier < to) ? earlier : to,
  };
}

function rangeNamed(value: string, now: Micros): { from: Micros | null; to: Micros | null } | null {
  const day = units.d;
  if (value === 'now') return { from: now, to: now };
  if (value === 'today' || value === 'yesterday') {
    const from = Math.floor(now / day) * day - (value === 'today' ? 0 : day);
    return { from, to: from + day - 1 };
  }
  const [, word, count = '', name = ''] = /^(this|last)@(\d{0,4})([a-z]+)$/.exec(value) ?? [];
  if (word !== undefined) {
    const unit = unitNames.find(([pattern]) => pattern.test(name))?.[1];
    if (unit === undefined) return null;
    const back = word === 'this' ? 0 : (count === '' ? 1 : Number(count)) * units[unit];
    return { from: startOf(now, unit) - back, to: now };
  }
  const [first = '', last, more] = value.split('..');
  if (more !== undefined) return null;
  const from = parseTime(first);
  const to = last === undefined ? from : parseTime(last);
  return from === undefined || to === undefined ? null : { from, to };
}

/** The start of the unit; weeks begin on Monday. */
function startOf(now: Micros, unit: Unit): Micros {
  const shift = unit === 'w' ? 4 * units.d : 0;
  return Math.floor((now - shift) / units[unit]) * units[unit] + shift;
}

function parseTime(text: string): Micros | undefined {
  if (/^\d+$/.test(text)) {
    const scale = { 10: 1e6, 13: 1e3, 16: 1 }[text.length];
    return scale === undefined ? undefined : Number(text) * scale;
  }
  return parseInstant(text);
}

/** What the picker offers: the clause, and its name. */
export const relativeRanges = [
  ['last@15m', 'Last 15 min'],
  ['last@1h', 'Last 1 h'],
  ['last@3h', 'Last 3 h'],
  ['last@12h', 'Last 12 h'],
  ['last@24h', 'Last 24 h'],
  ['last@7d', 'Last 7 days'],
  ['last@30d', 'Last 30 days'],
  ['today', 'Today (UTC)'],
  ['yesterday', 'Yesterday (UTC)'],
] as const;
