/** A time of the API (RFC 3339, UTC) to the minute: `2026-05-01 10:02`. */
export const utcMinute = (at: string): string => at.slice(0, 16).replace('T', ' ');

/** The same to the second. */
export const utcSecond = (at: string): string => at.slice(0, 19).replace('T', ' ');
