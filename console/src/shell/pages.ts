import { type ComponentType, lazy } from 'react';
import { may, mayQuery } from '../api/session.ts';
import { Explore } from '../explore/Explore.tsx';
import type { SignedIn } from './session.ts';

export interface Page {
  readonly name: string;
  readonly title: string;
  /** The key after `g` that goes there. */
  readonly key: string;
  readonly isFor: (signedIn: SignedIn) => boolean;
  /** What a token needs for it, after "a token". */
  readonly needs: string;
  readonly Content: ComponentType;
}

const queries = 'that may send its own queries to an endpoint';

const takesQueries = ({ session, described }: SignedIn): boolean =>
  mayQuery(session) && session.takesOwnQueries && described.endpoints.some(({ tables }) => tables.length > 0);

/** The pages in the order of the rail. One that the token cannot use is absent. All but the first are loaded when opened. */
export const pages: readonly Page[] = [
  { name: 'explore', title: 'Explore', key: 'e', isFor: takesQueries, needs: queries, Content: Explore },
  {
    name: 'query',
    title: 'Query',
    key: 'q',
    isFor: takesQueries,
    needs: queries,
    Content: lazy(() => import('../query/Query.tsx')),
  },
  {
    name: 'endpoints',
    title: 'Endpoints',
    key: 'n',
    isFor: ({ described }) => described.endpoints.length > 0,
    needs: 'that may call an endpoint',
    Content: lazy(() => import('../endpoints/Endpoints.tsx')),
  },
  {
    name: 'sources',
    title: 'Sources',
    key: 's',
    isFor: ({ described }) => described.operations.has('sources.list'),
    needs: 'with the scope ingest or manage',
    Content: lazy(() => import('../sources/Sources.tsx')),
  },
  {
    name: 'projects',
    title: 'Projects',
    key: 'p',
    isFor: ({ session }) => session.projects === null && may(session, 'query') && may(session, 'manage'),
    needs: 'with the scopes manage and query, and without a restriction to projects',
    Content: lazy(() => import('../projects/Projects.tsx')),
  },
  {
    name: 'tokens',
    title: 'Tokens',
    key: 't',
    isFor: ({ described }) => described.operations.has('tokens.list'),
    needs: 'with the scope manage',
    Content: lazy(() => import('../tokens/Tokens.tsx')),
  },
  {
    name: 'operations',
    title: 'Operations',
    key: 'o',
    isFor: ({ described }) => described.operations.has('queries.list'),
    needs: 'with the scope observe',
    Content: lazy(() => import('../operations/Operations.tsx')),
  },
];
