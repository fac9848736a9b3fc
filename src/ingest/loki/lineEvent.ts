import {
  type JsonObject,
  type JsonValue,
  memberNames,
  memberOf,
  newJsonObject,
  setMember,
} from '../../core/jsonValue.ts';
import { instantText } from '../instantText.ts';
import type { LogLine } from './logLine.ts';

/**
 * Converts a line to the event that a JSON sender would have written. Labels and structured metadata are members of
 * metadata; structured metadata wins. The project is the member `project` of either, else the tenant of the request.
 */
export function lineEvent(
  { nanos, line, structuredMetadata }: LogLine,
  labels: JsonObject,
  tenant: string | undefined,
): JsonObject {
  const metadata = merged(labels, structuredMetadata);
  const own = memberOf(metadata, 'project') ?? '';
  const project = own === '' ? (tenant ?? '') : own;
  return {
    ...(nanos === 0n ? {} : { timestamp: instantText(nanos) }),
    event_message: line,
    ...(project === '' ? {} : { project }),
    ...(memberNames(metadata).length === 0 ? {} : { metadata }),
  };
}

function merged(labels: JsonObject, more: JsonObject): JsonObject {
  const names = memberNames(more);
  if (names.length === 0) return labels;
  const all: Record<string, JsonValue> = newJsonObject();
  for (const object of [labels, more]) {
    for (const name of memberNames(object)) setMember(all, name, object[name] ?? null);
  }
  return all;
}
