import type { EmitContext } from './emitContext.ts';
import { bind, checked, failure } from './sqlFragments.ts';

const bounds = {
  DATE: `DATE '0001-01-01' AND DATE '9999-12-31'`,
  TIMESTAMP: `TIMESTAMP '0001-01-01 00:00:00' AND TIMESTAMP '9999-12-31 23:59:59.999999'`,
} as const;

/**
 * A computed date or time; beyond the years 0001 to 9999, which the engine allows, it is an error. `what` begins the
 * error's sentence.
 */
export function withinYears(
  engineType: keyof typeof bounds,
  what: string,
  args: readonly string[],
  context: EmitContext,
  body: (...names: readonly string[]) => string,
): string {
  return checked(args, context, `${what} is beyond the years 0001 to 9999.`, (...names) => {
    const result = body(...names);
    return `CASE WHEN ${result} BETWEEN ${bounds[engineType]} THEN ${result} END`;
  });
}

/** A TIMESTAMP read from a text, NULL beyond the years 0001 to 9999. Written only once in the text. */
export const orNullBeyondYears = (time: string): string =>
  `list_filter([${time}], lambda t: t BETWEEN ${bounds.TIMESTAMP})[1]`;

/**
 * A TIMESTAMP computed from another one in a zone's local time; an error beyond the years 0001 to 9999. Zones and units
 * move a time by little more than a year, so it is checked only if the other one is near the limits.
 */
export function zonedWithinYears(
  time: string,
  args: readonly string[],
  zoneIndex: number,
  context: EmitContext,
  body: (time: string, args: readonly string[]) => string,
): string {
  const zone = args.slice(zoneIndex, zoneIndex + 1);
  if (zone.length === 0 || body(time, args) === time) return body(time, args);
  const beyond = failure(context, 'The time in that zone is beyond the years 0001 to 9999.');
  return bind([time, ...zone], (given = '', ...zones) => {
    const result = body(given, [...args.slice(0, zoneIndex), ...zones]);
    const isNearEnd = `${given} NOT BETWEEN TIMESTAMP '0002-02-01' AND TIMESTAMP '9999-12-30'`;
    return `CASE WHEN ${isNearEnd} AND ${result} NOT BETWEEN ${bounds.TIMESTAMP} THEN ${beyond} ELSE ${result} END`;
  });
}
