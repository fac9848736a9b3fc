import { isJsonArray, isJsonObject, type JsonValue, memberOf, removeMember, setMember } from '../../core/jsonValue.ts';

/**
 * Converts a document to the event that a JSON sender would have written. Its ID is the `_id` of the action, and its
 * time is `@timestamp` if it has one. So a member `id` is data, and beside `@timestamp` a member `timestamp` is too: both
 * belong to metadata.
 *
 * Nobody else holds the document, so it is changed in place.
 */
export function bulkEvent(document: JsonValue, id: string | undefined): JsonValue {
  if (!isJsonObject(document)) return document;
  const event = document as Record<string, JsonValue>;
  moveToMetadata(event, 'id');
  if ((memberOf(event, '@timestamp') ?? null) !== null) moveToMetadata(event, 'timestamp');
  if (id !== undefined) setMember(event, 'id', id);
  return event;
}

/** Metadata that is neither an object nor a list of one is left alone, because the event is rejected for it. */
function moveToMetadata(event: Record<string, JsonValue>, name: string): void {
  const value = memberOf(event, name);
  if (value === undefined) return;
  removeMember(event, name);
  const sent = memberOf(event, 'metadata') ?? null;
  const metadata = isJsonArray(sent) && sent.length === 1 ? (sent[0] ?? null) : sent;
  if (metadata !== null && !isJsonObject(metadata)) return;
  if (metadata !== null && Object.hasOwn(metadata, name)) return;
  if (metadata === null) setMember(event, 'metadata', { [name]: value });
  else setMember(metadata as Record<string, JsonValue>, name, value);
}
