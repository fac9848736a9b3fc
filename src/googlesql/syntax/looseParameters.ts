import type { Query } from './nodes.ts';

interface Node {
  readonly kind: string;
}

/** Names of columns that redaction leaves as they are, or that may be asked for. */
interface FreeNames {
  /** Of the columns and members that hold an event's project. */
  readonly projects: ReadonlySet<string>;
  /** Whether an `id` that is asked to be equal says nothing of other texts. */
  readonly isIdAlone: boolean;
}

/**
 * The parameters of a stored query that its text uses in any way but the few that say nothing of an event's
 * texts: beside literals alone in a condition, compared with the time or the project of an event, or equal to an `id`
 * that meets no other text. It goes by the names in the text and knows nothing of what they stand for. Gives them in
 * lower case: a text may write the name of a parameter in any case.
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
 * Whether an `id` stands beside another name in one operation. Senders choose ids: who sent an event whose id is a
 * guess, and asks for that id, would have the guess compared with the other name's text.
 */
function idMeetsOthers(node: Node, projects: ReadonlySet<string>): boolean {
  if (isExpression(node) && !containers.has(node.kind)) {
    const paths = pathsIn(node);
    const isOther = (path: string) => path !== 'id' && path !== 'timestamp' && !projects.has(path);
    if (paths.includes('id') && paths.some(isOther)) return true;
  }
  return childrenOf(node).some((child) => idMeetsOthers(child, projects));
}

/** They hold what they are made of side by side; what is done inside them is looked at by itself. */
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

/** `way` begins with the parameter itself. */
function isHarmless(way: readonly Node[], free: FreeNames): boolean {
  for (const [i, node] of way.entries()) {
    const below = way[i - 1];
    if (below === undefined) continue;
    const others = childrenOf(node).filter((child) => child !== below);
    const paths = others.flatMap(pathsIn);
    // A condition stands by itself; what other conditions say is not compared with it.
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

/** Nodes that can hold a parameter and are part of one value. */
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

/** Whether all names in an operand of a comparison are of times and projects, or it is an `id` that is asked to be equal. */
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
