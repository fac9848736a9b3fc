import { assertNever } from '../core/assertNever.ts';
import { ServiceError } from '../core/errors.ts';
import { formatScope, type Scope } from './scope.ts';

/** An action that needs a scope. */
export type Action =
  | { readonly kind: 'query'; readonly endpointId: string }
  | { readonly kind: 'query:fresh' }
  | { readonly kind: 'query:version' }
  | { readonly kind: 'query:explain' }
  | { readonly kind: 'query:stream' }
  | { readonly kind: 'ingest'; readonly source: string }
  | { readonly kind: 'observe' }
  | { readonly kind: 'manage' };

export type Permission =
  | { readonly kind: 'allowed' }
  /** The token has no scope for this kind of action: 403. */
  | { readonly kind: 'refused' }
  /** The endpoint is outside the token's endpoint scopes, so for this token it does not exist: 404. */
  | { readonly kind: 'hidden' };

const allowed: Permission = { kind: 'allowed' };
const refused: Permission = { kind: 'refused' };

/** Decides from the scopes alone (contract, section 4 and the table of statuses in section 1). */
export function permission(scopes: readonly Scope[], action: Action): Permission {
  switch (action.kind) {
    case 'query': {
      if (has(scopes, 'query')) return allowed;
      const wanted = action.endpointId.toLowerCase();
      if (scopes.some((scope) => scope.kind === 'query:endpoint' && scope.endpointId === wanted)) return allowed;
      return has(scopes, 'query:endpoint') ? { kind: 'hidden' } : refused;
    }
    case 'ingest': {
      if (has(scopes, 'ingest')) return allowed;
      return scopes.some((scope) => scope.kind === 'ingest:source' && scope.source === action.source)
        ? allowed
        : refused;
    }
    case 'query:fresh':
    case 'query:version':
    case 'query:explain':
    case 'query:stream':
    case 'observe':
    case 'manage':
      return has(scopes, action.kind) ? allowed : refused;
    default:
      return assertNever(action);
  }
}

/** Whether the permission is `allowed`. To answer 404 for `hidden`, use `permission`. */
export function allows(scopes: readonly Scope[], action: Action): boolean {
  return permission(scopes, action).kind === 'allowed';
}

/** Whether the token may call any endpoint. If not, every call is a 403 before an endpoint is looked up. */
export function mayQuery(scopes: readonly Scope[]): boolean {
  return has(scopes, 'query') || has(scopes, 'query:endpoint');
}

/** Throws `auth.scope`, which names the needed scope and the scopes of the token. */
export function requireScope(scopes: readonly Scope[], action: Exclude<Action, { kind: 'query' }>): void {
  if (allows(scopes, action)) return;
  const needed = action.kind === 'ingest' ? `ingest or ingest:source:${action.source}` : action.kind;
  throw new ServiceError('auth.scope', `This token does not have the scope ${needed}; it has ${listScopes(scopes)}.`);
}

/** Throws `auth.scope` if the token may not call any endpoint. */
export function requireQuery(scopes: readonly Scope[]): void {
  if (mayQuery(scopes)) return;
  throw new ServiceError(
    'auth.scope',
    `This token may not call endpoints; it needs the scope query or query:endpoint:<id>, and has ${listScopes(scopes)}.`,
  );
}

/**
 * Throws `auth.scope` if the token may neither call endpoints nor the service's own ones, for which the scope `observe` is
 * enough. Which of them it may call shows when one is found (invoke/findEndpoint.ts), so the caller learns no names.
 */
export function requireCalls(scopes: readonly Scope[]): void {
  if (!allows(scopes, { kind: 'observe' })) requireQuery(scopes);
}

/** The scopes of `wanted` that `own` does not cover. A token cannot create a token with such scopes. */
export function scopesBeyond(own: readonly Scope[], wanted: readonly Scope[]): readonly Scope[] {
  return wanted.filter((scope) => {
    if (scope.kind === 'query:endpoint') return !allows(own, { kind: 'query', endpointId: scope.endpointId });
    if (scope.kind === 'ingest:source') return !allows(own, { kind: 'ingest', source: scope.source });
    return !has(own, scope.kind);
  });
}

function has(scopes: readonly Scope[], kind: Scope['kind']): boolean {
  return scopes.some((scope) => scope.kind === kind);
}

function listScopes(scopes: readonly Scope[]): string {
  return scopes.map(formatScope).join(', ');
}
