import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, callApi } from '../api/callApi.ts';
import type { Answers } from '../api/types.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { FactList } from '../parts/FactList.tsx';
import { PageFrame } from '../parts/PageFrame.tsx';
import { TypedConfirmation } from '../parts/TypedConfirmation.tsx';
import { useSignedIn } from '../shell/session.ts';
import { SafeText } from '../text/SafeText.tsx';
import { utcMinute } from '../time/utcText.ts';
import { ExplainCall } from './ExplainCall.tsx';
import { tokenSentences } from './restrictionSentences.ts';
import { SecretBox } from './SecretBox.tsx';

const overlaps = [
  ['0', 'ends at once'],
  ['3600', 'works for another hour'],
  ['86400', 'works for another day'],
  ['604800', 'works for another week'],
] as const;

/** One token: what it may do in words, a call tried with it, its rotation and its revocation. */
export function TokenPage({ id }: { readonly id: string }) {
  const { session } = useSignedIn();
  const client = useQueryClient();
  const path = `/api/tokens/${encodeURIComponent(id)}`;
  const { data, error } = useQuery({
    queryKey: ['tokens', 'one', id],
    queryFn: async ({ signal }) => await bodyOf<'tokens.read'>(path, { signal }),
  });
  const [overlap, setOverlap] = useState('3600');
  const [secret, setSecret] = useState<{ readonly text: string; readonly old: string } | null>(null);
  const [isRevoking, setRevoking] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const rotate = async () => {
    setProblem(null);
    try {
      const body = { overlap_seconds: Number(overlap) };
      const { token } = await bodyOf<'tokens.rotate'>(`${path}/rotate`, { method: 'POST', body });
      const old = overlaps.find(([seconds]) => seconds === overlap)?.[1] ?? '';
      setSecret({ text: token, old });
      await client.invalidateQueries({ queryKey: ['tokens'] });
    } catch (failed) {
      setProblem(failed instanceof Error ? failed : new Error('The token was not rotated.'));
    }
  };
  const failure = error ?? problem;
  const canChange = data?.state === 'live' && data.configured_by === null;
  return (
    <PageFrame
      title={<SafeText text={data === undefined || data.description === '' ? id : data.description} />}
      parent="tokens"
      beside={data !== undefined && data.state !== 'live' && <span className="chip">{data.state}</span>}
      actions={
        canChange && (
          <button type="button" className="danger" onClick={() => setRevoking(true)}>
            Revoke
          </button>
        )
      }
      about={
        <>
          <code>{id}</code>
          {id === session.tokenId && ' this session'}
        </>
      }
    >
      {failure !== null && <ErrorBox error={failure} />}
      {secret !== null && (
        <SecretBox
          secret={secret.text}
          text={`The new secret. The old one ${secret.old}.`}
          onClose={() => setSecret(null)}
        />
      )}
      {data !== undefined && (
        <>
          <section className="box" aria-label="In words">
            <h2>What it may do</h2>
            <ul className="sentences">
              {tokenSentences(data.scopes, data.restrictions).map((sentence) => (
                <li key={sentence}>
                  <SafeText text={sentence} />
                </li>
              ))}
            </ul>
          </section>
          <FactList facts={datesOf(data)} />
          {canChange && (
            <form
              className="bar"
              onSubmit={(event) => {
                event.preventDefault();
                void rotate();
              }}
            >
              <label htmlFor="overlap">When it is rotated, the old secret</label>
              <select id="overlap" value={overlap} onChange={(event) => setOverlap(event.target.value)}>
                {overlaps.map(([seconds, title]) => (
                  <option key={seconds} value={seconds}>
                    {title}
                  </option>
                ))}
              </select>
              <button type="submit">Rotate</button>
            </form>
          )}
          <ExplainCall id={id} />
        </>
      )}
      {isRevoking && data !== undefined && (
        <TypedConfirmation
          title="Revoke this token"
          name={id}
          action="Revoke"
          onClose={() => setRevoking(false)}
          onConfirm={async () => {
            await callApi(path, { method: 'DELETE' });
            await client.invalidateQueries({ queryKey: ['tokens'] });
          }}
        >
          <p>
            Every caller with “<SafeText text={data.description} />” is refused at once, and so are its sessions in
            browsers. A revoked token cannot be brought back.
          </p>
        </TypedConfirmation>
      )}
    </PageFrame>
  );
}

function datesOf(token: Answers['tokens.read']): readonly (readonly [string, string])[] {
  const at = (time: string | null, without: string): string => (time === null ? without : `${utcMinute(time)} UTC`);
  return [
    ['Created', at(token.created_at, '')],
    ['Last used', at(token.last_used_at, 'never')],
    token.revoked_at === null ? ['Ends', at(token.expires_at, 'never')] : ['Revoked', at(token.revoked_at, '')],
    ...(token.previous_secret_until === null
      ? []
      : ([['Old secret works until', at(token.previous_secret_until, '')]] as const)),
    ...(token.configured_by === null ? [] : ([['Set by', token.configured_by]] as const)),
  ];
}
