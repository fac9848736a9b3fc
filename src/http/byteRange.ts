/** Bytes from `from` to `to`, both inclusive. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The range of a body that a request asks for (RFC 9110, section 14). `whole` also for several ranges and other units, which
 * a server may ignore, and if `If-Range` names another entity tag; `unsatisfiable` if the body has none of its bytes.
 */
export function requestedRange(
  range: string | undefined,
  ifRange: string | undefined,
  entityTag: string,
  bytes: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  if (range === undefined || (ifRange !== undefined && ifRange.trim() !== entityTag)) return 'whole';
  const [, first, last] = /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(range) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const count = Math.min(Number(last), bytes);
    return count === 0 ? 'unsatisfiable' : { from: bytes - count, to: bytes - 1 };
  }
  const from = Number(first);
  const to = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < from) return 'whole';
  return from >= bytes ? 'unsatisfiable' : { from, to };
}
