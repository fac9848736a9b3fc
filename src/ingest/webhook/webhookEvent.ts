import { isCut, isJsonArray, isJsonObject, type JsonObject, type JsonValue, memberOf } from '../../core/jsonValue.ts';
import { BadRecord } from '../badRecord.ts';
import { bytesAtLeast } from '../eventSize.ts';
import { quoteValue } from '../quoteValue.ts';
import type { MemberPath, Webhook } from './webhook.ts';

/** The declared parts of an event, or of the body around it; undefined where a member is missing or null. */
export interface EventParts {
  readonly timestamp: JsonValue | undefined;
  readonly event_message: JsonValue | undefined;
  readonly id: JsonValue | undefined;
  readonly project: JsonValue | undefined;
}

/** The events of a body. Without an array at the declared path, the whole body is one event. */
export function eventsIn(body: JsonValue, { events }: Webhook['mapping']): readonly JsonValue[] {
  const found = events === null ? body : valueAt(body, events);
  return isJsonArray(found) ? found : [body];
}

export function partsOf(value: JsonValue, { mapping, project }: Webhook): EventParts {
  const at = (path: MemberPath | null): JsonValue | undefined =>
    path === null ? undefined : (valueAt(value, path) ?? undefined);
  const id = at(mapping.id);
  const time = at(mapping.time);
  return {
    timestamp: time === undefined ? undefined : timeOf(time),
    event_message: at(mapping.message),
    id: typeof id === 'number' || typeof id === 'bigint' ? String(id) : id,
    project: project.kind === 'fixed' ? project.project : at(project.path),
  };
}

/** Bytes that the parts add to each event that gets them, at least. Counts no further than it takes to exceed `bytesMax`. */
export function bytesOfParts(parts: EventParts, bytesMax: number): number {
  const bytesOf = (part: JsonValue | undefined): number => {
    if (typeof part === 'string') return Buffer.byteLength(part);
    return isJsonArray(part) || isJsonObject(part) ? bytesAtLeast({ event_message: part }, bytesMax) : 8;
  };
  return Object.values(parts).reduce<number>((sum, part) => sum + bytesOf(part), 0);
}

/**
 * Converts one event of a delivery to the event that a JSON sender would have written. What is sent is the metadata; the
 * declaration says which members of it, or else of the body, are the time, the message, the ID and the project.
 */
export function webhookEvent(sent: JsonObject, shared: EventParts, webhook: Webhook): JsonObject {
  const own = partsOf(sent, webhook);
  refuseOtherProject(sent, own.project ?? shared.project, webhook);
  const parts: readonly (readonly [string, JsonValue | undefined])[] = [
    ['timestamp', own.timestamp ?? shared.timestamp],
    ['event_message', own.event_message ?? shared.event_message],
    ['id', own.id ?? shared.id],
    ['project', own.project ?? shared.project],
    ['metadata', sent],
  ];
  return Object.fromEntries(parts.flatMap(([name, part]) => (part === undefined ? [] : [[name, part] as const])));
}

/** The member that gives events of the source their project counts before any other, so it must not name another one. */
function refuseOtherProject(sent: JsonObject, project: JsonValue | undefined, { projectField }: Webhook): void {
  if (projectField.kind !== 'metadata' || project === undefined) return;
  const named = memberOf(sent, projectField.member) ?? '';
  if (named === '' || named === project) return;
  throw new BadRecord(
    `its member ${projectField.member} is ${quoteValue(named)}, which gives it another project than the webhook does, ${quoteValue(project)}`,
    'event.project_forbidden',
  );
}

/**
 * Undefined if a member on the way is missing.
 *
 * @throws BadRecord if it may be among those that were not read
 */
function valueAt(value: JsonValue, path: MemberPath): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const name of path) {
    if (!isJsonObject(at)) return undefined;
    if (isCut(at) && !Object.hasOwn(at, name))
      throw new BadRecord(`it has too many members to find ${quoteValue(name)}`);
    at = memberOf(at, name);
  }
  return at;
}

/** Digits in quotes, as many senders write times, and seconds with a fraction are read like numbers. */
function timeOf(value: JsonValue): JsonValue {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const [, seconds, fraction] = /^(\d{10})\.(\d{1,9})$/.exec(text) ?? [];
  if (seconds !== undefined && fraction !== undefined)
    return Number(`${seconds}${fraction.padEnd(6, '0').slice(0, 6)}`);
  return typeof value === 'string' && /^\d{10,19}$/.test(value) ? BigInt(value) : value;
}
