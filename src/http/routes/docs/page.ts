import type { Route } from '../../route.ts';
import type { DocsPage, HttpServices } from '../../services.ts';

/** The page may only load its own script, style and icon, and connect only to this service. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const parts = [
  [
    'docs.page',
    '/docs',
    'text/html; charset=utf-8',
    'page',
    'The reference page for browsers. It asks for a token itself.',
  ],
  ['docs.script', '/docs/docs.js', 'text/javascript; charset=utf-8', 'script', 'The script of the reference page.'],
  ['docs.style', '/docs/docs.css', 'text/css; charset=utf-8', 'style', 'The style sheet of the reference page.'],
  ['docs.icon', '/docs/docs.svg', 'image/svg+xml', 'icon', 'The icon of the reference page.'],
] as const satisfies readonly (readonly [string, string, string, keyof DocsPage, string])[];

type HasConsole = Pick<HttpServices, 'consoleFiles'>;

/** Paths that lead to a page. Locations are relative, because a proxy may serve the whole below a path of its own. */
const wayTo = [
  [
    'docs.home',
    '/',
    ({ consoleFiles }: HasConsole) => (consoleFiles.size === 0 ? 'docs' : 'console/'),
    'Leads browsers that open the bare address to the console or, if it was not built, to the reference page.',
  ],
  ['docs.slash', '/docs/', () => '../docs', 'Leads to the reference page.'],
] as const;

const redirects: readonly Route[] = wayTo.map(
  ([operation, path, locationIn, summary]): Route => ({
    operation,
    methods: ['GET'],
    path,
    urlParameters: 'open',
    mediaType: 'text/plain; charset=utf-8',
    ignoresAccept: true,
    summary,
    credential: 'none',
    async handle({ services }: { readonly services: HasConsole }) {
      const location = locationIn(services);
      return {
        status: 302,
        headers: { location, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
        body: `See ${location}.\n`,
      };
    },
  }),
);

const pages: readonly Route[] = parts.map(
  ([operation, path, mediaType, part, summary]): Route => ({
    operation,
    methods: ['GET'],
    path,
    urlParameters: 'open',
    mediaType,
    summary,
    credential: 'none',
    async handle({ services }: { readonly services: Pick<HttpServices, 'docsPage'> }) {
      return {
        status: 200,
        headers: {
          'content-type': mediaType,
          'cache-control': 'no-cache',
          'content-security-policy': contentSecurityPolicy,
        },
        body: services.docsPage[part],
      };
    },
  }),
);

/** The shell of the docs page, served without a token (contract, section 4). It has no data of this installation. */
export const docsPage: readonly Route[] = [...redirects, ...pages];
