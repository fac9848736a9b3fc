/**
 * A JSON value that keeps what JavaScript's own loses: integers beyond 2^53 are bigints, and the
 * order of members with integer names is remembered (see `setMember`).
 */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** Where an object keeps the order of its members once it has a name that JavaScript would move to the front. */
const memberOrder = Symbol('memberOrder');

type OrderedObject = Record<string, JsonValue> & { [memberOrder]?: string[] };

const arrayIndexName = /^(?:0|[1-9]\d{0,9})$/;

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** As Array.isArray, which does not narrow a read-only array. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** An object to be filled with `setMember`. */
export function newJsonObject(): Record<string, JsonValue> {
  return {};
}

/** The member, or undefined where there is none; never something inherited. */
export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Where an object tells that it has more members than its reader gave it. */
const membersLeftOut = Symbol('membersLeftOut');

type CutObject = JsonObject & { [membersLeftOut]?: true };

/** Notes that the object was written with more members than it has. */
export function markMembersLeftOut(object: JsonObject): void {
  if (!hasMembersLeftOut(object)) Object.defineProperty(object, membersLeftOut, { value: true, enumerable: false });
}

/** Whether the object was written with more members than it has. Their names, which take long to list, need no look. */
export function hasMembersLeftOut(object: JsonObject): boolean {
  return (object as CutObject)[membersLeftOut] === true;
}

/** The names in the order in which they were written. */
export function memberNames(object: JsonObject): readonly string[] {
  return (object as OrderedObject)[memberOrder] ?? Object.keys(object);
}

/** Whether the order of the members differs from what `Object.keys` would say. */
export function hasOwnOrder(object: JsonObject): boolean {
  return (object as OrderedObject)[memberOrder] !== undefined;
}

/** The same object without the member. */
export function removeMember(object: Record<string, JsonValue>, name: string): void {
  if (!Object.hasOwn(object, name)) return;
  const order = (object as OrderedObject)[memberOrder];
  if (order !== undefined) order.splice(order.indexOf(name), 1);
  delete object[name];
}

/**
 * Sets a member as JSON means it: `__proto__` is a name like any other, and integer names stay
 * where they were written. A name that is there already keeps its place.
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
