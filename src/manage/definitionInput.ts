import type { EndpointDefinition } from '../endpoints/definition.ts';
import { definitionError } from '../endpoints/definitionIssue.ts';
import { parseDefinition } from '../endpoints/parseDefinition.ts';

/** A definition that somebody wants. */
export interface WantedDefinition {
  readonly definition: EndpointDefinition;
  /** Whether it shall answer by its name. `false` lets it share a name that it does not have yet; null says nothing, and lets it not. */
  readonly primary: boolean | null;
}

/**
 * Members that the service sets itself. They are passed over where they come back, so that what was
 * read can be changed and sent again.
 */
const ownMembers: readonly string[] = ['version', 'created_at', 'updated_at', 'author', 'note'];

/**
 * A definition as the API takes it: the fields of definition files, and `primary: true` to have it
 * answer by its name. `primary: false` makes a namesake of one with a new name and asks nothing of any other: some endpoint
 * always answers. Throws `definition.invalid`.
 *
 * @param id for a definition that names none
 */
export function readDefinition(input: unknown, id: string): WantedDefinition {
  const given = membersOf(input);
  const label = labelOf(given);
  const { primary, ...others } = given;
  if (primary !== undefined && typeof primary !== 'boolean') {
    throw definitionError(label, [{ path: ['primary'], problem: 'must be true or false' }]);
  }
  const fields = Object.fromEntries(Object.entries(others).filter(([name]) => !ownMembers.includes(name)));
  return { primary: primary ?? null, definition: parseDefinition({ id, ...fields }, { label }) };
}

/** How messages name what was sent. */
export function labelOf(input: unknown): string {
  const { name, id } = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  const label = [name, id].find((each) => typeof each === 'string' && each !== '');
  return typeof label === 'string' ? label.slice(0, 128) : 'of the request';
}

function membersOf(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { ...input };
  throw definitionError('of the request', [{ path: [], problem: 'must be an object of fields' }]);
}
