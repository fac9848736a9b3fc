import { parseToken } from '../tokens/tokenFormat.ts';

/** The public id of a token, given as that id or as the token itself. */
export function tokenIdOf(given: string): string {
  return parseToken(given)?.publicId ?? given;
}
