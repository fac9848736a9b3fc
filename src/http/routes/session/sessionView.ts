import { isoTime, isoTimeOrNull, type TokenView } from '../../../manage/tokenView.ts';
import type { LiveSession } from '../../../sessions/sessions.ts';
import { restrictionsJson } from '../../../tokens/restrictions.ts';
import { formatScope } from '../../../tokens/scope.ts';

/** A session in the form of the API. */
export interface SessionView {
  readonly session: {
    readonly created_at: string;
    readonly expires_at: string;
    /** What of its token the console needs to know. */
    readonly token: Pick<TokenView, 'id' | 'description' | 'scopes' | 'restrictions' | 'expires_at'>;
  };
}

export function sessionView({ record, token }: LiveSession): SessionView {
  const { publicId, description, scopes, restrictions, expiresAtMicros } = token;
  return {
    session: {
      created_at: isoTime(record.createdAtMicros),
      expires_at: isoTime(record.expiresAtMicros),
      token: {
        id: publicId,
        description,
        scopes: scopes.map(formatScope),
        restrictions: restrictionsJson(restrictions),
        expires_at: isoTimeOrNull(expiresAtMicros),
      },
    },
  };
}
