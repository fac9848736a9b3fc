import { escapedCharacter } from './jsonText.ts';

/** `= + - @`, their full-width forms, and what spreadsheets skip before them (OWASP, "CSV Injection"). */
const dangerous: ReadonlySet<number> = new Set([
  0x3d, 0x2b, 0x2d, 0x40, 0x09, 0x0d, 0x0a, 0x00, 0xff1d, 0xff0b, 0xff0d, 0xff20,
]);

/** Whether a spreadsheet could take the JSON string whose content begins at `at` for a formula. */
export function mayBeFormula(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at] ?? 0x22;
  if (first === 0x5c) return dangerous.has(escapedCharacter(bytes, at).code);
  if (first !== 0xef) return dangerous.has(first);
  // Three bytes of UTF-8.
  const code = ((first & 0x0f) << 12) | (((bytes[at + 1] ?? 0) & 0x3f) << 6) | ((bytes[at + 2] ?? 0) & 0x3f);
  return dangerous.has(code);
}

/** The name of a column, guarded like its values. */
export function guardedName(name: string): string {
  return dangerous.has(name.codePointAt(0) ?? 0x22) ? `'${name}` : name;
}
