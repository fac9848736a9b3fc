import type { Query } from './nodes.ts';

interface Node {
  readonly kind: string;
}

/** Names of columns that redaction does not change, or whose equality may be tested. */
interface FreeNames {
  /** Names of the columns and members that hold an event's project. */
  readonly projects: ReadonlySet<string>;
  /** Whether testing an `id` for equality reveals nothing about other texts. */
  readonly isIdAlone: boolean;
}

/**
 * The parameters of a stored query whose use could reveal texts of an event, in lower case. Safe uses are: a condition on
 * the parameter and literals only, a comparison with the time or project of an event, and equality with an `id` that is
 * not combined with another text. Judges by the names in the text, without resolving them.
 */
export function looseParameters(
  query: Query,
  { projects }: { readonly projects: ReadonlySet<string> },
): ReadonlySet<string> {
  const free = { projects, isIdAlone: !idMeetsOthers(query, projects) };
  const loose = new Set<string>();
  visit(query, [], (name, way) => {
    if (!isHarmless(way, free)) loose.add(name.toLowerCase());
  });
  return loose;
}

/**
 * Whether an operation combines an `id` with another name. Senders choose ids: someone could send an event whose id is a
 * guess, ask for that id, and so have the guess compared with the text of the other name.
 */
function idMeetsOthers(node: Node, projects: ReadonlySet<string>): boolean {
  if (isExpression(node) && !containers.has(node.kind)) {
    const paths = pathsIn(node);
    const isOther = (path: string) => path !== 'id' && path !== 'timestamp' && !projects.has(path);
    if (paths.includes('id') && paths.some(isOther)) return true;
  }
  return childrenOf(node).some((child) => idMeetsOthers(child, projects));
}

/** Nodes that contain values without combining them; operations inside them are checked separately. */
const containers: ReadonlySet<string> = new Set([
  'FieldAccess',
  'ArrayConstructor',
  'StructArgument',
  'StructConstructor',
  'ArraySubquery',
  'ScalarSubquery',
  'Exists',
]);

/** Calls `found` for every parameter with the nodes around it, innermost first. */
function visit(node: Node, around: readonly Node[], found: (name: string, way: readonly Node[]) => void): void {
  const way = [node, ...around];
  if (node.kind === 'Parameter') found((node as unknown as { readonly name: string }).name, way);
  for (const child of childrenOf(node)) visit(child, way, found);
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node)
    .flatMap((value: unknown) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter(isNode);
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'kind' in value;

/** Whether a use of a parameter is safe. `way` holds the parameter, then the nodes around it. */
function isHarmless(way: readonly Node[], free: FreeNames): boolean {
  for (const [i, node] of way.entries()) {
    const below = way[i - 1];
    if (below === undefined) continue;
    const others = childrenOf(node).filter((child) => child !== below);
    const paths = others.flatMap(pathsIn);
    // A condition is independent: other conditions are not compared with it.
    if (node.kind === 'Logical') return isCondition(below);
    if (isComparison(node) && paths.length > 0) return others.every((other) => isFree(other, node, free));
    if (node.kind === 'Case' || node.kind === 'CaseBranch') continue;
    if (!isExpression(node)) return isCondition(below);
    if (paths.length > 0) return false;
  }
  return false;
}

const comparisonOperators: ReadonlySet<unknown> = new Set(['=', '!=', '<', '<=', '>', '>=']);

const isComparison = (node: Node): boolean =>
  node.kind === 'Between' ||
  node.kind === 'InList' ||
  (node.kind === 'Binary' && comparisonOperators.has((node as unknown as { readonly operator: unknown }).operator));

const isCondition = (node: Node): boolean => isComparison(node) || conditions.has(node.kind);

const conditions: ReadonlySet<string> = new Set(['Logical', 'Is', 'Unary']);

/** Nodes that can contain a parameter and are part of one value. */
const expressions: ReadonlySet<string> = new Set([
  'Interval',
  'FieldAccess',
  'Subscript',
  'Unary',
  'Binary',
  'Is',
  'IsDistinctFrom',
  'Between',
  'Like',
  'LikeList',
  'LikeUnnest',
  'LikeSubquery',
  'InList',
  'InUnnest',
  'InSubquery',
  'Cast',
  'Extract',
  'NamedArgument',
  'FunctionCall',
  'ArrayConstructor',
  'StructArgument',
  'StructConstructor',
  'Tuple',
  'ArraySubquery',
  'ScalarSubquery',
  'Exists',
]);

const isExpression = ({ kind }: Node): boolean => expressions.has(kind);

/** Whether an operand of a comparison names only times and projects, or is an `id` that is tested for equality. */
function isFree(operand: Node, comparison: Node, free: FreeNames): boolean {
  const paths = pathsIn(operand);
  const isEquality =
    comparison.kind === 'InList' ||
    (comparison.kind === 'Binary' && (comparison as unknown as { readonly operator: unknown }).operator === '=');
  const [only] = paths;
  if (free.isIdAlone && isEquality && only === 'id' && isPath(operand)) return true;
  return paths.every((path) => path === 'timestamp' || free.projects.has(path));
}

const isPath = ({ kind }: Node): boolean => kind === 'Name' || kind === 'FieldAccess';

/** The last names of the paths below a node, in lower case. */
function pathsIn(node: Node): readonly string[] {
  if (node.kind === 'Name') return [nameIn(node, 'name')];
  if (node.kind === 'FieldAccess') return [nameIn(node, 'field')];
  return childrenOf(node).flatMap(pathsIn);
}

const nameIn = (node: Node, member: 'name' | 'field'): string =>
  (node as unknown as Record<'name' | 'field', { readonly name: string }>)[member].name.toLowerCase();
