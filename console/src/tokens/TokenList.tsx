import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '../api/callApi.ts';
import type { Answers, Token } from '../api/types.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ListTable } from '../parts/ListTable.tsx';
import { TypedConfirmation } from '../parts/TypedConfirmation.tsx';
import { goTo, parseRoute, useHash, withValues } from '../route/route.ts';
import { useSignedIn } from '../shell/session.ts';
import { utcMinute } from '../time/utcText.ts';
import { tokenSentences } from './restrictionSentences.ts';
import { SecretBox } from './SecretBox.tsx';

const states = ['live', 'expired', 'revoked'] as const;
const overlapSeconds = 3600;

/** The tokens, without their secrets: rotated and revoked here. */
export function TokenList() {
  const { session } = useSignedIn();
  const route = parseRoute(useHash());
  const client = useQueryClient();
  const state = states.find((each) => each === route.search.get('state')) ?? 'live';
  const [revoked, setRevoked] = useState<Token | null>(null);
  const [rotated, setRotated] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['tokens', state],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) =>
      (await callApi('/api/tokens', { query: { state, ...(pageParam === '' ? {} : { cursor: pageParam }) }, signal }))
        .body as unknown as Answers['tokens.list'],
    getNextPageParam: ({ next }) => next,
  });
  const rotate = async (token: Token) => {
    setProblem(null);
    try {
      const { body } = await callApi(`/api/tokens/${token.id}/rotate`, {
        method: 'POST',
        body: { overlap_seconds: overlapSeconds },
      });
      setRotated({ id: token.id, secret: (body as unknown as Answers['tokens.rotate']).token });
      await client.invalidateQueries({ queryKey: ['tokens'] });
    } catch (failed) {
      setProblem(failed instanceof Error ? failed : new Error('The token was not rotated.'));
    }
  };
  const tokens = data?.pages.flatMap(({ result }) => result) ?? [];
  return (
    <div className="page">
      <header className="bar">
        <h1>Tokens</h1>
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
        <span className="spacer" />
        <a className="button primary" href="#/tokens/new">
          New token
        </a>
      </header>
      {(error ?? problem) !== null && <ErrorBox error={(error ?? problem) as Error} />}
      {rotated !== null && (
        <SecretBox
          secret={rotated.secret}
          text={`New secret of ${rotated.id}. The old one works for another hour.`}
          onClose={() => setRotated(null)}
        />
      )}
      <ListTable
        label="Tokens"
        entries={tokens}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Token',
            cell: ({ id, description }) => (
              <>
                {description === '' ? <i>no description</i> : description}
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
            cell: ({ scopes, restrictions }) => tokenSentences(scopes, restrictions).join(' '),
          },
          { title: 'Last used', cell: (token) => dayOf(token.last_used_at, 'never') },
          { title: 'Ends', cell: (token) => dayOf(token.revoked_at ?? token.expires_at, 'never') },
          {
            title: 'Actions',
            isUntitled: true,
            cell: (token) =>
              token.state === 'live' &&
              token.configured_by === null && (
                <div className="bar">
                  <button type="button" className="quiet" onClick={() => void rotate(token)}>
                    Rotate
                  </button>
                  <button type="button" className="quiet" onClick={() => setRevoked(token)}>
                    Revoke
                  </button>
                </div>
              ),
          },
        ]}
      />
      {data !== undefined && tokens.length === 0 && <p className="muted">No token is {state}.</p>}
      {hasNextPage && (
        <button type="button" onClick={() => void fetchNextPage()}>
          More
        </button>
      )}
      {revoked !== null && (
        <TypedConfirmation
          title="Revoke this token"
          name={revoked.id}
          action="Revoke"
          onClose={() => setRevoked(null)}
          onConfirm={async () => {
            await callApi(`/api/tokens/${revoked.id}`, { method: 'DELETE' });
            await client.invalidateQueries({ queryKey: ['tokens'] });
          }}
        >
          <p>
            Every caller with “{revoked.description}” is refused at once, and so are its sessions in browsers. A revoked
            token cannot be brought back.
          </p>
        </TypedConfirmation>
      )}
    </div>
  );
}

const dayOf = (at: string | null, without: string): string => (at === null ? without : utcMinute(at));
