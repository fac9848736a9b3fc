/** The largest body that is read, less what a case may put around its text. */
export const bodyBytes = 16 * 1024 * 1024 - 4096;

/** The largest event, less what a case may put around its text. */
export const eventBytes = 1024 * 1024 - 1024;

/** The part, repeated as often as it fits. */
export function filled(part: string, bytes: number = bodyBytes): string {
  return part.repeat(Math.floor(bytes / part.length));
}

/** Members of a JSON object with different names, separated by commas. */
export function members(bytes: number, nameOf: (n: number) => string, value = '1'): string {
  const parts: string[] = [];
  for (let n = 0, length = 0; length < bytes; n++) {
    const part = `"${nameOf(n)}":${value}`;
    parts.push(part);
    length += part.length + 1;
  }
  return parts.join(',');
}
