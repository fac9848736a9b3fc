import { limits } from '../../../core/limits.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { requireScope } from '../../../tokens/permission.ts';
import { jsonAnswer, type Route, type RouteAnswer, type RouteCall } from '../../route.ts';

type ManagedRoute = Pick<Route, 'operation' | 'methods' | 'path' | 'urlParameters' | 'takesBody' | 'summary'> & {
  handle(call: RouteCall, token: AuthenticatedToken): Promise<RouteAnswer>;
};

/** Makes a route that needs the scope `manage`. */
export function managedRoute(route: ManagedRoute): Route {
  return {
    ...route,
    credential: 'token',
    codeWhenFull: 'query.overloaded',
    bodyBytesMax: () => limits.definitionBodyBytesMax,
    authorise: ({ scopes }) => requireScope(scopes, { kind: 'manage' }),
  };
}

/** A JSON answer that must not be stored. */
export function managedAnswer(value: unknown, headers: Readonly<Record<string, string>> = {}): RouteAnswer {
  return jsonAnswer(value, { 'cache-control': 'no-store', ...headers });
}
