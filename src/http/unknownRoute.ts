import { ServiceError } from '../core/errors.ts';
import { nearestName } from '../core/nearestName.ts';
import type { Route } from './route.ts';

export interface UnmatchedAnswer {
  readonly error: ServiceError;
  readonly headers: Readonly<Record<string, string>>;
}

/** A longer path is not a typing error of an existing one. */
const nearestCharsMax = 512;

type RouteEntry = Pick<Route, 'methods' | 'path'>;

/** The answer if no route has this method and path: 405 with `Allow`, or 404 with the nearest path. */
export function explainUnmatched(method: string, path: string, routes: readonly RouteEntry[]): UnmatchedAnswer {
  const allowed = methodsOf(path, routes);
  if (allowed.length > 0) {
    return {
      error: new ServiceError(
        'request.method_not_allowed',
        `The path does not support ${method}; use ${allowed.join(' or ')}.`,
        {
          errors: [{ value: method, allowed }],
        },
      ),
      headers: { allow: allowed.join(', ') },
    };
  }
  const nearest = nearestName(
    path,
    path.length > nearestCharsMax ? [] : routes.map((route) => filledIn(route.path, path)),
  );
  const shown = path.slice(0, 200);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return {
    error: new ServiceError('route.unknown', `There is nothing under ${shown}.${hint}`, {
      errors: [{ value: shown, ...(nearest === undefined ? {} : { nearest }) }],
    }),
    headers: {},
  };
}

/** The answer to `CONNECT`, with which a client asks a proxy for a host. */
export function explainConnect(routes: readonly RouteEntry[]): UnmatchedAnswer {
  const allowed = listed(routes);
  return {
    error: new ServiceError(
      'request.method_not_allowed',
      `This service is not a proxy, so it does not support CONNECT; use ${allowed.join(', ')} with a path.`,
      { errors: [{ value: 'CONNECT', allowed }] },
    ),
    headers: { allow: allowed.join(', ') },
  };
}

/** The methods of a path for `Allow`: GET implies HEAD. Empty for an unknown path. */
export function methodsOf(path: string, routes: readonly RouteEntry[]): readonly string[] {
  const given = partsOf(path);
  const matching = routes.filter((route) => matches(partsOf(route.path), given));
  const exact = matching.filter((route) => route.path === path);
  return listed(exact.length > 0 ? exact : matching);
}

/**
 * Methods that the exact path lacks, but a pattern that also matches it has: `PUT /api/endpoints/check` matches
 * `/api/endpoints/:id`.
 */
export function foreignMethodsOf(path: string, routes: readonly RouteEntry[]): readonly string[] {
  const own = methodsOf(path, routes);
  return listed(routes.filter((route) => matches(partsOf(route.path), partsOf(path)))).filter(
    (method) => !own.includes(method),
  );
}

function listed(routes: readonly RouteEntry[]): readonly string[] {
  const methods = routes.flatMap((route): readonly string[] => route.methods);
  return [...new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)].sort();
}

/** More segments than any route has, so that a path of a hundred thousand slashes costs no time. */
const partsMax = 32;

const partsOf = (path: string): readonly string[] => path.split('/', partsMax);

function matches(wanted: readonly string[], given: readonly string[]): boolean {
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
  );
}

/** The pattern with its `:` segments replaced by those of the caller's path. */
function filledIn(pattern: string, path: string): string {
  const given = partsOf(path);
  return pattern
    .split('/')
    .map((part, i) => (part.startsWith(':') && given[i] !== undefined && given[i] !== '' ? given[i] : part))
    .join('/');
}
