import { type Query, type QueryClient, QueryObserver, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useEffect } from 'react';
import { ApiError, callApi } from '../api/callApi.ts';
import { type Described, readDescription } from '../api/describedEndpoints.ts';
import { readSession, type Session } from '../api/session.ts';
import { forgetAll } from './remembered.ts';

/** The session, null if nobody is signed in, undefined while that is not known. */
export function useSession(): { readonly session: Session | null | undefined; readonly error: Error | null } {
  const { data, error } = useQuery({
    queryKey: ['session'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      try {
        return readSession((await callApi('/api/session')).body);
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return null;
        throw error;
      }
    },
  });
  return { session: data, error };
}

const overKey = ['session over'];

/** Shows the sign-in in place of the page, because the session has ended. The same token finds the page as it was. */
export function endSession(client: QueryClient): void {
  const session = client.getQueryData<Session | null>(['session']);
  if (session !== null && session !== undefined) client.setQueryData(overKey, session.tokenId);
  client.setQueryData(['session'], null);
}

export function useEndSession(): () => void {
  const client = useQueryClient();
  return useCallback(() => endSession(client), [client]);
}

/** ID of the token whose session has ended without signing out; undefined if there is none. */
export const useTokenOfEndedSession = (): string | undefined => useQueryClient().getQueryData<string>(overKey);

/** Keeps all answers of the service as long as it is on, although no part of the page uses them. */
export function useKeptAnswers(isOn: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isOn) return;
    const releases = client
      .getQueryCache()
      .getAll()
      .map(({ options, queryKey }) =>
        new QueryObserver(client, { ...options, queryKey, enabled: false }).subscribe(() => undefined),
      );
    return () => {
      for (const release of releases) release();
    };
  }, [client, isOn]);
}

/** Exchanges a token or a one-time code for a session. */
export function useSignIn(): (credential: { token: string } | { code: string }) => Promise<void> {
  const client = useQueryClient();
  return useCallback(
    async (credential) => {
      const { body } = await callApi('/api/session', { method: 'POST', body: credential });
      const ofPage = { predicate: ({ queryKey: [name] }: Query) => name !== 'session' && name !== overKey[0] };
      const isSame = readSession(body).tokenId === client.getQueryData(overKey);
      // The page is drawn from the answers that it has until it has new ones; without them, it would lose what was typed.
      if (isSame) await client.invalidateQueries(ofPage);
      else client.removeQueries(ofPage);
      await client.refetchQueries({ queryKey: ['session'] });
      client.removeQueries({ queryKey: overKey });
    },
    [client],
  );
}

/** Ends this session, or every session of the token. Nothing of it stays in the browser. */
export function useSignOut(): (everywhere: boolean) => Promise<void> {
  const client = useQueryClient();
  return useCallback(
    async (everywhere) => {
      await callApi('/api/session', { method: 'DELETE', query: everywhere ? { everywhere: 'true' } : {} });
      forgetAll();
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      client.setQueryData(['session'], null);
    },
    [client],
  );
}

export interface SignedIn {
  readonly session: Session;
  readonly described: Described;
}

export const SignedInContext = createContext<SignedIn | null>(null);

export function useSignedIn(): SignedIn {
  const signedIn = useContext(SignedInContext);
  if (signedIn === null) throw new Error('SignedInContext is missing.');
  return signedIn;
}

/** What the token may call: read once, and again when something was deployed. */
export function useDescription(session: Session | null | undefined) {
  return useQuery({
    queryKey: ['openapi', session?.tokenId],
    enabled: session !== null && session !== undefined,
    staleTime: 60_000,
    queryFn: async ({ signal }) => readDescription((await callApi('/openapi.json', { signal })).body),
  });
}
