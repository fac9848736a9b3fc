import * as z from 'zod';

/** A whole number, also as the text of one, which environment variables and options have. */
export function integer(min: number, max: number) {
  const allowed = `is a whole number from ${min} to ${max}`;
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\s*[+-]?\d+\s*$/, allowed)
          .transform(Number),
      ],
      { error: allowed },
    )
    .pipe(z.number({ error: allowed }).int(allowed).min(min, allowed).max(max, allowed));
}

/** A text that is not empty; `allowed` completes the sentence "must be a value that …". */
export const text = (allowed: string) => z.string({ error: allowed }).min(1, allowed);

export const someText = text('is a text of at least one character');
export const filePath = text('is the path of a file');
