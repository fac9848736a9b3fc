import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext } from 'react';
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

/** Shows the sign-in in place of the page, because the session has ended: the page is where it was after signing in. */
export function endSession(client: QueryClient): void {
  client.setQueryData(overKey, true);
  client.setQueryData(['session'], null);
}

export function useEndSession(): () => void {
  const client = useQueryClient();
  return useCallback(() => endSession(client), [client]);
}

/** Whether a session has ended that nobody signed out of. */
export const useIsSessionOver = (): boolean => useQueryClient().getQueryData(overKey) === true;

/** Exchanges a token or a one-time code for a session. */
export function useSignIn(): (credential: { token: string } | { code: string }) => Promise<void> {
  const client = useQueryClient();
  return useCallback(
    async (credential) => {
      await callApi('/api/session', { method: 'POST', body: credential });
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      await client.refetchQueries({ queryKey: ['session'] });
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
