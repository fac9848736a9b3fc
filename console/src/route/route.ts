import { useSyncExternalStore } from 'react';

/** A place in the console: what follows `#`, so that query texts reach no access log. */
export interface Route {
  readonly parts: readonly string[];
  readonly search: URLSearchParams;
}

const moved = 'logmill:moved';

export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#\/?/, '');
  const at = text.indexOf('?');
  const path = at < 0 ? text : text.slice(0, at);
  return {
    parts: path.split('/').filter(Boolean).map(decoded),
    search: new URLSearchParams(at < 0 ? '' : text.slice(at + 1)),
  };
}

/** A part that is no valid escape is shown as written. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export type SearchValues = Readonly<Record<string, string | null | undefined>>;

/** The link to a place. Values that are absent or empty are left out. */
export function hrefOf(parts: readonly string[], values: SearchValues = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') search.set(name, value);
  }
  const query = search.toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`;
}

/** Goes to a place: a new entry of the history, or in place of the current one. */
export function goTo(href: string, how: 'push' | 'replace' = 'push'): void {
  if (href === location.hash) return;
  if (how === 'push') history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  window.dispatchEvent(new Event(moved));
}

/** The search of the current place with some values changed. */
export function withValues(route: Route, values: SearchValues): string {
  return hrefOf(route.parts, { ...Object.fromEntries(route.search), ...values });
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  window.addEventListener('popstate', listener);
  window.addEventListener(moved, listener);
  return () => {
    window.removeEventListener('hashchange', listener);
    window.removeEventListener('popstate', listener);
    window.removeEventListener(moved, listener);
  };
}

/** The text after `#`, followed. */
export function useHash(): string {
  return useSyncExternalStore(subscribe, () => location.hash);
}
