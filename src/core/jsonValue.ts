/**
 * A JSON value without the losses of JavaScript: integers beyond 2^53 are bigints, and members with integer names keep
 * their order (see `setMember`).
 */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** Key of the member order, for objects with a name that JavaScript would move to the front. */
const memberOrder = Symbol('memberOrder');

type OrderedObject = Record<string, JsonValue> & { [memberOrder]?: string[] };

const arrayIndexName = /^(?:0|[1-9]\d{0,9})$/;

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Like Array.isArray, which does not narrow to read-only arrays. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A new object, for `setMember`. */
export function newJsonObject(): Record<string, JsonValue> {
  return {};
}

/** The object's own member; undefined if there is none. */
export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Key that marks an object whose members were not all read. */
const membersLeftOut = Symbol('membersLeftOut');

type CutObject = JsonObject & { [membersLeftOut]?: true };

/** Marks an object whose text has more members than were read. */
export function markMembersLeftOut(object: JsonObject): void {
  if (!hasMembersLeftOut(object)) Object.defineProperty(object, membersLeftOut, { value: true, enumerable: false });
}

/** Whether the text of the object has more members than were read. Check this before listing names, which takes long. */
export function hasMembersLeftOut(object: JsonObject): boolean {
  return (object as CutObject)[membersLeftOut] === true;
}

/** The names in the order of the text. */
export function memberNames(object: JsonObject): readonly string[] {
  return (object as OrderedObject)[memberOrder] ?? Object.keys(object);
}

/** Whether the order of members may differ from that of `Object.keys`. */
export function hasOwnOrder(object: JsonObject): boolean {
  return (object as OrderedObject)[memberOrder] !== undefined;
}

/** Removes the member, if there is one. */
export function removeMember(object: Record<string, JsonValue>, name: string): void {
  if (!Object.hasOwn(object, name)) return;
  const order = (object as OrderedObject)[memberOrder];
  if (order !== undefined) order.splice(order.indexOf(name), 1);
  delete object[name];
}

/**
 * Sets a member of a JSON object: `__proto__` is an ordinary name, and integer names keep their place in the text. An
 * existing name keeps its place.
 */
export function setMember(object: Record<string, JsonValue>, name: string, value: JsonValue): void {
  const ordered: OrderedObject = object;
  const order = ordered[memberOrder];
  if (order !== undefined) {
    if (!Object.hasOwn(object, name)) order.push(name);
  } else if (arrayIndexName.test(name) && !Object.hasOwn(object, name)) {
    Object.defineProperty(ordered, memberOrder, { value: [...Object.keys(object), name], enumerable: false });
  }
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}
