import { ServiceError } from '../../../core/errors.ts';
import type { ChangeRequest } from '../../../manage/endpointManagement.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { limitsRows } from '../../../tokens/restrictions.ts';
import { parseIfMatch } from '../../preconditions.ts';
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
