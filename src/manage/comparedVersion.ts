import type { EndpointDefinition } from '../endpoints/definition.ts';
import type { EndpointDescription } from '../invoke/describe.ts';

/** A version of a definition, with its description; null if its query no longer compiles. */
export interface ComparedVersion {
  /** The label in the diff of the query: `version 3`. */
  readonly label: string;
  readonly definition: EndpointDefinition;
  /** Whether the endpoint answers by its name. */
  readonly primary: boolean;
  readonly description: EndpointDescription | null;
}
