import { assertNever } from '../core/assertNever.ts';
import type { Expression, Position } from '../googlesql/syntax/nodes.ts';
import { instantText } from './instant.ts';
import type { TimeFilter, TimeUnit, TimeValue } from './query.ts';
import { all, between, call, compare, interval, name, now, timestamp } from './syntaxNodes.ts';

const comparisons = { ':': '=', ':>=': '>=', ':<=': '<=', ':>': '>', ':<': '<' } as const;

/**
 * The condition of a time filter on the value `at`. Words such as `last@15m` become expressions over `now`, so each run of
 * a compiled query uses its own time.
 */
export function timeRange({ op, value, pos }: TimeFilter, at: Expression): Expression {
  const start = startOf(value, pos);
  if (op !== ':' || value.kind === 'instant' || value.kind === 'now') return compare(comparisons[op], at, start, pos);
  if (value.kind === 'day') {
    // The whole day, up to the start of the next one.
    const end = call('timestamp_add', [start, interval(1, 'day', pos)], pos);
    return all([compare('>=', at, start, pos), compare('<', at, end, pos)], pos);
  }
  const end = value.kind === 'between' ? timestamp(instantText(value.to), pos) : now(pos);
  return between(at, start, end, pos);
}

/** The start of a time range, or the point in time itself. */
function startOf(value: TimeValue, pos: Position): Expression {
  switch (value.kind) {
    case 'now':
      return now(pos);
    case 'instant':
      return timestamp(instantText(value.text), pos);
    case 'between':
      return timestamp(instantText(value.from), pos);
    case 'day':
      return before(startOfUnit('day', pos), value.day === 'today' ? 0 : 1, 'day', pos);
    case 'this':
      return startOfUnit(value.unit, pos);
    case 'last':
      return before(startOfUnit(value.unit, pos), value.count, value.unit, pos);
    default:
      return assertNever(value);
  }
}

/** The start of the current unit. Weeks start on Monday. */
const startOfUnit = (unit: TimeUnit, pos: Position): Expression =>
  call('timestamp_trunc', [now(pos), name(unit === 'week' ? 'isoweek' : unit, pos)], pos);

/** The time `count` units earlier; months and years are calendar months and years. */
function before(at: Expression, count: number, unit: TimeUnit, pos: Position): Expression {
  if (count === 0) return at;
  if (unit === 'week') return call('timestamp_sub', [at, interval(7 * count, 'day', pos)], pos);
  if (unit !== 'month' && unit !== 'year') return call('timestamp_sub', [at, interval(count, unit, pos)], pos);
  const civil = call('datetime_sub', [call('datetime', [at], pos), interval(count, unit, pos)], pos, { isSafe: true });
  // A time before the year 1 becomes the start of the year 1.
  return call('ifnull', [call('timestamp', [civil], pos), timestamp('0001-01-01', pos)], pos);
}
