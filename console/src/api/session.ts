import { isList, isObject, type Json } from './losslessJson.ts';

/** Who is signed in, and what the token may do. */
export interface Session {
  readonly tokenId: string;
  readonly description: string;
  readonly scopes: readonly string[];
  /** The only projects of the token; null if it has no such restriction. */
  readonly projects: readonly string[] | null;
  readonly takesOwnQueries: boolean;
  readonly isRedacted: boolean;
  /** All restrictions, as the API has them. */
  readonly restrictions: { readonly [name: string]: Json };
  /** When the token ends (RFC 3339, UTC); null if it does not. */
  readonly endsAt: string | null;
}

/** Reads the answer of `/api/session`. */
export function readSession(body: Json): Session {
  const session = isObject(body) && isObject(body.session) ? body.session : {};
  const token = isObject(session.token) ? session.token : {};
  const restrictions = isObject(token.restrictions) ? token.restrictions : {};
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
  return {
    tokenId: text(token.id),
    description: text(token.description),
    scopes: (isList(token.scopes) ? token.scopes : []).map(text),
    projects: isList(restrictions.projects) ? restrictions.projects.map(text) : null,
    takesOwnQueries: restrictions.caller_queries !== false,
    isRedacted: restrictions.redact === true,
    restrictions,
    endsAt: typeof token.expires_at === 'string' ? token.expires_at : null,
  };
}

export const may = (session: Session, scope: string): boolean => session.scopes.includes(scope);

export const mayQuery = ({ scopes }: Session): boolean =>
  scopes.some((scope) => scope === 'query' || scope.startsWith('query:endpoint:'));
