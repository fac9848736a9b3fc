import { ServiceError } from '../core/errors.ts';
import type { ParameterEntry } from '../invoke/parameterEntry.ts';

/** Parameters of one call. The limit keeps the answer to a long run of `&` short. */
export const parametersMax = 1000;

/** The part of a request target after the first `?`, still encoded. */
export function rawQueryOf(requestTarget: string): string {
  const at = requestTarget.indexOf('?');
  return at < 0 ? '' : requestTarget.slice(at + 1);
}

/**
 * Decodes `application/x-www-form-urlencoded` text (WHATWG URL, section 5.1), keeping order and repetitions. The
 * standard replaces broken percent-escapes and bytes that are not UTF-8. Here they are `request.malformed`, because a
 * changed value would silently give a wrong answer.
 *
 * @param text Latin-1, one character per byte, as in Node's request line
 */
export function parseUrlEncoded(text: string, where: 'query string' | 'form body'): readonly ParameterEntry[] {
  const entries: ParameterEntry[] = [];
  for (const piece of text.split('&')) {
    if (piece === '') continue;
    if (entries.length === parametersMax) {
      throw new ServiceError('request.malformed', `The ${where} has more than ${parametersMax} parameters.`);
    }
    const at = piece.indexOf('=');
    const name = decode(at < 0 ? piece : piece.slice(0, at));
    if (name === undefined) throw malformed(where, 'a parameter name');
    const value = decode(at < 0 ? '' : piece.slice(at + 1));
    if (value === undefined) throw malformed(where, `the value of "${name.slice(0, 64)}"`);
    entries.push([name, value]);
  }
  return entries;
}

/** Text that needs no decoding. */
const plain = /^[\w.~:@!$'()*,;/?-]*$/;

function decode(piece: string): string | undefined {
  if (plain.test(piece)) return piece;
  try {
    return decodeURIComponent(fromRawBytes(piece.replaceAll('+', ' ')));
  } catch (error) {
    if (error instanceof URIError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Reads bytes that the client did not escape as UTF-8. */
function fromRawBytes(piece: string): string {
  if (!/[\x80-\xff]/.test(piece)) return piece;
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(piece, 'latin1'));
}

function malformed(where: string, what: string): ServiceError {
  return new ServiceError(
    'request.malformed',
    `The ${where} could not be decoded: ${what} is not percent-encoded UTF-8. Write a literal percent sign as %25.`,
  );
}
