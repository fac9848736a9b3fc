import type { LqlQuery } from '../query.ts';

/** The query without the places of its clauses, to compare two spellings of one query. */
export function withoutPlaces(query: LqlQuery): unknown {
  return JSON.parse(JSON.stringify(query, (key, value: unknown) => (key === 'pos' ? undefined : value)));
}
