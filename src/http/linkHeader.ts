import type { PageLinks } from '../invoke/pages/pages.ts';
import { parseUrlEncoded } from './queryString.ts';

/** Clients limit the size of response headers; a longer URL is left out, and `meta` has the cursors in any case. */
const linkCharsMax = 4096;

/**
 * The header `Link` (RFC 8288) of a page, with URLs relative to that of the request. `rawQuery` is the query string of the
 * request, without its token.
 */
export function linkHeader(rawQuery: string, links: PageLinks): { readonly link?: string } {
  const given = parseUrlEncoded(rawQuery, 'query string').filter(([name]) => name !== 'cursor');
  const parts = (['next', 'prev'] as const).flatMap((rel) => {
    const cursor = links[rel];
    if (cursor === null) return [];
    const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, value]));
    query.append('cursor', cursor);
    const target = `?${query.toString()}`;
    return target.length > linkCharsMax ? [] : [`<${target}>; rel="${rel}"`];
  });
  return parts.length === 0 ? {} : { link: parts.join(', ') };
}
