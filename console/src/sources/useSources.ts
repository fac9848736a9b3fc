import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/callApi.ts';
import { useSignedIn } from '../shell/session.ts';

/** The sources that the token may see. Asks nothing for tokens that may not list them. */
export function useSources() {
  const { described } = useSignedIn();
  return useQuery({
    queryKey: ['sources'],
    enabled: described.operations.has('sources.list'),
    queryFn: async ({ signal }) => await bodyOf<'sources.list'>('/api/sources', { signal }),
  });
}
