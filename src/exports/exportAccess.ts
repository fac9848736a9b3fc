import { shortHash } from '../invoke/pages/cursor.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import type { ExportRecord } from './exportRecord.ts';

/** Whether the export is the reader's, with the rights that its call had. */
export const isOf = (
  { tokenId, rights }: Pick<ExportRecord, 'tokenId' | 'rights'>,
  reader: AuthenticatedToken,
): boolean => tokenId === reader.publicId && rights === rightsOf(reader);

/** Hash of what a token may do. */
export const rightsOf = ({ scopes, restrictions }: AuthenticatedToken): string =>
  shortHash([scopes, restrictions]).toString('base64url');

/** Whether the rows can have events of one of these projects; undefined for any. */
export const mayHave = (
  { projects: own = null }: Pick<ExportRecord, 'projects'>,
  projects: readonly string[] | undefined,
): boolean => own === null || projects === undefined || projects.some((project) => own.includes(project));
