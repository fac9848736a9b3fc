/** A query that the caller sent, over the tables of the endpoint. */
export interface CallerQuery {
  readonly language: 'sql' | 'lql';
  readonly text: string;
}
