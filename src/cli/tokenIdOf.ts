import type { TokenManagement } from '../manage/tokenManagement.ts';
import { parseToken } from '../tokens/tokenFormat.ts';
import type { TokenRecord } from '../tokens/tokenStore.ts';
import { CliError } from './cliError.ts';
import { folderOwner } from './tokenManagementOf.ts';

/** Help text of an argument that `tokenIdOf` reads. */
export const tokenArgumentText =
  'ID of the token, its description if no other token has the same, or the token itself; "logmill tokens list" shows both';

/**
 * The public ID of a token, given as that ID, as the token itself or as its description. Live tokens come first. Throws a
 * CliError if several tokens have the description.
 */
export async function tokenIdOf(given: string, tokens: Pick<TokenManagement, 'list'>): Promise<string> {
  const { publicId } = parseToken(given) ?? {};
  if (publicId !== undefined) return publicId;
  const listed = async (state: 'live' | null) =>
    await tokens.list({ limit: Number.MAX_SAFE_INTEGER, after: null, state }, folderOwner);
  // An ID comes before a description, whatever the state of its token: it must never name another one.
  if ((await listed(null)).some((record) => record.publicId === given)) return given;
  for (const state of ['live', null] as const) {
    const all = await listed(state);
    const [found, ...others] = all.filter(({ description }) => description === given);
    if (found === undefined) continue;
    if (others.length === 0) return found.publicId;
    throw new CliError(
      `${others.length + 1} tokens have the description ${JSON.stringify(given)}. Give the ID of one: ${idsOf([found, ...others])}.`,
      { exitCode: 2 },
    );
  }
  // Unknown: the operation refuses it.
  return given;
}

function idsOf(records: readonly TokenRecord[]): string {
  const shown = records.slice(0, 10).map(({ publicId, createdAtMicros }) => {
    return `${publicId} (created ${new Date(createdAtMicros / 1000).toISOString().slice(0, 19)}Z)`;
  });
  return `${shown.join(', ')}${records.length > shown.length ? ` and ${records.length - shown.length} more` : ''}`;
}
