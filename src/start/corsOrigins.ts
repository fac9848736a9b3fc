import { z } from 'zod';

const allowed = 'is * or a list, separated by commas, of origins such as https://logs.example.com';

/** Origins whose pages may read answers: `*`, or exact ones. */
export const corsOrigins = z
  .string({ error: allowed })
  .refine((text) => text.trim() === '*' || originsOf(text).every(isOrigin), allowed)
  .optional();

/** The origins of a setting that was checked. */
export function originsOf(text: string | undefined): readonly string[] {
  return text === undefined || text.trim() === '' ? [] : text.split(',').map((origin) => origin.trim());
}

/** Exactly what a browser sends: scheme, host and, where it is not the scheme's own, port. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]*$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
