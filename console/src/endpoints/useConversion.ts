import { keepPreviousData, type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/callApi.ts';
import type { Json } from '../api/losslessJson.ts';
import type { Answers } from '../api/types.ts';

export type Conversion = Answers['endpoints.convert'];
export type ProposedParameter = Conversion['parameters'][number];

/** A caller query, and the endpoint over whose tables it is. */
export interface CallerQuery {
  readonly endpoint: string;
  readonly language: 'sql' | 'lql';
  readonly text: string;
}

/** What was decided about a proposed parameter; the names are those of the API. */
export interface ParameterChoice {
  readonly on: boolean;
  readonly name: string;
  readonly type: string;
  readonly default?: string;
  readonly required?: boolean;
}

export interface Wanted {
  readonly name: string;
  readonly description: string;
  /** By proposed names; null for what the service proposes. */
  readonly parameters: Readonly<Record<string, ParameterChoice>> | null;
}

const conversionOf = ({ endpoint, language, text }: CallerQuery, wanted: Wanted | null) =>
  queryOptions({
    queryKey: ['convert', endpoint, language, text, wanted],
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Conversion> => {
      const body = {
        endpoint,
        [language]: text,
        ...(wanted === null ? {} : { name: wanted.name, description: wanted.description }),
        ...(wanted?.parameters == null ? {} : { parameters: wanted.parameters as unknown as Json }),
      };
      return await bodyOf<'endpoints.convert'>('/api/endpoints/convert', { method: 'POST', body, signal });
    },
  });

/** The query in other forms, as the service proposes it, or with what was decided. */
export function useConversion(query: CallerQuery, wanted: Wanted | null, isWanted = true) {
  const options = conversionOf(query, wanted);
  return useQuery({ ...options, enabled: isWanted && query.text !== '', placeholderData: keepPreviousData });
}

/** The same, once. */
export const convertOnce = async (client: QueryClient, query: CallerQuery, wanted: Wanted): Promise<Conversion> =>
  await client.fetchQuery(conversionOf(query, wanted));
