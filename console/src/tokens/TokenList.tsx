import { useInfiniteQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/callApi.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ListTable } from '../parts/ListTable.tsx';
import { PageFrame } from '../parts/PageFrame.tsx';
import { goTo, hrefOf, parseRoute, useHash, withValues } from '../route/route.ts';
import { useSignedIn } from '../shell/session.ts';
import { SafeText } from '../text/SafeText.tsx';
import { utcMinute } from '../time/utcText.ts';
import { tokenSentences } from './restrictionSentences.ts';

const states = ['live', 'expired', 'revoked'] as const;

/** The tokens, without their secrets. */
export function TokenList() {
  const { session } = useSignedIn();
  const route = parseRoute(useHash());
  const state = states.find((each) => each === route.search.get('state')) ?? 'live';
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['tokens', state],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) =>
      await bodyOf<'tokens.list'>('/api/tokens', {
        query: { state, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      }),
    getNextPageParam: ({ next }) => next,
  });
  const tokens = data?.pages.flatMap(({ result }) => result) ?? [];
  return (
    <PageFrame
      title="Tokens"
      beside={
        <div className="tabs" role="group" aria-label="State">
          {states.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === state}
              onClick={() => goTo(withValues(route, { state: each === 'live' ? null : each }))}
            >
              {each}
            </button>
          ))}
        </div>
      }
      actions={
        <a className="button primary" href="#/tokens/new">
          New token
        </a>
      }
    >
      {error !== null && <ErrorBox error={error} />}
      <ListTable
        label="Tokens"
        entries={tokens}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Token',
            cell: ({ id, description }) => (
              <>
                <a href={hrefOf(['tokens', id])}>{description === '' ? id : <SafeText text={description} />}</a>
                <div className="muted small">
                  <code>{id}</code>
                  {id === session.tokenId && ' this session'}
                </div>
              </>
            ),
          },
          {
            title: 'What it may do',
            kind: 'wide',
            cell: ({ scopes, restrictions }) => <SafeText text={tokenSentences(scopes, restrictions).join(' ')} />,
          },
          { title: 'Last used', kind: 'brief', cell: (token) => dayOf(token.last_used_at, 'never') },
          { title: 'Ends', kind: 'brief', cell: (token) => dayOf(token.revoked_at ?? token.expires_at, 'never') },
        ]}
      />
      {data === undefined && error === null && <p role="status">Loading the tokens</p>}
      {data !== undefined && tokens.length === 0 && <p className="muted">No token is {state}.</p>}
      {hasNextPage && (
        <button type="button" onClick={() => void fetchNextPage()}>
          More
        </button>
      )}
    </PageFrame>
  );
}

const dayOf = (at: string | null, without: string): string => (at === null ? without : utcMinute(at));
