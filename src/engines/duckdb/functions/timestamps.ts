import { unitMicros, weekStartOf } from '../../../googlesql/functions/dateParts.ts';
import type { timestampFunctions } from '../../../googlesql/functions/timestamps.ts';
import { bucket } from './buckets.ts';
import { boundaries, truncated } from './dateUnits.ts';
import type { EmitContext, EmitFunction, ScalarEmitters } from './emitContext.ts';
import { formatTime, type TimeToFormat } from './formatTime.ts';
import { jsonString } from './json.ts';
import { parseTime } from './parseTime.ts';
import { scalarText } from './scalarText.ts';
import { argument, bind, constantText, failedCall, failure } from './sqlFragments.ts';
import { orNullBeyondYears, withinYears, zonedWithinYears } from './years.ts';
import { timestampFromText, toLocal, toUtc } from './zones.ts';

/** *_ADD and *_SUB for times that have a date. */
export const shiftedBy =
  (sign: '+' | '-', name: string): EmitFunction =>
  (args, context) =>
    withinYears('TIMESTAMP', `The result of ${name}`, args, context, (time, span) => `(${time} ${sign} ${span})`);

/** Whole units of elapsed time between TIMESTAMPs; boundaries between other times. */
export const difference: EmitFunction = (args, context) => {
  const [later = '', earlier = '', part = ''] = args;
  if (context.argTypes[0]?.kind !== 'TIMESTAMP') return boundaries(later, earlier, part);
  const micros = unitMicros[part];
  if (micros === undefined) {
    return failedCall(
      context,
      `The difference of TIMESTAMPs cannot be counted in ${part}; cast both to DATE or DATETIME.`,
    );
  }
  return `((epoch_us(${later}) - epoch_us(${earlier})) // ${micros})`;
};

/**
 * The start of a unit. In a zone, days and longer units start by local time; hours and minutes use the offset of the
 * moment itself, so that both hours stay distinct when clocks are set back.
 */
export const truncate: EmitFunction = (args, context) => {
  const [time = '', part = '', zone] = args;
  if (zone === undefined) return truncatedTime(time, part, context);
  if (toLocal(time, args, 2, context) === time) return truncatedTime(time, part, context);
  const isClock = unitMicros[part] !== undefined && part !== 'day';
  return zonedWithinYears(time, args, 2, context, (moment, zoned) => {
    const local = toLocal(moment, zoned, 2, context);
    if (!isClock) return toUtc(truncated(local, part), zoned, 2, context);
    return bind([moment, local], (utc = '', there = '') => `${truncated(there, part)} - (${there} - ${utc})`);
  });
};

/** Weeks, and years made of weeks, may begin before the year 1. */
function truncatedTime(time: string, part: string, context: EmitContext): string {
  if (weekStartOf(part) === undefined && part !== 'isoyear') return truncated(time, part);
  return withinYears('TIMESTAMP', `The start of the ${part}`, [time], context, (value = '') => truncated(value, part));
}

/** The local time of a value that FORMAT_* writes, as a TIMESTAMP. */
export const withDate = (time: string, kind: TimeToFormat['kind']): string =>
  kind === 'DATE' ? `CAST(${time} AS TIMESTAMP)` : time;

/** FORMAT_*: a time, followed by its zone for a TIMESTAMP. The type of the value decides which elements exist. */
export const formatted =
  (name: string, toTimestamp: (time: string, kind: TimeToFormat['kind']) => string): EmitFunction =>
  (args, context) => {
    if (context.constants[0] === null) return 'CAST(NULL AS VARCHAR)';
    const format = constantText(context, 0);
    if (format === undefined) return failedCall(context, `The format of ${name} must be a literal or a parameter.`);
    const kind = formattedKind(context.argTypes[1]?.kind);
    const time = toTimestamp(argument(args, 1), kind);
    const hasZone = kind === 'TIMESTAMP';
    const local = toLocal(time, args, 2, context);
    const write = (there: string, offsetMinutes?: string): string => {
      const result = formatTime(format, { kind, local: there, ...(offsetMinutes !== undefined && { offsetMinutes }) });
      // Without time elements, the format would not return NULL for NULL.
      if (result.kind === 'sql') return `CASE WHEN ${there} IS NOT NULL THEN ${result.sql} END`;
      return failedCall(context, `${name} does not support the element ${result.element} here.`);
    };
    if (!hasZone) return bind([local], (there = '') => write(there));
    if (local === time) return bind([local], (there = '') => write(there, '0'));
    return bind([time, local], (utc = '', there = '') =>
      write(there, `((epoch_us(${there}) - epoch_us(${utc})) // 60000000)`),
    );
  };

const formattedKind = (kind: string | undefined): TimeToFormat['kind'] =>
  kind === 'DATETIME' || kind === 'DATE' || kind === 'TIME' ? kind : 'TIMESTAMP';

/** PARSE_*; `kind` is the type of the result. */
export const parsed =
  (name: string, kind: TimeToFormat['kind']): EmitFunction =>
  (args, context) => {
    const engineType = kind === 'DATETIME' ? 'TIMESTAMP' : kind;
    if (context.constants[0] === null || context.constants[1] === null) return `CAST(NULL AS ${engineType})`;
    const format = constantText(context, 0);
    if (format === undefined) return failedCall(context, `The format of ${name} must be a literal or a parameter.`);
    return bind(args.slice(1), (text = '', ...zone) => {
      const result = parseTime(format, text, kind);
      if (result.kind === 'unsupported')
        return failedCall(context, `${name} does not support the element ${result.element}.`);
      if (result.kind === 'otherType')
        return failedCall(
          context,
          `${name} does not take the element ${result.element}, as ${kind} has no such part; PARSE_TIMESTAMP does.`,
        );
      const read = result.hasZone ? result.sql : toUtc(result.sql, ['', text, ...zone], 2, context);
      const utc = read === result.sql && !result.hasZone ? read : orNullBeyondYears(read);
      const wrong = failure(
        context,
        `The text does not match the format of ${name}. SAFE.${name} returns NULL instead.`,
      );
      const isNull = [text, ...zone].map((value) => `${value} IS NULL`).join(' OR ');
      return `CASE WHEN ${isNull} THEN NULL ELSE CAST(coalesce(${utc}, ${wrong}) AS ${engineType}) END`;
    });
  };

/** Rounds down, also before 1970. */
const unixUnits =
  (part: 'second' | 'millisecond', micros: number): EmitFunction =>
  (args) =>
    `(epoch_us(date_trunc('${part}', ${argument(args, 0)})) // ${micros})`;

const microsFrom = -62_135_596_800_000_000n;
const microsTo = 253_402_300_799_999_999n;

/** From 0001-01-01 to the end of 9999. A constant is checked here, so that the engine can fold it. */
const fromUnix =
  (name: string, micros: bigint): EmitFunction =>
  (args, context) => {
    const count = argument(args, 0);
    const sentence = `${name} is beyond the years 0001 to 9999.`;
    const constant = context.constants[0];
    if (typeof constant === 'bigint') {
      const value = constant * micros;
      return value >= microsFrom && value <= microsTo
        ? `make_timestamp(CAST('${value}' AS BIGINT))`
        : failedCall(context, sentence);
    }
    const least = microsFrom / micros;
    const most = microsTo / micros;
    return bind(
      [count],
      (n) =>
        `CASE WHEN ${n} BETWEEN ${least} AND ${most} THEN make_timestamp(${n} * ${micros}) WHEN ${n} IS NOT NULL THEN ${failure(context, sentence)} END`,
    );
  };

const asTimestamp = (time: string): string => `CAST(${time} AS TIMESTAMP)`;

const timestamp: EmitFunction = (args, context) => {
  const value = argument(args, 0);
  switch (context.argTypes[0]?.kind) {
    case 'STRING':
      return timestampFromText(value, args, 1, context);
    case 'TIMESTAMP':
      return value;
    default:
      return zonedWithinYears(asTimestamp(value), args, 1, context, (local, zoned) => toUtc(local, zoned, 1, context));
  }
};

const string: EmitFunction = (args, context) => {
  const type = context.argTypes[0] ?? { kind: 'NULL' };
  if (type.kind === 'JSON') return jsonString(args, context);
  const value = argument(args, 0);
  if (type.kind !== 'TIMESTAMP' || args.length === 1) return bind([value], (time = '') => scalarText(time, type));
  return zonedText(value, args, context);
};

function zonedText(value: string, args: readonly string[], context: EmitContext): string {
  return bind([value, toLocal(value, args, 1, context)], (utc, local = '') => {
    const minutes = `((epoch_us(${local}) - epoch_us(${utc})) // 60000000)`;
    const hours = `lpad(CAST(abs(${minutes}) // 60 AS VARCHAR), 2, '0')`;
    const rest = `CASE WHEN ${minutes} % 60 = 0 THEN '' ELSE ':' || lpad(CAST(abs(${minutes}) % 60 AS VARCHAR), 2, '0') END`;
    return `${scalarText(local, { kind: 'DATETIME' })} || CASE WHEN ${minutes} < 0 THEN '-' ELSE '+' END || ${hours} || ${rest}`;
  });
}

/** Functions of the clock are replaced by its reading before emission (plan/fold.ts). */
export const readBefore: EmitFunction = () => {
  throw new Error('the clock was not read before emission');
};

export const timestampEmitters: ScalarEmitters<typeof timestampFunctions> = {
  current_timestamp: readBefore,
  timestamp,
  timestamp_add: shiftedBy('+', 'TIMESTAMP_ADD'),
  timestamp_sub: shiftedBy('-', 'TIMESTAMP_SUB'),
  timestamp_diff: difference,
  timestamp_trunc: truncate,
  timestamp_bucket: bucket,
  format_timestamp: formatted('FORMAT_TIMESTAMP', withDate),
  parse_timestamp: parsed('PARSE_TIMESTAMP', 'TIMESTAMP'),
  string,
  unix_seconds: unixUnits('second', 1_000_000),
  unix_millis: unixUnits('millisecond', 1_000),
  unix_micros: (args) => `epoch_us(${argument(args, 0)})`,
  timestamp_seconds: fromUnix('TIMESTAMP_SECONDS', 1_000_000n),
  timestamp_millis: fromUnix('TIMESTAMP_MILLIS', 1_000n),
  timestamp_micros: fromUnix('TIMESTAMP_MICROS', 1n),
};
