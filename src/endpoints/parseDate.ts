import { daysOfDate } from '../core/instantText.ts';

const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Days since 1970-01-01 of a text `YYYY-MM-DD`, or undefined. */
export function parseDate(text: string): number | undefined {
  const match = dateForm.exec(text);
  return match === null ? undefined : daysOfDate(Number(match[1]), Number(match[2]), Number(match[3]));
}
