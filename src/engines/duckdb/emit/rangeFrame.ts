import { ServiceError } from '../../../core/errors.ts';
import type { FrameBound, SortKey, WindowCall } from '../../../googlesql/resolve/tree.ts';
import { bind } from '../functions/sqlFragments.ts';
import type { Emission } from './emission.ts';
import { isKnownFinite } from './numberFacts.ts';

type Bound = FrameBound & { readonly direction: 'preceding' | 'following' };
type OffsetBound = Bound & { readonly kind: 'offset' };

/** ORDER BY and frame of a window whose RANGE measures distances along its only key. */
export interface MeasuredFrame {
  readonly order: string;
  readonly start: string;
  readonly end: string;
}

/** More than the distance between any two keys: a frame that begins and ends there is empty. */
const beyond = String(2n ** 66n);

/**
 * Whether a frame ends before it starts, such as 1 PRECEDING AND 2 PRECEDING, and so is empty. In some such frames the
 * engine counts −1 rows.
 */
function endsFirst({ start, end }: { readonly start: Bound; readonly end: Bound }): boolean {
  if (start.kind !== 'offset' || end.kind !== 'offset' || start.direction !== end.direction) return false;
  const [first, last] = [distanceOf(start), distanceOf(end)];
  return start.direction === 'preceding' ? first < last : first > last;
}

/** Literals were checked in the query; this value may have come as a parameter. */
function distanceOf({ value }: OffsetBound): number | bigint {
  const given = value.kind === 'literal' ? value.value : undefined;
  if (typeof given === 'bigint' && given >= 0n) return given;
  if (typeof given === 'number' && given >= 0 && Number.isFinite(given)) return given;
  throw new ServiceError('sql.data', 'A frame bound given as a parameter must not be negative or NULL.');
}

/**
 * Writes the frame so that no sum of key and distance overflows the type of the key. INT64 is measured in the next
 * larger type. FLOAT64 is measured in positions in the order of all FLOAT64s, in which NaN and the infinities have
 * their own positions, far from all others.
 */
export function measuredFrame(call: WindowCall, emission: Emission): MeasuredFrame {
  const [key] = call.orderBy;
  const frame = call.frame;
  if (key === undefined || frame === null) throw new Error('a measured frame without its key');
  const value = emission.expr(key.expr);
  const order = (sql: string): string => `${sql} ${key.descending ? 'DESC' : 'ASC'} NULLS ${key.nulls.toUpperCase()}`;
  const isEmpty = endsFirst(frame);
  const written = (distance: (bound: OffsetBound) => string): Pick<MeasuredFrame, 'start' | 'end'> => ({
    start: boundText(frame.start, distance),
    end: boundText(frame.end, distance),
  });
  if (key.expr.type.kind === 'INT64') {
    const distance = (bound: OffsetBound): string => `CAST(${isEmpty ? beyond : distanceOf(bound)} AS HUGEINT)`;
    return { order: order(`CAST(${value} AS HUGEINT)`), ...written(distance) };
  }
  if (isKnownFinite(key.expr, emission) && !isEmpty) {
    return { order: order(value), ...written((bound) => `CAST(${distanceOf(bound)} AS DOUBLE)`) };
  }
  const places = (bound: OffsetBound): string =>
    bind([value], (x = '') => {
      const target = `(${x} ${goesUp(bound, key) ? '+' : '-'} CAST(${distanceOf(bound)} AS DOUBLE))`;
      const distance = isEmpty ? beyond : `abs(${placeOf(withinNumbers(target))} - ${placeOf(x)})`;
      return `CASE WHEN isfinite(${x}) THEN CAST(${distance} AS HUGEINT) ELSE 0 END`;
    });
  return { order: order(bind([value], (x = '') => placeOf(x))), ...written(places) };
}

const goesUp = ({ direction }: Bound, { descending }: SortKey): boolean => (direction === 'following') !== descending;

/** A bound that is counted in rows, or that is not counted. */
export const rowsBound = (bound: Bound): string =>
  boundText(bound, (offset) => `CAST(${distanceOf(offset)} AS BIGINT)`);

function boundText(bound: Bound, distance: (bound: OffsetBound) => string): string {
  const direction = bound.direction.toUpperCase();
  if (bound.kind === 'current') return 'CURRENT ROW';
  return bound.kind === 'unbounded' ? `UNBOUNDED ${direction}` : `${distance(bound)} ${direction}`;
}

/** Position of a FLOAT64 in the order of all, NaN first: its bits, read as a sign and a number. */
function placeOf(x: string): string {
  const bits = `CAST(CAST(CAST(${x} AS BIT) AS BIGINT) AS HUGEINT)`;
  return `CASE WHEN isnan(${x}) THEN CAST(-${2n ** 64n} AS HUGEINT) WHEN ${bits} < 0 THEN -(${bits} + ${2n ** 63n}) ELSE ${bits} END`;
}

const withinNumbers = (x: string): string => `least(greatest(${x}, -${largest}), ${largest})`;
const largest = `CAST(${Number.MAX_VALUE} AS DOUBLE)`;
