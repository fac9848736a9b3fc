/**
 * A JSON value without the losses of JavaScript: integers beyond 2^53 are bigints, and members with integer names keep
 * their order (see `setMember`).
 */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/**
 * Key of the names in their order, for objects with a name that JavaScript would move to the front, and for objects with
 * many members.
 */
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

/** From this number of members on, JavaScript takes milliseconds to list the names of an object. */
const manyMembers = 1_000;

/** Builds an object member by member. Listing the names of the result is fast, however many there are. */
export class ObjectBuilder {
  readonly object: Record<string, JsonValue> = newJsonObject();
  #added = 0;

  /** Sets a member like `setMember`. */
  set(name: string, value: JsonValue): void {
    if (++this.#added === manyMembers) keepOrder(this.object);
    setMember(this.object, name, value);
  }
}

/** The object's own member; undefined if there is none. */
export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Key that marks an object or array that was not read to its end. */
const cut = Symbol('cut');

/** Marks an object or array whose text has more members or elements than were read. */
export function markCut(container: JsonObject | readonly JsonValue[]): void {
  if (!isCut(container)) Object.defineProperty(container, cut, { value: true, enumerable: false });
}

/** Whether the text of the object or array has more members or elements than were read. */
export function isCut(container: JsonObject | readonly JsonValue[]): boolean {
  return (container as { [cut]?: true })[cut] === true;
}

/** The names in the order of the text. */
export function memberNames(object: JsonObject): readonly string[] {
  return (object as OrderedObject)[memberOrder] ?? Object.keys(object);
}

/** Whether the order of members may differ from that of `Object.keys`. */
export function hasOwnOrder(object: JsonObject): boolean {
  return (object as OrderedObject)[memberOrder] !== undefined;
}

/** Whether the object has a member. Does not list the names, because there can be very many. */
export function hasMembers(object: JsonObject): boolean {
  const order = (object as OrderedObject)[memberOrder];
  if (order !== undefined) return order.length > 0;
  for (const name in object) if (Object.hasOwn(object, name)) return true;
  return false;
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
    keepOrder(object).push(name);
  }
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

/** Makes the object keep its names in their order from now on. Returns the names. */
function keepOrder(object: OrderedObject): string[] {
  const known = object[memberOrder];
  if (known !== undefined) return known;
  const order = Object.keys(object);
  Object.defineProperty(object, memberOrder, { value: order, enumerable: false });
  return order;
}
