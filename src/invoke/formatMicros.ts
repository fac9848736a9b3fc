/** Microseconds since 1970 as an RFC 3339 time in UTC with six fraction digits (contract, section 1, "Values"). */
export function formatMicros(micros: number): string {
  const wholeSeconds = Math.floor(micros / 1_000_000);
  const fraction = micros - wholeSeconds * 1_000_000;
  return `${new Date(wholeSeconds * 1000).toISOString().slice(0, -5)}.${String(fraction).padStart(6, '0')}Z`;
}
