import { ServiceError } from '../core/errors.ts';
import { nearestName } from '../core/nearestName.ts';
import type { Route } from './route.ts';

export interface UnmatchedAnswer {
  readonly error: ServiceError;
  readonly headers: Readonly<Record<string, string>>;
}

/** No slip of the hand makes a longer path of one that there is. */
const nearestCharsMax = 512;

type RouteEntry = Pick<Route, 'methods' | 'path'>;

/** What to say where no route has this method and path: 405 with `Allow`, or 404 with the nearest path. */
export function explainUnmatched(method: string, path: string, routes: readonly RouteEntry[]): UnmatchedAnswer {
  const allowed = methodsOf(path, routes);
  if (allowed.length > 0) {
    return {
      error: new ServiceError(
        'request.method_not_allowed',
        `${method} is not possible here; use ${allowed.join(' or ')}.`,
        {
          errors: [{ value: method, allowed }],
        },
      ),
      headers: { allow: allowed.join(', ') },
    };
  }
  // Who opens the bare address in a browser looks for a page.
  const nearest =
    path === '/'
      ? '/docs'
      : nearestName(path, path.length > nearestCharsMax ? [] : routes.map((route) => filledIn(route.path, path)));
  const shown = path.slice(0, 200);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return {
    error: new ServiceError('route.unknown', `There is nothing under ${shown}.${hint}`, {
      errors: [{ value: shown, ...(nearest === undefined ? {} : { nearest }) }],
    }),
    headers: {},
  };
}

/** What to say to a client that takes the service for a proxy: `CONNECT` names a host instead of a path. */
export function explainConnect(routes: readonly RouteEntry[]): UnmatchedAnswer {
  const allowed = listed(routes);
  return {
    error: new ServiceError(
      'request.method_not_allowed',
      `CONNECT is not possible here: this service is no proxy. It has paths, with ${allowed.join(', ')}.`,
      { errors: [{ value: 'CONNECT', allowed }] },
    ),
    headers: { allow: allowed.join(', ') },
  };
}

/** The methods of a path as `Allow` lists them; HEAD goes with GET. None for an unknown path. */
export function methodsOf(path: string, routes: readonly RouteEntry[]): readonly string[] {
  const given = partsOf(path);
  const matching = routes.filter((route) => matches(partsOf(route.path), given));
  const exact = matching.filter((route) => route.path === path);
  return listed(exact.length > 0 ? exact : matching);
}

/**
 * Methods that a path does not have, but a pattern that it matches as well: `PUT` of
 * `/api/endpoints/check` beside `/api/endpoints/:id`.
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

/** Anybody may send a path of a hundred thousand slashes: of one that is longer than every route, not all is looked at. */
const partsMax = 32;

const partsOf = (path: string): readonly string[] => path.split('/', partsMax);

function matches(wanted: readonly string[], given: readonly string[]): boolean {
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
  );
}

/** The pattern with the segments that the caller wrote where it has a colon. */
function filledIn(pattern: string, path: string): string {
  const given = partsOf(path);
  return pattern
    .split('/')
    .map((part, i) => (part.startsWith(':') && given[i] !== undefined && given[i] !== '' ? given[i] : part))
    .join('/');
}
