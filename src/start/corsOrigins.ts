import * as z from 'zod';

const allowed = 'is * or a list, separated by commas, of origins such as https://logs.example.com';

/** Origins whose pages may read answers: `*`, or exact ones. */
export const corsOrigins = z
  .string({ error: allowed })
  .refine((text) => text.trim() === '*' || originsOf(text).every(isOrigin), allowed)
  .optional();

/** Origins of a validated setting. */
export function originsOf(text: string | undefined): readonly string[] {
  return text === undefined || text.trim() === '' ? [] : text.split(',').map((origin) => origin.trim());
}

/** True for exactly what a browser sends: scheme, host, and port unless it is the default of the scheme. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]*$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
