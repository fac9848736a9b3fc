import { limits } from '../../../core/limits.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { requireScope } from '../../../tokens/permission.ts';
import { jsonAnswer, type Route, type RouteAnswer, type RouteCall } from '../../route.ts';

export type ManagedRoute = Pick<Route, 'operation' | 'methods' | 'path' | 'urlParameters' | 'takesBody' | 'summary'> & {
  handle(call: RouteCall, token: AuthenticatedToken): Promise<RouteAnswer>;
};

/** Makes a route that needs the scope `manage`, and what `requireToken` requires. */
export function managedRoute(route: ManagedRoute, requireToken?: (token: AuthenticatedToken) => void): Route {
  return {
    ...route,
    credential: 'token',
    codeWhenFull: 'query.overloaded',
    bodyBytesMax: () => limits.definitionBodyBytesMax,
    authorise(token) {
      requireScope(token.scopes, { kind: 'manage' });
      requireToken?.(token);
    },
  };
}

/** A JSON answer that must not be stored. */
export function managedAnswer(value: unknown, headers: Readonly<Record<string, string>> = {}): RouteAnswer {
  return jsonAnswer(value, { 'cache-control': 'no-store', ...headers });
}
