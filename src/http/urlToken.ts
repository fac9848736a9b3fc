import { tokenParameter } from './credential.ts';
import { parseUrlEncoded, rawQueryOf } from './queryString.ts';

/**
 * Takes the token out of a request target where tokens in URLs are switched on, so that it is
 * never a parameter of the query. Where they are off, `api_key` is a name like any other.
 */
export function splitUrlToken(
  requestTarget: string,
  isAllowed: boolean,
): { readonly rawQuery: string; readonly token: string | undefined } {
  const rawQuery = rawQueryOf(requestTarget);
  if (!isAllowed) return { rawQuery, token: undefined };
  const pieces = rawQuery.split('&');
  const isToken = (piece: string) => piece === tokenParameter || piece.startsWith(`${tokenParameter}=`);
  const tokens = pieces
    .filter(isToken)
    .flatMap((piece) => parseUrlEncoded(piece, 'query string').map(([, value]) => value));
  return {
    rawQuery: pieces.filter((piece) => !isToken(piece)).join('&'),
    // Joined, two tokens are none: no token holds a comma.
    token: tokens.length === 0 ? undefined : tokens.join(','),
  };
}
