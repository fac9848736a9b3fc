import type { EndpointDefinition } from './definition.ts';
import { formatDefinition } from './parseDefinition.ts';

/**
 * Whether two definitions are the same in every field, the order of their parameters included. White space at the end of a
 * query does not count: editors put a line end there, or take it away.
 */
export function isSameDefinition(a: EndpointDefinition, b: EndpointDefinition): boolean {
  return textOf(a) === textOf(b);
}

function textOf(definition: EndpointDefinition): string {
  return JSON.stringify(formatDefinition({ ...definition, query: definition.query.trimEnd() }));
}
