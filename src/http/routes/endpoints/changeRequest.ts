import { ServiceError } from '../../../core/errors.ts';
import type { ChangeRequest } from '../../../manage/endpointManagement.ts';
import type { IfMatch } from '../../../manage/entityTag.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { limitsRows } from '../../../tokens/restrictions.ts';
import type { RouteCall } from '../../route.ts';
import { flagOf, urlOptions } from './urlOptions.ts';

export const noteCharsMax = 2000;

/** Parameters in the URL of requests that change endpoints. */
export const changeOptions = ['allow_breaking', 'dry_run', 'note'] as const;

/** How a change is asked for: by URL parameters and `If-Match`. */
export function changeRequest(
  { rawQuery, headers, requestId }: Pick<RouteCall, 'rawQuery' | 'headers' | 'requestId'>,
  token: AuthenticatedToken,
): ChangeRequest {
  const options = urlOptions(rawQuery, changeOptions);
  const note = options.get('note') ?? '';
  if (note.length > noteCharsMax) {
    throw new ServiceError('parameter.too_long', `The note has more than ${noteCharsMax} characters.`, {
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
  };
}

/** Weak tags match nothing (RFC 9110, section 13.1.1). Throws `request.malformed` where there is no tag at all. */
export function parseIfMatch(header: string | undefined): IfMatch {
  if (header === undefined) return null;
  if (header.trim() === '*') return 'any';
  const tags = [...header.matchAll(/(W\/)?("[^"]*")/g)];
  if (tags.length === 0) {
    throw new ServiceError(
      'request.malformed',
      'If-Match holds no entity tag; send the ETag of the endpoint as it was answered, with its quotes.',
    );
  }
  return tags.flatMap(([, weak, tag = '']) => (weak === undefined ? [tag] : []));
}
