import { type JsonObject, type JsonValue, memberOf } from '../core/jsonValue.ts';
import type { ProjectField } from '../sources/source.ts';
import { quoteValue } from './quoteValue.ts';
import { type RejectedEvent, rejected } from './rejection.ts';

/** A project that is longer could not be named in a query parameter. */
const projectBytesMax = 4096;

export type EventProject =
  | {
      readonly kind: 'project';
      readonly project: string;
      /** Whether the member of metadata that the stream matches still has to be set to it. */
      readonly isToBeCopied: boolean;
      /** Whether the event carries none, so that it is the default one. */
      readonly isDefault: boolean;
    }
  | RejectedEvent;

/**
 * The project of an event (streams.md, row "event"): the stream's matching field, inside metadata
 * before the top level; where it is missing (absent, null or empty), top-level `project`; else the
 * default. A field that is there but is no text is refused rather than written over.
 */
export function eventProject(
  event: JsonObject,
  metadata: JsonObject | null,
  field: ProjectField,
  defaultProject: string | null,
): EventProject {
  const places: { readonly place: string; readonly value: JsonValue }[] = [];
  if (field.kind === 'metadata') {
    const inside = metadata === null ? undefined : memberOf(metadata, field.member);
    places.push({ place: `metadata.${field.member}`, value: inside ?? null });
    places.push({ place: field.member, value: memberOf(event, field.member) ?? null });
  }
  places.push({ place: 'project', value: memberOf(event, 'project') ?? null });
  for (const [order, { place, value }] of places.entries()) {
    if (value === null || value === '') continue;
    if (typeof value !== 'string') {
      return rejected('event.project_missing', `${place} is ${quoteValue(value)}; the project must be non-empty text.`);
    }
    if (Buffer.byteLength(value) > projectBytesMax) {
      return rejected('event.project_too_long', `${place} is longer than ${projectBytesMax} bytes.`);
    }
    return { kind: 'project', project: value, isToBeCopied: field.kind === 'metadata' && order > 0, isDefault: false };
  }
  if (defaultProject !== null) {
    return { kind: 'project', project: defaultProject, isToBeCopied: field.kind === 'metadata', isDefault: true };
  }
  const wanted = field.kind === 'metadata' ? `neither metadata.${field.member} nor project` : 'no project';
  return rejected(
    'event.project_missing',
    `The event has ${wanted} as non-empty text, and no default project is configured. Give it a member "project", or set LOGMILL_DEFAULT_PROJECT.`,
  );
}
