/** Days since 1970-01-01 of a date of the Gregorian calendar in the years 1 to 9999, or undefined where there is no such date. */
export function daysOfDate(year: number, month: number, day: number): number | undefined {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return undefined;
  const date = new Date(0);
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 ? date.getTime() / 86_400_000 : undefined;
}

const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Days since 1970-01-01 of a text `YYYY-MM-DD`, or undefined. */
export function parseDate(text: string): number | undefined {
  const match = dateForm.exec(text);
  return match === null ? undefined : daysOfDate(Number(match[1]), Number(match[2]), Number(match[3]));
}
