import { ServiceError } from '../../../core/errors.ts';
import type { BrowserFile } from '../../browserFiles.ts';
import { isNotModified } from '../../preconditions.ts';
import { oneValue, type Route, type RouteAnswer, type RouteCall } from '../../route.ts';

/** The console loads and calls nothing but this service, and no page may frame it. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const html = 'text/html; charset=utf-8';

const consolePage: Route = {
  operation: 'console.page',
  methods: ['GET'],
  path: '/console/',
  urlParameters: 'open',
  mediaType: html,
  summary: 'The console for browsers. It asks for a token itself.',
  credential: 'none',
  handle: async (call) => fileAnswer(call, required(call, 'index.html'), 'no-cache'),
};

/** Relative, because a proxy may serve the whole below a path of its own. */
const consoleSlash: Route = {
  operation: 'console.slash',
  methods: ['GET'],
  path: '/console',
  urlParameters: 'open',
  mediaType: 'text/plain; charset=utf-8',
  ignoresAccept: true,
  summary: 'Leads to the console.',
  credential: 'none',
  async handle() {
    return {
      status: 302,
      headers: { location: 'console/', 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
      body: 'See console/.\n',
    };
  },
};

/** Their names contain a hash of their content. */
const consoleAsset: Route = {
  operation: 'console.asset',
  methods: ['GET'],
  path: '/console/assets/:file',
  urlParameters: 'open',
  ignoresAccept: true,
  takesBlankParts: true,
  summary: 'A script, a style sheet or another file of the console.',
  credential: 'none',
  handle: async (call) =>
    fileAnswer(call, required(call, `assets/${call.pathParts.file}`), 'public, max-age=31536000, immutable'),
};

export const consoleRoutes: readonly Route[] = [consolePage, consoleSlash, consoleAsset];

/** Throws `console.missing` if there is no such file. */
function required({ services }: RouteCall, name: string): BrowserFile {
  const file = services.consoleFiles.get(name);
  if (file !== undefined) return file;
  throw new ServiceError(
    'console.missing',
    services.consoleFiles.size === 0
      ? 'This installation has no console, because it was not built. Run "npm run build" and restart the service.'
      : 'The console has no such file. Another version of it may have been open; reload the page.',
  );
}

function fileAnswer({ headers }: RouteCall, file: BrowserFile, cacheControl: string): RouteAnswer {
  const { mediaType, body, entityTag } = file;
  const always = {
    etag: entityTag,
    'cache-control': cacheControl,
    'content-security-policy': contentSecurityPolicy,
    'cross-origin-opener-policy': 'same-origin',
  };
  if (isNotModified(oneValue(headers['if-none-match']), entityTag)) {
    return { status: 304, headers: always, body: undefined };
  }
  return { status: 200, headers: { 'content-type': mediaType, ...always }, body };
}
