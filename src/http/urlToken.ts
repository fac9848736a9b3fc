import { tokenParameter } from './credential.ts';
import { parseUrlEncoded, rawQueryOf } from './queryString.ts';

/**
 * Removes the token from a request target if tokens in URLs are enabled, so that it is never a parameter of the query.
 * Otherwise `api_key` is an ordinary parameter.
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
    // Two tokens joined are not a valid token, because no token contains a comma.
    token: tokens.length === 0 ? undefined : tokens.join(','),
  };
}
