import { formatScope } from '../tokens/scope.ts';
import type { TokenRecord } from '../tokens/tokenStore.ts';

/** A token as commands show it: everything but its secret, times as RFC 3339. */
export interface TokenView {
  readonly id: string;
  readonly description: string;
  readonly scopes: readonly string[];
  /** Null where the token reaches every project. */
  readonly projects: readonly string[] | null;
  /** Whether it is shown redacted rows only. */
  readonly redact: boolean;
  readonly state: 'live' | 'expired' | 'revoked';
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

export function tokenView(record: TokenRecord, nowMicros: number): TokenView {
  const isExpired = record.expiresAtMicros !== null && record.expiresAtMicros <= nowMicros;
  return {
    id: record.publicId,
    description: record.description,
    scopes: record.scopes.map(formatScope),
    projects: record.restrictions?.projects ?? null,
    redact: record.restrictions?.redact === true,
    state: record.revokedAtMicros !== null ? 'revoked' : isExpired ? 'expired' : 'live',
    created_at: isoTime(record.createdAtMicros),
    expires_at: record.expiresAtMicros === null ? null : isoTime(record.expiresAtMicros),
    last_used_at: record.lastUsedAtMicros === null ? null : isoTime(record.lastUsedAtMicros),
    revoked_at: record.revokedAtMicros === null ? null : isoTime(record.revokedAtMicros),
  };
}

function isoTime(micros: number): string {
  return new Date(micros / 1000).toISOString();
}
