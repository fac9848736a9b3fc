import type { EmitContext } from './emitContext.ts';
import { argument, bind, checked, constantText, failure } from './sqlFragments.ts';
import { orNullBeyondYears } from './years.ts';

const microsPerMinute = 60_000_000;

/** Meaning of a constant zone: an offset in minutes, a name that the engine knows, or unknown. */
type Zone =
  | { readonly kind: 'offset'; readonly minutes: number }
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'unknown' };

function readZone(text: string): Zone {
  const offset = /^(?:UTC)?([+-])(\d{1,2})(?::?(\d{1,2}))?$/.exec(text);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
    if (minutes > 14 * 60 || Number(offset[3] ?? 0) > 59) return { kind: 'unknown' };
    return { kind: 'offset', minutes: offset[1] === '-' ? -minutes : minutes };
  }
  if (/^(?:utc|gmt|z|etc\/utc)$/i.test(text)) return { kind: 'offset', minutes: 0 };
  // Offsets are excluded above: newer runtimes accept them as names, the engine does not.
  if (!/^[A-Za-z][\w+/-]*$/.test(text)) return { kind: 'unknown' };
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: text });
    return { kind: 'named', name: text };
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'unknown' };
    throw error;
  }
}

const unknownZone =
  "The time zone is not known. Zones are names like 'Europe/Helsinki' or 'UTC', or offsets like '+02:00'.";

/** Local time in the zone for a UTC time. Argument `index` is the zone; without it the value stays UTC. */
export function toLocal(utc: string, args: readonly string[], index: number, context: EmitContext): string {
  return convert(utc, args, index, context, 1);
}

/** UTC for a local time in the zone. If clocks were set back, the earlier of both times. */
export function toUtc(local: string, args: readonly string[], index: number, context: EmitContext): string {
  return convert(local, args, index, context, -1);
}

function convert(value: string, args: readonly string[], index: number, context: EmitContext, sign: 1 | -1): string {
  if (args.length <= index) return value;
  if (context.constants[index] === null) return 'CAST(NULL AS TIMESTAMP)';
  const text = constantText(context, index);
  if (text === undefined) return convertByColumn(value, argument(args, index), context, sign);
  const zone = readZone(text);
  switch (zone.kind) {
    case 'unknown':
      return `(CASE WHEN ${value} IS NULL THEN ${value} ELSE ${failure(context, unknownZone)} END)`;
    case 'offset':
      return zone.minutes === 0 ? value : `(${value} + to_microseconds(${sign * zone.minutes * microsPerMinute}))`;
    case 'named':
      return shift(value, `'${zone.name}'`, sign);
  }
}

const localTime = (utc: string, zone: string): string => `timezone(${zone}, timezone('UTC', ${utc}))`;

/** The engine takes the later of two moments with the same local time; GoogleSQL takes the earlier. */
function shift(value: string, zone: string, sign: 1 | -1): string {
  if (sign === 1) return localTime(value, zone);
  return bind([`timezone('UTC', timezone(${zone}, ${value}))`, value, zone], (later = '', local = '', name = '') => {
    const earlier = `(${later} - to_hours(1))`;
    return `CASE WHEN ${localTime(earlier, name)} = ${local} THEN ${earlier} ELSE ${later} END`;
  });
}

/** An offset, with the sign, hours and minutes as groups; the first two of three digits are hours. */
const offsetForm = String.raw`^(?:UTC)?([+-])(\d{1,2})(?::?(\d{1,2}))?$`;

/** The zone differs by row; a cast, which cannot fail, finds names that the engine does not know. */
function convertByColumn(value: string, zone: string, context: EmitContext, sign: 1 | -1): string {
  return bind([value, zone], (time, name) => {
    const part = (group: number): string => `regexp_extract(${name}, '${offsetForm}', ${group})`;
    const size = `(CAST(${part(2)} AS BIGINT) * 60 + CAST('0' || ${part(3)} AS BIGINT))`;
    const direction = `CASE WHEN ${part(1)} = '-' THEN ${-sign} ELSE ${sign} END`;
    const offset = `CASE WHEN ${size} <= 840 AND CAST('0' || ${part(3)} AS BIGINT) < 60 THEN ${time} + to_minutes(${size} * ${direction}) ELSE ${failure(context, unknownZone)} END`;
    const isOffset = `regexp_matches(${name}, '${offsetForm}')`;
    // A name that contains an offset is valid in the engine, but not in GoogleSQL.
    const isName = `regexp_full_match(${name}, '[A-Za-z][A-Za-z0-9_+/-]*') AND NOT regexp_matches(${name}, '^[A-Za-z]+[+-][1-9]|^[A-Za-z]+[+-]0[0-9]') AND TRY_CAST('2000-01-01 00:00:00 ' || ${name} AS TIMESTAMPTZ) IS NOT NULL`;
    return `CASE WHEN ${time} IS NULL OR ${name} IS NULL THEN CAST(NULL AS TIMESTAMP) WHEN ${isOffset} THEN ${offset} WHEN ${isName} THEN ${shift(time ?? '', name ?? '', sign)} ELSE ${failure(context, unknownZone)} END`;
  });
}

/** Years from 0001, because the engine would accept a year 0. */
const dateForm = String.raw`(?:[1-9]\d{3}|0[1-9]\d{2}|00[1-9]\d|000[1-9])-\d{1,2}-\d{1,2}`;
const timeForm = String.raw`${dateForm}(?:[ Tt](?:[01]?\d|2[0-3]):\d{1,2}(?::\d{1,2}(?:\.\d{0,9})?)?)?`;
const zoneForm = String.raw` ?(?:[Zz]|UTC|[+-]\d{1,2}(?::?\d{1,2})?| [A-Za-z]+/[A-Za-z_+/-]+)`;

/** An offset beyond 14 hours or 59 minutes at the end of a text, which the engine would accept. */
const farOffset = String.raw`[+-](?:(?:1[5-9]|[2-9]\d)(?::?\d{1,2})?|14:?(?:0?[1-9]|[1-9]\d)|\d{1,2}:[6-9]\d|\d{2}[6-9]\d)$`;

/**
 * A TIMESTAMP from text: a date, a time if any, an offset or zone name if any; without one the zone
 * in argument `zoneIndex`, else UTC. More than six fraction digits are cut (contract, section 2).
 */
export function timestampFromText(
  text: string,
  args: readonly string[],
  zoneIndex: number,
  context: EmitContext,
): string {
  return bind([text, ...args.slice(zoneIndex, zoneIndex + 1)], (value = '', zone) => {
    const naive = `TRY_CAST(CASE WHEN regexp_full_match(${value}, '${timeForm}') THEN upper(${value}) END AS TIMESTAMP)`;
    const zoneArgs = zone === undefined ? [] : [...args.slice(0, zoneIndex), zone];
    const local = toUtc(naive, zoneArgs, zoneIndex, context);
    const isNull = zone === undefined ? `${value} IS NULL` : `${value} IS NULL OR ${zone} IS NULL`;
    // A text with its own zone and a zone argument is an error.
    const readings = zone === undefined ? `${local}, ${orNullBeyondYears(zonedText(value))}` : orNullBeyondYears(local);
    return `CASE WHEN ${isNull} THEN NULL ELSE coalesce(${readings}, ${failure(context, notATimestamp)}) END`;
  });
}

const notATimestamp =
  "The text is not a timestamp. Write it like '2026-05-01 10:00:00', '2026-05-01T10:00:00Z' or '2026-05-01'.";

/** Adds minutes to an hour-only offset, because the engine requires them; `z` and `t` become upper case. */
function zonedText(value: string): string {
  const spaced = `regexp_replace(upper(left(${value}, 11)) || ${value}[12:], ' ?([Zz]|[+-]\\d{1,2}(:?\\d{1,2})?)$', '\\1')`;
  const withColon = `regexp_replace(regexp_replace(${spaced}, '([+-]\\d{2})(\\d{1,2})$', '\\1:\\2'), '([+-]\\d{1,2}:)(\\d)$', '\\1' || '0' || '\\2')`;
  const twoDigits = `regexp_replace(${withColon}, '([+-])(\\d)(:\\d{2})?$', '\\1' || '0' || '\\2\\3')`;
  const upperZ = `regexp_replace(${twoDigits}, 'z$', 'Z')`;
  const withTime = `CASE WHEN contains(${value}, ':') AND regexp_matches(${value}, '^\\S+[ Tt]\\d{1,2}:') THEN ${upperZ} ELSE regexp_replace(${upperZ}, '^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2})', '\\1 00:00:00') END`;
  return `timezone('UTC', TRY_CAST(CASE WHEN regexp_full_match(${value}, '${timeForm}${zoneForm}') AND NOT regexp_matches(${value}, '${farOffset}') THEN ${withTime} END AS TIMESTAMPTZ))`;
}

/** Reads a DATETIME, DATE or TIME from text in its own form. */
export function civilFromText(text: string, kind: 'DATETIME' | 'DATE' | 'TIME', context: EmitContext): string {
  const forms = {
    DATETIME: { engine: 'TIMESTAMP', form: timeForm, example: '2026-05-01 10:00:00' },
    DATE: { engine: 'DATE', form: dateForm, example: '2026-05-01' },
    TIME: { engine: 'TIME', form: String.raw`(?:[01]?\d|2[0-3]):\d{1,2}:\d{1,2}(?:\.\d{0,9})?`, example: '10:00:00' },
  } as const;
  const { engine, form, example } = forms[kind];
  const sentence = `The text is not a ${kind}. Write it like '${example}'.`;
  return checked(
    [text],
    context,
    sentence,
    (value) => `CAST(CASE WHEN regexp_full_match(${value}, '${form}') THEN upper(${value}) END AS ${engine})`,
  );
}
