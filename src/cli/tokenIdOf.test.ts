import { expect, it } from 'vitest';
import type { TokenRecord } from '../tokens/tokenStore.ts';
import { tokenIdOf } from './tokenIdOf.ts';

const record = (publicId: string, description: string, revokedAtMicros: number | null = null): TokenRecord => ({
  publicId,
  description,
  revokedAtMicros,
  secretHash: '',
  scopes: [{ kind: 'query' }],
  slot: null,
  restrictions: null,
  createdAtMicros: Date.UTC(2026, 4, 1) * 1000,
  lastUsedAtMicros: null,
  expiresAtMicros: null,
  previous: null,
});

const records = [
  record('aaa', 'dashboard'),
  record('bbb', 'dashboard', 1),
  record('ccc', 'nightly'),
  record('ddd', 'nightly'),
  record('eee', 'gone', 1),
  record('fff', 'aaa'),
];
const tokens = {
  list: async ({ state }: { readonly state: string | null }) =>
    records.filter(({ revokedAtMicros }) => state === null || revokedAtMicros === null),
};

it.each([
  ['aaa', 'aaa'],
  ['dashboard', 'aaa'],
  ['bbb', 'bbb'],
  ['gone', 'eee'],
  ['unknown', 'unknown'],
])('finds a token by its ID or else by its description, live ones first: %s', async (given, id) => {
  expect(await tokenIdOf(given, tokens)).toBe(id);
});

it('names the tokens that share a description, and takes none of them', async () => {
  await expect(tokenIdOf('nightly', tokens)).rejects.toThrow(
    '2 tokens have the description "nightly". Give the ID of one: ccc (created 2026-05-01T00:00:00Z), ddd (created 2026-05-01T00:00:00Z).',
  );
});
