import { type JsonObject, type JsonValue, memberOf } from '../core/jsonValue.ts';
import type { ProjectField } from '../sources/source.ts';
import { quoteValue } from './quoteValue.ts';
import { type RejectedEvent, rejected } from './rejection.ts';
import type { SenderTerms } from './senderTerms.ts';

/** A longer project would not fit in a query parameter. */
const projectBytesMax = 4096;

export type EventProject =
  | {
      readonly kind: 'project';
      readonly project: string;
      /** Whether the metadata member that the stream matches still has to be set to the project. */
      readonly isToBeCopied: boolean;
      /** Whether the event has no project and therefore gets the default one. */
      readonly isDefault: boolean;
    }
  | RejectedEvent;

/**
 * Determines the project of an event (streams.md, row "event"): the stream's matching field, in metadata before the top
 * level; if that is missing (absent, null or empty), top-level `project`; else the default. A field that is present but
 * not text is refused instead of overwritten.
 */
export function eventProject(
  event: JsonObject,
  metadata: JsonObject | null,
  field: ProjectField,
  defaultProject: string | null,
  { giveProject }: Pick<SenderTerms, 'giveProject'>,
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
    `The event has ${wanted} as non-empty text, and no default project is configured. ${giveProject}, or set LOGMILL_DEFAULT_PROJECT.`,
  );
}
