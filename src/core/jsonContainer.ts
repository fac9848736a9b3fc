import { isCut, type JsonValue, type ObjectBuilder } from './jsonValue.ts';
import { namingBytes, scalarBytes } from './leastBytes.ts';

/** Shorter arrays keep more room than they need. */
const roomyElements = 16;

/** A container that is being read, and its closing bracket. */
export type Container =
  | (ContainerState & { readonly kind: 'array'; value: JsonValue[] })
  /** `name` is that of the member whose value comes next. */
  | (ContainerState & {
      readonly kind: 'object';
      readonly value: Record<string, JsonValue>;
      readonly builder: ObjectBuilder;
      name: string;
      members: number;
    });

interface ContainerState {
  readonly close: number;
  /** Null if it is in an event, or beside events. */
  readonly aroundEvents: AroundEvents | null;
  /** Bytes of what it holds, at least. */
  bytes: number;
  /** The part of `bytes` of each array and object in it, by name; absent for none, and in an array. */
  bytesWithin?: Map<string, number>;
}

/** An array or object that can hold events, or can be one. */
export interface AroundEvents {
  /** What its elements are, if it is an array; absent if an array cannot be here. */
  readonly elements?: AroundEvents;
  /** What its members are, if it is an object; absent if an object cannot be here. Others hold no events. */
  readonly members?: ReadonlyMap<string, AroundEvents>;
}

/** What can hold no events. */
export const notAroundEvents: AroundEvents = {};

/** The container that begins in the `parent`; null if it can neither be an event nor hold events. */
export function aroundEventsAt(
  parent: Container | undefined,
  outermost: AroundEvents,
  isArray: boolean,
): AroundEvents | null {
  const here = parent === undefined ? outermost : within(parent);
  return (isArray ? here?.elements : here?.members) === undefined ? null : (here ?? null);
}

function within(parent: Container): AroundEvents | undefined {
  return parent.kind === 'array' ? parent.aroundEvents?.elements : parent.aroundEvents?.members?.get(parent.name);
}

/** The value of a container that is complete. An array that grew keeps room for 17 elements, which a copy does not. */
export function closed(container: Container): JsonValue {
  const { kind, value } = container;
  return kind === 'array' && value.length < roomyElements && !isCut(value) ? value.slice() : value;
}

/** Counts a member that is about to be set. Only the last of several members of one name stays. */
export function countMember(
  container: Extract<Container, { kind: 'object' }>,
  value: JsonValue,
  bytes: number,
  isNameCounted: boolean,
): void {
  const { name, value: object } = container;
  const isContainer = typeof value === 'object' && value !== null;
  if (Object.hasOwn(object, name)) {
    const before = object[name] ?? null;
    container.bytes -= container.bytesWithin?.get(name) ?? scalarBytes(before);
    container.bytesWithin?.delete(name);
  } else container.bytes += isNameCounted ? name.length + namingBytes : 1;
  container.bytes += bytes;
  if (isContainer) {
    container.bytesWithin ??= new Map();
    container.bytesWithin.set(name, bytes);
  }
}
