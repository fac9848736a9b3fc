/** Time spans in microseconds. */
export const second = 1_000_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** An RFC 3339 text as microseconds since 1970; at most milliseconds are read. */
export function at(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new Error(`${text} is no time`);
  return ms * 1000;
}

/** Microseconds as the plain profile writes a TIMESTAMP. */
export function iso(micros: number): string {
  const seconds = new Date(Math.floor(micros / second) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(((micros % second) + second) % second).padStart(6, '0')}Z`;
}

/** Microseconds as a DATETIME of whole seconds is written in both profiles. */
export function civil(micros: number): string {
  return iso(micros).slice(0, 19);
}

/** The largest multiple of the span that is not after the time. */
export function floorTo(micros: number, span: number): number {
  return Math.floor(micros / span) * span;
}
