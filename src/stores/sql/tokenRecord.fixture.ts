import type { TokenRecord } from '../../tokens/tokenStore.ts';

/** A token with the scope `query` and no optional members. */
export const tokenRecord = (publicId: string): TokenRecord => ({
  publicId,
  secretHash: publicId,
  description: '',
  scopes: [{ kind: 'query' }],
  slot: null,
  restrictions: null,
  createdAtMicros: 1,
  expiresAtMicros: null,
  lastUsedAtMicros: null,
  revokedAtMicros: null,
  previous: null,
});
