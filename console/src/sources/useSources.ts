import { useQuery } from '@tanstack/react-query';
import { callApi } from '../api/callApi.ts';
import type { Answers } from '../api/types.ts';
import { useSignedIn } from '../shell/session.ts';

/** The sources that the token may see. Asks nothing for tokens that may not list them. */
export function useSources() {
  const { described } = useSignedIn();
  return useQuery({
    queryKey: ['sources'],
    enabled: described.operations.has('sources.list'),
    queryFn: async ({ signal }) =>
      (await callApi('/api/sources', { signal })).body as unknown as Answers['sources.list'],
  });
}
