/**
 * Parses a boolean from the wire: `true` or `1`, `false` or `0`, in any case; undefined for other texts. Used for
 * parameters of endpoints and of the service itself (contract, section 3).
 */
export function readBool(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}
