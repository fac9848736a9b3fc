/** RFC 3339 with nanoseconds, from nanoseconds since 1970. */
export function instantText(nanos: bigint): string {
  const millis = new Date(Number(nanos / 1_000_000n)).toISOString().slice(0, -1);
  return `${millis}${String(nanos % 1_000_000n).padStart(6, '0')}Z`;
}
