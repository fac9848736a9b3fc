import type { FunctionName } from '../../../googlesql/functions/catalogue.ts';
import { unitMicros } from '../../../googlesql/functions/dateParts.ts';
import type { CallArgument, CallExpr } from '../../../googlesql/resolve/tree.ts';
import { notPushed } from './notPushed.ts';
import { hasOuterConstant, leavesTimes, outerTimeKey } from './outerTimes.ts';
import { argument, constant, nameOf, type Place, type PushedFunction, part } from './place.ts';
import {
  dayMicros,
  daysOf,
  extractPart,
  floorDiv,
  floorTo,
  microsOf,
  remainder,
  truncated,
  truncatedDay,
} from './times.ts';

/** A zone is pushed only if it is UTC. */
function checkZone({ args, fn }: CallExpr, index: number): void {
  if (args.length <= index) return;
  const zone = constant(args[index], 'string');
  if (zone === undefined || !/^(?:utc|gmt|z|etc\/utc|[+-]00?(?::?00)?)$/i.test(zone))
    notPushed(`${nameOf(fn)} in a time zone`);
}

/** A call whose result may be beyond an end of TIMESTAMP is pushed only for times that are far from both. */
function checkTimes(call: CallExpr, { scans }: Place): void {
  if (!leavesTimes(call)) return;
  if (call.args.some((arg) => arg.kind !== 'part' && hasOuterConstant(arg)))
    notPushed(`${nameOf(call.fn)} near the ends of TIMESTAMP`);
  for (const { facts, trusted } of scans) {
    if (facts.irregular.has(outerTimeKey)) notPushed(`${nameOf(call.fn)} near the ends of TIMESTAMP`);
    trusted.add(outerTimeKey);
  }
}

const typeOf = (arg: CallArgument | undefined): string =>
  arg === undefined || arg.kind === 'part' ? 'none' : arg.type.kind;

/** The argument in microseconds. */
function micros(call: CallExpr, index: number, place: Place): string {
  const value = argument(call, index, place);
  switch (typeOf(call.args[index])) {
    case 'TIMESTAMP':
    case 'DATETIME':
      return value;
    case 'DATE':
      return microsOf(value);
    default:
      return notPushed(`${nameOf(call.fn)} of ${typeOf(call.args[index])}`);
  }
}

const truncate: PushedFunction = (call, place) => {
  checkZone(call, 2);
  checkTimes(call, place);
  const unit = part(call.args[1]);
  if (typeOf(call.args[0]) === 'DATE') return truncatedDay(argument(call, 0, place), unit);
  return truncated(micros(call, 0, place), unit);
};

const extract: PushedFunction = (call, place) => {
  checkZone(call, 2);
  const unit = part(call.args[0]);
  const value = micros(call, 1, place);
  switch (unit) {
    case 'date':
      return daysOf(value);
    case 'datetime':
      return value;
    case 'time':
      return remainder(value, dayMicros);
    default:
      return extractPart(value, unit);
  }
};

/** Whole units of elapsed time between TIMESTAMPs. */
const difference: PushedFunction = (call, place) => {
  if (typeOf(call.args[0]) !== 'TIMESTAMP') notPushed(`${nameOf(call.fn)} of ${typeOf(call.args[0])}`);
  const unit = unitMicros[part(call.args[2])] ?? notPushed(`${nameOf(call.fn)} in ${part(call.args[2])}`);
  return `intDiv(${micros(call, 0, place)} - ${micros(call, 1, place)}, ${unit})`;
};

/** Microseconds of a constant INTERVAL of units of fixed length, at most a century. */
function spanOf(arg: CallArgument | undefined, fn: CallExpr['fn']): bigint {
  if (arg?.kind === 'call' && arg.fn === '$interval') {
    const count = constant(arg.args[0], 'bigint');
    const unit = arg.args[1]?.kind === 'part' ? arg.args[1].part : '';
    const size = unit === 'week' ? 7 * dayMicros : unitMicros[unit];
    const span = count === undefined || size === undefined ? undefined : count * BigInt(size);
    if (span !== undefined && span > -spanMax && span < spanMax) return span;
  }
  return notPushed(`${nameOf(fn)} with this INTERVAL`);
}

const spanMax = BigInt(dayMicros) * 36_525n;

/** A century more than the time of an event, which is farther from the ends of TIMESTAMP (`checkTimes`). */
const shifted =
  (sign: '+' | '-'): PushedFunction =>
  (call, place) => {
    if (typeOf(call.args[0]) !== 'TIMESTAMP') notPushed(`${nameOf(call.fn)} of ${typeOf(call.args[0])}`);
    if (place.stored(call.args[0] as CallArgument) === null) notPushed(`${nameOf(call.fn)} of a computed time`);
    checkTimes(call, place);
    return `(${micros(call, 0, place)} ${sign} toInt64(${spanOf(call.args[1], call.fn)}))`;
  };

/** Buckets of a fixed width start at 1950-01-01, or at a constant. */
const bucket: PushedFunction = (call, place) => {
  if (typeOf(call.args[0]) !== 'TIMESTAMP') notPushed(`${nameOf(call.fn)} of ${typeOf(call.args[0])}`);
  if (place.stored(call.args[0] as CallArgument) === null) notPushed(`${nameOf(call.fn)} of a computed time`);
  checkTimes(call, place);
  const width = spanOf(call.args[1], call.fn);
  const origin = call.args.length > 2 ? constant(call.args[2], 'bigint') : BigInt(Date.UTC(1950, 0, 1)) * 1000n;
  if (width <= 0n || origin === undefined) return notPushed(`${nameOf(call.fn)} with these arguments`);
  const time = `(${micros(call, 0, place)} - toInt64(${origin}))`;
  return `(toInt64(${origin}) + ${floorTo(time, Number(width))})`;
};

const same: PushedFunction = (call, place) => {
  checkZone(call, 1);
  return micros(call, 0, place);
};

const unix =
  (unit: number): PushedFunction =>
  (call, place) =>
    unit === 1 ? micros(call, 0, place) : floorDiv(micros(call, 0, place), unit);

export const timeFunctions = {
  timestamp_trunc: truncate,
  datetime_trunc: truncate,
  date_trunc: truncate,
  $extract: extract,
  timestamp_diff: difference,
  timestamp_add: shifted('+'),
  timestamp_sub: shifted('-'),
  timestamp_bucket: bucket,
  timestamp: same,
  datetime: same,
  date: (call, place) => {
    checkZone(call, 1);
    return daysOf(micros(call, 0, place));
  },
  unix_micros: unix(1),
  unix_millis: unix(1_000),
  unix_seconds: unix(1_000_000),
} satisfies Partial<Record<FunctionName, PushedFunction>>;
