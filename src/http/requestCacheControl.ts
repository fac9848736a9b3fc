import { anyFreshness, type FreshnessDemand } from '../cache/freshnessDemand.ts';
import type { Notice } from '../googlesql/resolve/tree.ts';

export interface RequestCacheControl {
  readonly demand: FreshnessDemand;
  readonly notices: readonly Notice[];
}

/**
 * Reads the `Cache-Control` of a request (RFC 9111, section 5.2.1; contract, section 5). `max-age=0` means the same as
 * `no-cache` and needs the same scope. Other directives concern caches on the way, or ask for the default.
 */
export function requestCacheControl(header: string | undefined): RequestCacheControl {
  if (header === undefined) return demandsNothing;
  let mustRun = false;
  let onlyIfCached = false;
  let maxAgeSeconds: number | null = null;
  const notices: Notice[] = [];
  for (const directive of header.split(',')) {
    const [name = '', value = ''] = directive.split('=', 2).map((part) => part.trim().toLowerCase());
    if (name === 'no-cache') mustRun = true;
    else if (name === 'only-if-cached') onlyIfCached = true;
    else if (name === 'max-age') {
      const [, digits] = /^"?(\d{1,15})"?$/.exec(value) ?? [];
      if (digits === undefined) notices.push(unreadableMaxAge);
      else maxAgeSeconds = Math.min(Number(digits), maxAgeSeconds ?? Number.POSITIVE_INFINITY);
    }
  }
  if (maxAgeSeconds === 0) mustRun = true;
  return { demand: { mustRun, maxAgeSeconds: maxAgeSeconds === 0 ? null : maxAgeSeconds, onlyIfCached }, notices };
}

const demandsNothing: RequestCacheControl = { demand: anyFreshness, notices: [] };

const unreadableMaxAge: Notice = {
  code: 'cache.max_age_ignored',
  message: 'The max-age of Cache-Control was ignored. It must be a whole number of seconds, such as max-age=60.',
};
