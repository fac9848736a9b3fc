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

/** The whole numbers from `from` to `to`, both among them; null where it is open. A range that ends before it begins holds none. */
export interface Range {
  readonly from: bigint | null;
  readonly to: bigint | null;
}

/**
 * A function of whole numbers that never goes back (or, by `reflection`, never forth). Times count in
 * microseconds, dates in days (`LiteralExpr`). Both directions are as exact as is known, else too wide.
 */
export interface Monotone {
  /** What it can give for the numbers of a range. */
  image(range: Range): Range;
  /** The numbers for which it can give one of a range. */
  preimage(range: Range): Range;
}

type Step = (value: bigint) => bigint | null;

/**
 * `low` and `high` bound what f gives for a number; `least` is the least number for which it can give
 * so much or more, `most` the greatest for which it can give so much or less. Null is no bound.
 */
function rising(low: Step, high: Step, least: Step, most: Step): Monotone {
  const both = (from: Step, to: Step) => (range: Range) => ({
    from: range.from === null ? null : from(range.from),
    to: range.to === null ? null : to(range.to),
  });
  return { image: both(low, high), preimage: both(least, most) };
}

/** Moves by something between the two. */
const shift = (least: bigint, most = least): Monotone =>
  rising(
    (x) => x + least,
    (x) => x + most,
    (y) => y - most,
    (y) => y - least,
  );

/** Rounded down: seconds of microseconds. `size` is above zero. */
const divided = (size: bigint): Monotone =>
  rising(
    (x) => floorDiv(x, size),
    (x) => floorDiv(x, size),
    (y) => y * size,
    (y) => y * size + size - 1n,
  );

/** Rounded towards zero. */
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

/** `sum` less the number. */
function reflection(sum: bigint): Monotone {
  const reflected = ({ from, to }: Range): Range => ({
    from: to === null ? null : sum - to,
    to: from === null ? null : sum - from,
  });
  return { image: reflected, preimage: reflected };
}

/** Numbers that the function is asked about lie between the two: the calendar is not asked about others. */
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

/** The start of the part that a time lies in; null for a part that is not known. */
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

/** Adds months, of 28 to 31 days each; where a month has no such day, up to three days less. */
function monthsLater(months: bigint): Monotone {
  const [few, many] = months < 0n ? [months * 31n, months * 28n] : [months * 28n, months * 31n];
  const moved = shift((few - 3n) * microsPerDay, many * microsPerDay);
  const f = (at: bigint) => (at < firstMicros || at > lastMicros ? null : addMonths(at, months));
  return {
    image: ({ from, to }) => ({ from: from === null ? null : f(from), to: to === null ? null : f(to) }),
    preimage: moved.preimage,
  };
}

/** From UTC to the clock of a zone or back: no zone is, or ever was, a day away. */
const zoned = shift(-microsPerDay, microsPerDay);
const asDays = divided(microsPerDay);
const fromDays = multiplied(microsPerDay);

/** An expression as functions of another one, the innermost first. It is NULL where that one is, and perhaps elsewhere. */
export interface Chain {
  readonly of: Expr;
  readonly steps: readonly Monotone[];
}

/**
 * Reads an expression as monotone functions of the only operand that is no literal; of the first where
 * all are. Null where it is anything else.
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

/** Functions of one argument that count in another unit. */
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

/** Between types that hold times of the same clock; null for any other. */
function conversion(from: string, to: string): readonly Monotone[] | null {
  const isTime = (kind: string) => kind === 'TIMESTAMP' || kind === 'DATETIME';
  if (isTime(from) && isTime(to)) return [];
  if (isTime(from) && to === 'DATE') return [asDays];
  if (from === 'DATE' && isTime(to)) return [fromDays];
  return from === 'DATE' && to === 'DATE' ? [] : null;
}

const isUtc = (zone: Operand): boolean =>
  zone?.kind === 'literal' && typeof zone.value === 'string' && /^(?:utc|gmt|z|etc\/utc)$/i.test(zone.value);

/** The clock there is read, or the moment that it shows. */
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
  // By the clock of the zone and back; of hours and less the moment itself decides, which is nearer.
  return { of: value, steps: [...before, ...clock, start, ...clock, ...after] };
}

function bucketed(value: Operand, width: Operand): Chain | null {
  const interval = intervalOf(width);
  const length = interval === null ? undefined : fixedLength(interval.part);
  if (!isExpr(value) || interval === null || length === undefined || interval.count <= 0n) return null;
  // Dates are counted in days.
  if (value.type.kind === 'DATE') return null;
  return { of: value, steps: [shift(1n - interval.count * length, 0n)] };
}

function intervalOf(operand: Operand): { readonly count: bigint; readonly part: string } | null {
  if (operand?.kind !== 'call' || operand.fn !== '$interval') return null;
  const [amount, part] = operand.args;
  const count = literalOf(amount);
  return count === null || part?.kind !== 'part' ? null : { count, part: part.part };
}

/** A time or date and an INTERVAL. */
function moved(value: Operand, by: Operand, type: string, sign: 1n | -1n): Chain | null {
  const interval = intervalOf(by);
  if (!isExpr(value) || interval === null) return null;
  const steps = movedBy(sign * interval.count, interval.part);
  const before = conversion(value.type.kind, 'DATETIME');
  if (steps === null || before === null) return null;
  // A DATE has no hours: the engine refuses them.
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

/** Whole units between TIMESTAMPs, boundaries of units between other times. */
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

/** The number that stands for the place of a time among the units, and how a difference of such is counted. */
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
