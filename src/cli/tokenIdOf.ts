import { parseToken } from '../tokens/tokenFormat.ts';

/** The public id of a token that is given by it or by its text. */
export function tokenIdOf(given: string): string {
  return parseToken(given)?.publicId ?? given;
}
