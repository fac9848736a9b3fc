/**
 * The truth value that a text on the wire says: `true` or `1`, `false` or `0`, in any case; undefined for any other
 * text. Parameters of endpoints and of the service itself are read by it alike (contract, section 3).
 */
export function readBool(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}
