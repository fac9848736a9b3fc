import type { JsonObject } from '../../core/jsonValue.ts';
import { redactHeaderName, requestHeaders, responseHeaders, valuesHeaderName } from '../headerTable.ts';

/** The request headers of a call. `Cache-Control` is included only if results are cached. */
export function callHeaders(prefix: string, isCached: boolean): readonly JsonObject[] {
  const schemas: readonly (readonly [name: string, schema: JsonObject])[] = [
    [redactHeaderName(prefix), { type: 'string', enum: ['true', 'false'] }],
    [valuesHeaderName(prefix), { type: 'string', enum: ['plain', 'records'] }],
    ...(isCached ? [['Cache-Control', { type: 'string', examples: ['no-cache'] }] as const] : []),
    ['Prefer', { type: 'string', examples: ['respond-async', 'respond-async, wait=10'] }],
    ['If-None-Match', { type: 'string' }],
  ];
  const meanings = new Map(requestHeaders(prefix).map(({ name, meaning }) => [name, meaning]));
  return schemas.map(([name, schema]) => ({ name, in: 'header', description: meanings.get(name) ?? '', schema }));
}

/** The response headers of headerTable.ts that descriptions of answers refer to. */
export function headerComponents(): JsonObject {
  const pointedAt = new Set([
    'X-Request-Id',
    'ETag',
    'Cache-Control',
    'Cache-Status',
    'Age',
    'Link',
    'Server-Timing',
    'X-Row-Count',
    'X-Truncated',
    'X-Notices',
    'X-Next-Cursor',
    'X-Prev-Cursor',
    'Content-Disposition',
    'WWW-Authenticate',
    'Retry-After',
    'Location',
    'Preference-Applied',
  ]);
  return Object.fromEntries(
    responseHeaders
      .filter(({ name }) => pointedAt.has(name))
      .map(({ name, meaning }) => [name, { description: meaning, schema: { type: 'string' } }]),
  );
}
