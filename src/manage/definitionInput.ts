import type { EndpointDefinition } from '../endpoints/definition.ts';
import { definitionError } from '../endpoints/definitionIssue.ts';
import { parseDefinition } from '../endpoints/parseDefinition.ts';

/** A definition to store. */
export interface WantedDefinition {
  readonly definition: EndpointDefinition;
  /** Whether the endpoint is to answer by its name. `false` allows it to share a new name; null (not given) does not. */
  readonly primary: boolean | null;
}

/**
 * Members that the service sets itself. In requests they are ignored, so that clients can change what they read and send
 * it back.
 */
const ownMembers: readonly string[] = ['version', 'created_at', 'updated_at', 'author', 'note'];

/**
 * Parses a definition from the API: the fields of definition files, and `primary`. With `primary: true` the endpoint will
 * answer by its name; with `primary: false` it may share a new name with other endpoints. Throws `definition.invalid`.
 *
 * @param id the id if the definition has none
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

/** The name of a definition in messages. */
export function labelOf(input: unknown): string {
  const { name, id } = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  const label = [name, id].find((each) => typeof each === 'string' && each !== '');
  return typeof label === 'string' ? label.slice(0, 128) : 'of the request';
}

function membersOf(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { ...input };
  throw definitionError('of the request', [{ path: [], problem: 'must be an object of fields' }]);
}

/** Requires an id, because a file that is deployed again must name its endpoint. */
export function withId(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Object.hasOwn(input, 'id')) return input;
  throw definitionError(labelOf(input), [{ path: ['id'], problem: 'is missing' }]);
}

/** Throws `definition.invalid`. */
export function refuseRepeatedIds(wanted: readonly WantedDefinition[]): void {
  const seen = new Set<string>();
  for (const { definition } of wanted) {
    if (seen.has(definition.id)) {
      throw definitionError(definition.name, [{ path: ['id'], problem: `is the ID of two definitions` }]);
    }
    seen.add(definition.id);
  }
}
