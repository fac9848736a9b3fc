import { parseToken } from '../tokens/tokenFormat.ts';

/** The public ID of a token, given as that ID or as the token itself. */
export function tokenIdOf(given: string): string {
  return parseToken(given)?.publicId ?? given;
}
