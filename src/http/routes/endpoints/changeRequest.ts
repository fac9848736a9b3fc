import { ServiceError } from '../../../core/errors.ts';
import type { ChangeRequest } from '../../../manage/endpointManagement.ts';
import type { IfMatch } from '../../../manage/endpointTag.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { limitsRows } from '../../../tokens/restrictions.ts';
import type { RouteCall } from '../../route.ts';
import { flagOf } from '../../urlOptions.ts';

export const noteCharsMax = 2000;

/** URL parameters of requests that change endpoints. */
export const changeOptions = ['allow_breaking', 'dry_run', 'note'] as const;

/** Reads how to make a change, from the URL parameters and `If-Match`. */
export function changeRequest(
  { options, headers, requestId, signal }: Pick<RouteCall, 'options' | 'headers' | 'requestId' | 'signal'>,
  token: AuthenticatedToken,
): ChangeRequest {
  const note = options.get('note') ?? '';
  if (note.length > noteCharsMax) {
    throw new ServiceError('parameter.too_long', `The note has more than the allowed ${noteCharsMax} characters.`, {
      errors: [{ parameter: 'note', expected: `at most ${noteCharsMax} characters` }],
    });
  }
  return {
    author: token.publicId,
    requestId,
    note,
    allowBreaking: flagOf(options, 'allow_breaking'),
    isDryRun: flagOf(options, 'dry_run'),
    ifMatch: parseIfMatch(headers['if-match']),
    callersOnly: limitsRows(token.restrictions) ? token.publicId : null,
    signal,
  };
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
      'If-Match is not a list of entity tags; send the ETag of the endpoint unchanged, with its quotes.',
    );
  }
  return tags.flatMap(([, weak, tag = '']) => (weak === undefined ? [tag] : []));
}
