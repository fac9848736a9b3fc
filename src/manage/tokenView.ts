import { type RestrictionsJson, restrictionsJson } from '../tokens/restrictions.ts';
import { formatScope } from '../tokens/scope.ts';
import { type TokenState, tokenState } from '../tokens/tokenState.ts';
import type { TokenRecord } from '../tokens/tokenStore.ts';

/** A token in the form of the API: everything except its secret, times as RFC 3339. */
export interface TokenView {
  readonly id: string;
  readonly description: string;
  readonly scopes: readonly string[];
  /** Empty if the token is unrestricted. */
  readonly restrictions: RestrictionsJson;
  readonly state: TokenState;
  /** The setting that defines it; null for a created token. */
  readonly configured_by: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  /** Time until which the previous secret is valid; null if it is not. */
  readonly previous_secret_until: string | null;
}

export function tokenView(record: TokenRecord, nowMicros: number): TokenView {
  const { previous } = record;
  const state = tokenState(record, nowMicros);
  return {
    id: record.publicId,
    description: record.description,
    scopes: record.scopes.map(formatScope),
    restrictions: restrictionsJson(record.restrictions),
    state,
    configured_by: record.slot === null ? null : `LOGMILL_${record.slot.toUpperCase()}_TOKEN`,
    created_at: isoTime(record.createdAtMicros),
    expires_at: isoTimeOrNull(record.expiresAtMicros),
    last_used_at: isoTimeOrNull(record.lastUsedAtMicros),
    revoked_at: isoTimeOrNull(record.revokedAtMicros),
    previous_secret_until:
      previous !== null && previous.untilMicros > nowMicros && state === 'live' ? isoTime(previous.untilMicros) : null,
  };
}

export function isoTimeOrNull(micros: number | null): string | null {
  return micros === null ? null : isoTime(micros);
}

/** RFC 3339 in milliseconds. */
export function isoTime(micros: number): string {
  return new Date(micros / 1000).toISOString();
}
