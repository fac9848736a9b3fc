/** A query of the caller's own over the tables of the endpoint. */
export interface CallerQuery {
  readonly language: 'sql' | 'lql';
  readonly text: string;
}
