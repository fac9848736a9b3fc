import type { EndpointDefinition } from './definition.ts';
import { formatDefinition } from './parseDefinition.ts';

/**
 * Whether two definitions are equal in every field, including the order of parameters. White space at the end of a query
 * does not count, because editors add or remove a line end there.
 */
export function isSameDefinition(a: EndpointDefinition, b: EndpointDefinition): boolean {
  return textOf(a) === textOf(b);
}

function textOf(definition: EndpointDefinition): string {
  return JSON.stringify(formatDefinition({ ...definition, query: definition.query.trimEnd() }));
}
