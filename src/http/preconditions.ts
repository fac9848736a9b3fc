import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import type { IfMatch } from '../manage/endpointTag.ts';
import { oneValue } from './route.ts';

/**
 * Evaluates the preconditions of a GET or HEAD in the order of RFC 9110, section 13.2.2; `Range` and `If-Range` come after
 * them. `entityTag` must be strong. The resources have no date, so conditions on dates are ignored.
 *
 * @returns whether the client already has the answer, which is then a 304
 * @throws `request.precondition_failed` if `If-Match` does not name the tag, `request.malformed` if it has no tags
 */
export function hasCurrent(headers: IncomingHttpHeaders, entityTag: string): boolean {
  const ifMatch = parseIfMatch(oneValue(headers['if-match']));
  if (ifMatch !== null && ifMatch !== 'any' && !ifMatch.includes(entityTag)) {
    throw new ServiceError(
      'request.precondition_failed',
      `The entity tag is now ${entityTag}, which If-Match does not name. Weak tags (W/) match nothing.`,
      { errors: [{ value: ifMatch.join(', ').slice(0, 200), allowed: [entityTag] }] },
    );
  }
  return isNotModified(oneValue(headers['if-none-match']), entityTag);
}

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

const entityTags = /(W\/)?("[^"]*")/g;

/** Weak tags match nothing (RFC 9110, section 13.1.1). Throws `request.malformed` if this is not a list of tags. */
export function parseIfMatch(header: string | undefined): IfMatch {
  if (header === undefined) return null;
  if (header.trim() === '*') return 'any';
  const tags = [...header.matchAll(entityTags)];
  // The list syntax of RFC 9110, section 5.6.1, with every tag replaced by an empty one.
  if (!/^[\s,]*""(?:\s*,[\s,]*"")*[\s,]*$/.test(header.replaceAll(entityTags, '""'))) {
    throw new ServiceError(
      'request.malformed',
      'If-Match is not a list of entity tags; send the ETag of an earlier answer unchanged, with its quotes.',
    );
  }
  return tags.flatMap(([, weak, tag = '']) => (weak === undefined ? [tag] : []));
}
