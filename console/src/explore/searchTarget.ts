import type { DescribedEndpoint } from '../api/describedEndpoints.ts';

/** What is searched: the rows of one table of an endpoint, in one project. */
export interface SearchTarget {
  readonly endpoint: DescribedEndpoint;
  /** Parameters of the call: the project, if the endpoint has one. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly table: string;
}

/** Longest text of a cell; the whole event is read when a row is opened. */
export const cellCharsMax = 300;
