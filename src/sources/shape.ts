/** The declared form of a nested value. Any object may be missing, and unknown members may occur. */
export type Shape =
  | { readonly kind: 'object'; readonly members: Readonly<Record<string, Shape>> }
  | { readonly kind: 'array'; readonly element: Shape }
  | { readonly kind: 'string' | 'number' | 'boolean' };

type Notation = 's' | 'n' | 'b' | readonly [Notation] | { readonly [member: string]: Notation };
export type ObjectNotation = { readonly [member: string]: Notation };

/** Reads the short notation of streams.md: `s` string, `n` number, `b` boolean, `[x]` array, `{…}` object. */
export function shapeOf(notation: ObjectNotation): Extract<Shape, { kind: 'object' }> {
  const members: Record<string, Shape> = {};
  for (const [name, member] of Object.entries(notation)) members[name] = memberShape(member);
  return { kind: 'object', members };
}

function memberShape(notation: Notation): Shape {
  if (notation === 's') return { kind: 'string' };
  if (notation === 'n') return { kind: 'number' };
  if (notation === 'b') return { kind: 'boolean' };
  if (isArrayNotation(notation)) return { kind: 'array', element: memberShape(notation[0]) };
  return shapeOf(notation as ObjectNotation);
}

function isArrayNotation(notation: Notation): notation is readonly [Notation] {
  return Array.isArray(notation);
}

/** The shape at a path below `shape`; undefined if nothing is declared there. */
export function shapeAt(shape: Shape, path: readonly string[]): Shape | undefined {
  let at: Shape | undefined = shape;
  for (const step of path) {
    if (at?.kind !== 'object') return undefined;
    at = Object.hasOwn(at.members, step) ? at.members[step] : undefined;
  }
  return at;
}
