import type { Expr } from '../resolve/tree.ts';
import {
  addMonths,
  firstMicros,
  fixedLength,
  floorDiv,
  lastMicros,
  microsPerDay,
  monthIndexOf,
  monthsOf,
  nextPart,
  startOfMonth,
  startOfPart,
} from './calendarParts.ts';

/** The integers from `from` to `to`, inclusive; null for an open end. A reversed range is empty. */
export interface Range {
  readonly from: bigint | null;
  readonly to: bigint | null;
}

/**
 * A monotone function of integers: increasing, or decreasing by `reflection`. Times are in microseconds, dates in days
 * (`LiteralExpr`). Both directions are exact, or too wide if the exact range is unknown.
 */
export interface Monotone {
  /** The range of results for a range of arguments. */
  image(range: Range): Range;
  /** The range of arguments whose results can be in a range. */
  preimage(range: Range): Range;
}

type Step = (value: bigint) => bigint | null;

/**
 * An increasing function. `low` and `high` bound its result for a number. `least` is the smallest number whose result can be
 * at least a value, `most` the largest whose result can be at most a value. Null means no bound.
 */
function rising(low: Step, high: Step, least: Step, most: Step): Monotone {
  const both = (from: Step, to: Step) => (range: Range) => ({
    from: range.from === null ? null : from(range.from),
    to: range.to === null ? null : to(range.to),
  });
  return { image: both(low, high), preimage: both(least, most) };
}

/** Adds a number between the two. */
const shift = (least: bigint, most = least): Monotone =>
  rising(
    (x) => x + least,
    (x) => x + most,
    (y) => y - most,
    (y) => y - least,
  );

/** Divides and rounds down, such as microseconds to seconds. `size` is positive. */
const divided = (size: bigint): Monotone =>
  rising(
    (x) => floorDiv(x, size),
    (x) => floorDiv(x, size),
    (y) => y * size,
    (y) => y * size + size - 1n,
  );

/** Divides and rounds towards zero. */
const dividedTowardsZero = (size: bigint): Monotone =>
  rising(
    (x) => x / size,
    (x) => x / size,
    (y) => (y > 0n ? y * size : y * size - size + 1n),
    (y) => (y < 0n ? y * size : y * size + size - 1n),
  );

const multiplied = (size: bigint): Monotone =>
  rising(
    (x) => x * size,
    (x) => x * size,
    (y) => -floorDiv(-y, size),
    (y) => floorDiv(y, size),
  );

/** Subtracts the number from `sum`. */
function reflection(sum: bigint): Monotone {
  const reflected = ({ from, to }: Range): Range => ({
    from: to === null ? null : sum - to,
    to: from === null ? null : sum - from,
  });
  return { image: reflected, preimage: reflected };
}

/** Limits the arguments of a function to a range, because the calendar works only within it. */
function within(first: bigint, last: bigint, f: (value: bigint) => bigint, least: Step, most: Step): Monotone {
  const near = (x: bigint): bigint => (x < first ? first : x > last ? last : x);
  const lowest = f(first);
  const highest = f(last);
  return rising(
    (x) => f(near(x)),
    (x) => f(near(x)),
    (y) => (y <= lowest ? null : least(y < highest ? y : highest)),
    (y) => (y >= highest ? null : most(y > lowest ? y : lowest)),
  );
}

/** The start of the part that contains a time; null for an unknown part. */
function truncation(part: string): Monotone | null {
  if (startOfPart(part, 0n) === undefined) return null;
  const start = (at: bigint): bigint => startOfPart(part, at) ?? at;
  return within(
    firstMicros,
    lastMicros,
    start,
    (y) => (start(y) === y ? y : nextPart(part, start(y))),
    (y) => nextPart(part, start(y)) - 1n,
  );
}

const monthIndex = within(
  firstMicros,
  lastMicros,
  monthIndexOf,
  startOfMonth,
  (index) => startOfMonth(index + 1n) - 1n,
);

/** Adds months, of 28 to 31 days each; up to three days less if the resulting month has no such day. */
function monthsLater(months: bigint): Monotone {
  const [few, many] = months < 0n ? [months * 31n, months * 28n] : [months * 28n, months * 31n];
  const moved = shift((few - 3n) * microsPerDay, many * microsPerDay);
  const f = (at: bigint) => (at < firstMicros || at > lastMicros ? null : addMonths(at, months));
  return {
    image: ({ from, to }) => ({ from: from === null ? null : f(from), to: to === null ? null : f(to) }),
    preimage: moved.preimage,
  };
}

/** Converts between UTC and the clock of a zone. No zone has ever differed by a day or more. */
const zoned = shift(-microsPerDay, microsPerDay);
const asDays = divided(microsPerDay);
const fromDays = multiplied(microsPerDay);

/** An expression as functions of another one, innermost first. It is NULL if that one is, and perhaps in other cases. */
export interface Chain {
  readonly of: Expr;
  readonly steps: readonly Monotone[];
}

/**
 * Reads an expression as monotone functions of its only operand that is not a literal, or of the first operand if all are
 * literals. Null for any other expression.
 */
export function chainOf(expr: Expr): Chain | null {
  if (expr.kind === 'cast') {
    const steps = conversion(expr.value.type.kind, expr.type.kind);
    return steps === null ? null : { of: expr.value, steps };
  }
  if (expr.kind !== 'call') return null;
  const [first, second, third] = expr.args;
  if (first === undefined) return null;
  switch (expr.fn) {
    case 'date':
    case 'datetime':
    case 'timestamp':
      return expr.args.length > 2 ? null : converted(first, second, expr.type.kind);
    case '$extract':
      return first.kind === 'part' ? extraction(first.part, second, third) : null;
    case 'timestamp_trunc':
    case 'datetime_trunc':
    case 'date_trunc':
      return second?.kind === 'part' ? truncated(first, second.part, third) : null;
    case 'timestamp_bucket':
    case 'datetime_bucket':
      return bucketed(first, second);
    case 'timestamp_add':
    case 'datetime_add':
    case 'date_add':
      return moved(first, second, expr.type.kind, 1n);
    case 'timestamp_sub':
    case 'datetime_sub':
    case 'date_sub':
      return moved(first, second, expr.type.kind, -1n);
    case 'timestamp_diff':
    case 'datetime_diff':
    case 'date_diff':
      return third?.kind === 'part' ? difference(first, second, third.part) : null;
    case '$add':
      return sum(first, second, expr.type.kind) ?? sum(second, first, expr.type.kind);
    case '$sub':
      return subtraction(first, second, expr.type.kind);
    case '$mul':
      return product(first, second) ?? product(second, first);
    case '$neg':
      return whole(first, reflection(0n));
    case 'div': {
      const size = literalOf(second);
      return size !== null && size > 0n ? whole(first, dividedTowardsZero(size)) : null;
    }
    default: {
      const steps = units[expr.fn];
      return steps === undefined || first.kind === 'part' ? null : { of: first, steps };
    }
  }
}

/** Functions of one argument that convert between units. */
const units: Readonly<Record<string, readonly Monotone[]>> = {
  unix_seconds: [divided(1_000_000n)],
  unix_millis: [divided(1_000n)],
  unix_micros: [],
  timestamp_seconds: [multiplied(1_000_000n)],
  timestamp_millis: [multiplied(1_000n)],
  timestamp_micros: [],
  unix_date: [],
  date_from_unix_date: [],
};

type Operand = Expr | { readonly kind: 'part'; readonly part: string } | undefined;

const literalOf = (operand: Operand): bigint | null =>
  operand?.kind === 'literal' && typeof operand.value === 'bigint' ? operand.value : null;

const isExpr = (operand: Operand): operand is Expr => operand !== undefined && operand.kind !== 'part';

const whole = (of: Operand, ...steps: readonly Monotone[]): Chain | null =>
  isExpr(of) && of.type.kind === 'INT64' ? { of, steps } : null;

/** The conversion between types that hold times of the same clock; null for other types. */
function conversion(from: string, to: string): readonly Monotone[] | null {
  const isTime = (kind: string) => kind === 'TIMESTAMP' || kind === 'DATETIME';
  if (isTime(from) && isTime(to)) return [];
  if (isTime(from) && to === 'DATE') return [asDays];
  if (from === 'DATE' && isTime(to)) return [fromDays];
  return from === 'DATE' && to === 'DATE' ? [] : null;
}

const isUtc = (zone: Operand): boolean =>
  zone?.kind === 'literal' && typeof zone.value === 'string' && /^(?:utc|gmt|z|etc\/utc)$/i.test(zone.value);

/** The conversion to or from the clock of a zone; null if the zone is not a string. */
function inZone(zone: Operand): readonly Monotone[] | null {
  if (zone === undefined || isUtc(zone)) return [];
  return isExpr(zone) && zone.type.kind === 'STRING' ? [zoned] : null;
}

/** DATE(x, zone), DATETIME(x, zone) and TIMESTAMP(x, zone). */
function converted(value: Operand, zone: Operand, type: string): Chain | null {
  if (!isExpr(value)) return null;
  const steps = conversion(value.type.kind, type);
  const clock = inZone(zone);
  if (steps === null || clock === null) return null;
  return { of: value, steps: value.type.kind === 'TIMESTAMP' ? [...clock, ...steps] : [...steps, ...clock] };
}

function extraction(part: string, value: Operand, zone: Operand): Chain | null {
  if (part === 'date' || part === 'datetime') return converted(value, zone, part.toUpperCase());
  if (part !== 'year') return null;
  const time = converted(value, zone, 'DATETIME');
  return time === null ? null : { of: time.of, steps: [...time.steps, monthIndex, divided(12n)] };
}

function truncated(value: Operand, part: string, zone: Operand): Chain | null {
  if (!isExpr(value)) return null;
  const start = truncation(part);
  const before = conversion(value.type.kind, 'DATETIME');
  const clock = inZone(zone);
  if (start === null || before === null || clock === null) return null;
  const after = value.type.kind === 'DATE' ? [asDays] : [];
  // Converts to the clock of the zone and back. Hours and smaller parts are truncated without it, which is more exact.
  return { of: value, steps: [...before, ...clock, start, ...clock, ...after] };
}

function bucketed(value: Operand, width: Operand): Chain | null {
  const interval = intervalOf(width);
  const length = interval === null ? undefined : fixedLength(interval.part);
  if (!isExpr(value) || interval === null || length === undefined || interval.count <= 0n) return null;
  // Dates are in days, not microseconds.
  if (value.type.kind === 'DATE') return null;
  return { of: value, steps: [shift(1n - interval.count * length, 0n)] };
}

function intervalOf(operand: Operand): { readonly count: bigint; readonly part: string } | null {
  if (operand?.kind !== 'call' || operand.fn !== '$interval') return null;
  const [amount, part] = operand.args;
  const count = literalOf(amount);
  return count === null || part?.kind !== 'part' ? null : { count, part: part.part };
}

/** A time or date plus or minus an INTERVAL. */
function moved(value: Operand, by: Operand, type: string, sign: 1n | -1n): Chain | null {
  const interval = intervalOf(by);
  if (!isExpr(value) || interval === null) return null;
  const steps = movedBy(sign * interval.count, interval.part);
  const before = conversion(value.type.kind, 'DATETIME');
  if (steps === null || before === null) return null;
  // The engine refuses to add hours to a DATE.
  if (type === 'DATE' && isShorterThanDay(interval.part)) return null;
  return { of: value, steps: [...before, ...steps, ...(type === 'DATE' ? [asDays] : [])] };
}

const isShorterThanDay = (part: string): boolean => (fixedLength(part) ?? microsPerDay) < microsPerDay;

/** Intervals of more than 10,000 years are errors (GoogleSQL reference, "interval type"). */
const yearsMax = 10_000n;

function movedBy(count: bigint, part: string): readonly Monotone[] | null {
  const size = count < 0n ? -count : count;
  const length = fixedLength(part);
  if (length !== undefined) return size * length > yearsMax * 366n * microsPerDay ? null : [shift(count * length)];
  const months = monthsOf[part];
  return months === undefined || size * months > yearsMax * 12n ? null : [monthsLater(count * months)];
}

function sum(value: Operand, added: Operand, type: string): Chain | null {
  const count = literalOf(added);
  if (count === null) return moved(value, added, type, 1n);
  if (!isExpr(added) || added.type.kind !== 'INT64' || !isExpr(value)) return null;
  return value.type.kind === 'INT64' || value.type.kind === 'DATE' ? { of: value, steps: [shift(count)] } : null;
}

function subtraction(value: Operand, less: Operand, type: string): Chain | null {
  const count = literalOf(less);
  const from = literalOf(value);
  if (type === 'INTERVAL') return null;
  if (count === null)
    return type === 'INT64' && from !== null ? whole(less, reflection(from)) : moved(value, less, type, -1n);
  if (!isExpr(value) || !isExpr(less) || less.type.kind !== 'INT64') return null;
  return value.type.kind === 'INT64' || value.type.kind === 'DATE' ? { of: value, steps: [shift(-count)] } : null;
}

function product(value: Operand, factor: Operand): Chain | null {
  const count = literalOf(factor);
  if (count === null || count === 0n || !isExpr(factor) || factor.type.kind !== 'INT64') return null;
  return count > 0n ? whole(value, multiplied(count)) : whole(value, multiplied(-count), reflection(0n));
}

/** The difference in whole units for TIMESTAMPs, and in unit boundaries for other times. */
function difference(later: Operand, earlier: Operand, part: string): Chain | null {
  if (!isExpr(later) || !isExpr(earlier)) return null;
  const of = literalOf(earlier) === null ? earlier : later;
  const constant = of === later ? literalOf(earlier) : literalOf(later);
  if (constant === null) return null;
  const place = placeOf(part, of.type.kind);
  if (place === null) return null;
  let at: Range = { from: constant, to: constant };
  for (const step of place.steps) at = step.image(at);
  if (at.from === null || at.from !== at.to) return null;
  return { of, steps: [...place.steps, of === later ? shift(-at.from) : reflection(at.from), ...place.units] };
}

/** Converts a time to its unit number, and a difference of such numbers to a count of units. */
function placeOf(part: string, type: string): { steps: readonly Monotone[]; units: readonly Monotone[] } | null {
  const length = fixedLength(part);
  if (type === 'TIMESTAMP') {
    return length === undefined ? null : { steps: [], units: [dividedTowardsZero(length)] };
  }
  const before = conversion(type, 'DATETIME');
  if (before === null) return null;
  const start = truncation(part);
  if (length !== undefined && start !== null) return { steps: [...before, start], units: [divided(length)] };
  const months = monthsOf[part];
  return months === undefined ? null : { steps: [...before, monthIndex, divided(months)], units: [] };
}
