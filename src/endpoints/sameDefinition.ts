import type { EndpointDefinition } from './definition.ts';
import { formatDefinition } from './parseDefinition.ts';

/** Whether two definitions are the same in every field, the order of their parameters included. */
export function isSameDefinition(a: EndpointDefinition, b: EndpointDefinition): boolean {
  return JSON.stringify(formatDefinition(a)) === JSON.stringify(formatDefinition(b));
}
