/**
 * Whether `If-None-Match` names the answer's entity tag, so the client already has the answer. Uses weak comparison
 * (RFC 9110, sections 8.8.3.2 and 13.1.2).
 */
export function isNotModified(ifNoneMatch: string | undefined, entityTag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = entityTag.replace(/^W\//, '');
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([tag]) => tag === opaque);
}
