/** `YYYY-MM-DDTHH:MM:SS[.ffffff][Z]`, as rows write a TIMESTAMP and a DATETIME. */
const timestamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z?$/;
const time = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?$/;
const dayMs = 86_400_000;

/** Microseconds since 1970; null for another text. */
export function microsOfTimestamp(text: string): bigint | null {
  const [, seconds, fraction = ''] = timestamp.exec(text) ?? [];
  const ms = seconds === undefined ? Number.NaN : Date.parse(`${seconds}Z`);
  return Number.isNaN(ms) ? null : BigInt(ms) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

/** Microseconds since midnight; null for another text. */
export function microsOfTime(text: string): bigint | null {
  const [, hours, minutes, seconds, fraction = ''] = time.exec(text) ?? [];
  if (hours === undefined) return null;
  return (
    BigInt((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
  );
}

/** Days since 1970; null for another text. */
export function dayOf(text: string): number | null {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms / dayMs;
}

/** The exact integer; null for another text. */
export function int64Of(text: string): bigint | null {
  return /^-?\d{1,19}$/.test(text) ? BigInt(text) : null;
}

/** JSON has no NaN and no infinities, so rows write them as texts. */
export function floatOf(text: string): number | null {
  if (text === 'NaN') return Number.NaN;
  return /^(-?\d[\d.eE+-]*|-?Infinity)$/.test(text) ? Number(text) : null;
}
