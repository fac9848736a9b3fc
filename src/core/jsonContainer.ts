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
  /** Whether it can be an event or hold events. */
  readonly isAroundEvents: boolean;
  /** Bytes of what it holds, at least. */
  bytes: number;
  /** The part of `bytes` of each array and object in it, by name; absent for none, and in an array. */
  bytesWithin?: Map<string, number>;
}

/** Whether a container that begins here can be an event or hold events. Only the outermost three can. */
export function canBeAroundEvents([outermost, second]: readonly Container[], isArray: boolean): boolean {
  if (outermost === undefined) return true;
  if (outermost.kind === 'array') return second === undefined && !isArray;
  if (second === undefined) return isArray && outermost.name === 'batch';
  return second.kind === 'array' && second.isAroundEvents && !isArray;
}

/** The value of a container that is complete. An array that grew keeps room for 17 elements, which a copy does not. */
export function closed(container: Container): JsonValue {
  const { kind, value } = container;
  return kind === 'array' && value.length < roomyElements && !isCut(value) ? value.slice() : value;
}

/** Counts a member that is about to be set. Only the last of several members of one name stays. */
export function countMember(container: Extract<Container, { kind: 'object' }>, value: JsonValue, bytes: number): void {
  const { name, value: object } = container;
  const isContainer = typeof value === 'object' && value !== null;
  if (Object.hasOwn(object, name)) {
    const before = object[name] ?? null;
    container.bytes -= container.bytesWithin?.get(name) ?? scalarBytes(before);
    container.bytesWithin?.delete(name);
  } else container.bytes += name.length + namingBytes;
  container.bytes += bytes;
  if (isContainer) {
    container.bytesWithin ??= new Map();
    container.bytesWithin.set(name, bytes);
  }
}
