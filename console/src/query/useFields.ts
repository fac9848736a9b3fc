import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/callApi.ts';
import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import type { Answers } from '../api/types.ts';
import { useDebounced } from '../parts/useDebounced.ts';
import { tablesIn } from './readTables.ts';

export type Fields = Answers['endpoints.fields'];
export type FunctionDoc = Answers['functions.list']['functions'][number];

/** Tables whose fields are asked for at once: the service reads up to 2,000 rows of each. */
const tablesMax = 3;
const fieldsMax = '1000';
const settleMs = 600;

/** The same each time, so that nothing is made anew while nothing is known. */
const noFields: readonly Fields[] = [];
const noFunctions: readonly FunctionDoc[] = [];

/** What the tables in a text hold: columns and members, with how often. Asked for once the text and the parameters rest. */
export function useFields(
  endpoint: DescribedEndpoint,
  draft: string,
  values: Readonly<Record<string, string>>,
  isReady: boolean,
): readonly Fields[] {
  const parameters = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const wanted = JSON.stringify([tablesIn(draft, endpoint.tables).slice(0, tablesMax), parameters]);
  const settled = useDebounced(wanted, settleMs);
  const { data } = useQuery({
    queryKey: ['fields', endpoint.id, settled],
    enabled: isReady && settled === wanted,
    staleTime: 300_000,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<readonly Fields[]> => {
      const [tables, given] = JSON.parse(settled) as [readonly string[], Readonly<Record<string, string>>];
      const found: Fields[] = [];
      for (const prefix of tables) {
        const query = { ...given, prefix, limit: fieldsMax };
        found.push(await bodyOf<'endpoints.fields'>(`/api/endpoints/${endpoint.id}/fields`, { query, signal }));
      }
      return found;
    },
  });
  return data ?? noFields;
}

/** The functions of the dialect, from the service. */
export function useFunctions(): readonly FunctionDoc[] {
  const { data } = useQuery({
    queryKey: ['functions'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => await bodyOf<'functions.list'>('/api/functions', { signal }),
  });
  return data?.functions ?? noFunctions;
}
