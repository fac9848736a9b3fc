/** Code units that mean something in JSON. */
export const quote = 0x22;
export const backslash = 0x5c;
export const minus = 0x2d;
export const point = 0x2e;
export const plus = 0x2b;
export const zero = 0x30;
export const nine = 0x39;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const comma = 0x2c;
export const colon = 0x3a;

export const isDigit = (code: number): boolean => code >= zero && code <= nine;

export const isExponentMark = (code: number): boolean => (code | 0x20) === 0x65;

/** Whether the code unit is white space of JSON; false at the end of a text. */
export const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

export function isHexadecimal(code: number): boolean {
  const lower = code | 0x20;
  return isDigit(code) || (lower >= 0x61 && lower <= 0x66);
}
