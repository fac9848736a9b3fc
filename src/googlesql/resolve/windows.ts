import { nearestName } from '../../core/nearestName.ts';
import type {
  FrameBound as FrameBoundNode,
  NamedWindow,
  Position,
  Window,
  WindowFrame as WindowFrameNode,
  WindowSpecification,
} from '../syntax/nodes.ts';
import { FLOAT64, INT64, type SqlType } from '../types.ts';
import { coerce, coercionCost } from './coercion.ts';
import type { ExpressionContext } from './context.ts';
import { holdsSubquery } from './holdsSubquery.ts';
import { resolveOrdering } from './ordering.ts';
import { sqlError } from './sqlError.ts';
import type { Expr, SortKey, WindowFrame } from './tree.ts';

export interface ResolvedWindow {
  readonly partitionBy: readonly Expr[];
  readonly orderBy: readonly SortKey[];
  readonly frame: WindowFrame | null;
}

/**
 * The windows of a WINDOW clause by lower-case name. Each may extend those before it. They are returned complete, so a
 * lookup cannot be circular. Throws `sql.*` at the window.
 */
export function namedWindowsOf(windows: readonly NamedWindow[]): ReadonlyMap<string, WindowSpecification> {
  const known = new Map<string, WindowSpecification>();
  for (const { name, window } of windows) {
    const key = name.name.toLowerCase();
    if (known.has(key)) {
      throw sqlError('sql.ambiguous_name', `WINDOW defines ${name.name} twice`, name.pos, { token: name.name });
    }
    known.set(key, whole(window, known));
  }
  return known;
}

/** Resolves the window after OVER, which may name or extend a window of the WINDOW clause. */
export function resolveWindow(node: Window | undefined, context: ExpressionContext): ResolvedWindow {
  if (node === undefined) return { partitionBy: [], orderBy: [], frame: null };
  const { partitionBy, orderBy, frame, pos } = whole(node, context.namedWindows);
  const order = orderBy.map((item) => resolveOrdering(item, context.resolveExpr(item.expression, context)));
  const resolved = {
    partitionBy: partitionBy.map((expr) => context.resolveExpr(expr, context)),
    orderBy: order,
  };
  if (frame === undefined) return { ...resolved, frame: null };
  if (frame.unit === 'range' && (isDistance(frame.lower) || (frame.upper !== undefined && isDistance(frame.upper)))) {
    const key = measuredBy(order, pos);
    return { ...resolved, orderBy: [key], frame: resolveFrame(frame, key.expr.type, context) };
  }
  return { ...resolved, frame: resolveFrame(frame, INT64, context) };
}

/** Completes a window with the parts of the window that it names (GoogleSQL, "Rules for using a named window"). */
function whole(node: Window, known: ReadonlyMap<string, WindowSpecification>): WindowSpecification {
  const name = node.kind === 'WindowName' ? node.name : node.base;
  if (name === undefined) return node as WindowSpecification;
  const base = known.get(name.name.toLowerCase());
  if (base === undefined) {
    const allowed = [...known.keys()];
    const nearest = nearestName(name.name, allowed);
    throw sqlError('sql.unknown_name', `Unknown window ${name.name}`, name.pos, {
      token: name.name,
      allowed,
      ...(nearest !== undefined && { nearest }),
    });
  }
  if (node.kind === 'WindowName') return base;
  const refuse = (sentence: string): Error => sqlError('sql.type', sentence, node.pos, { token: name.name });
  if (node.partitionBy.length > 0) throw refuse(`A window that extends ${name.name} cannot have its own PARTITION BY`);
  if (node.orderBy.length > 0 && base.orderBy.length > 0) {
    throw refuse(`The window ${name.name} already has ORDER BY, so a window that extends it cannot have its own`);
  }
  if (base.frame !== undefined && (node.orderBy.length > 0 || node.frame !== undefined)) {
    throw refuse(`The window ${name.name} has a frame, so a window that extends it cannot add ORDER BY or a frame`);
  }
  return {
    ...node,
    base: undefined,
    partitionBy: base.partitionBy,
    orderBy: node.orderBy.length > 0 ? node.orderBy : base.orderBy,
    frame: node.frame ?? base.frame,
  };
}

const isDistance = (bound: FrameBoundNode): boolean => bound.bound === 'preceding' || bound.bound === 'following';

/** The one numeric sort key that a RANGE with an offset requires; a nested value is read as a number. */
function measuredBy(order: readonly SortKey[], pos: Position): SortKey {
  const [key] = order;
  const isNumber = key !== undefined && ['INT64', 'FLOAT64', 'JSON'].includes(key.expr.type.kind);
  if (key === undefined || order.length > 1 || !isNumber) {
    throw sqlError(
      'sql.type',
      'RANGE with an offset requires ORDER BY of exactly one number, for example unix_seconds(timestamp)',
      pos,
    );
  }
  if (holdsSubquery(key.expr)) {
    const sentence =
      'RANGE with an offset cannot use a subquery in ORDER BY; compute the value in a subquery in FROM first';
    throw sqlError('sql.unsupported', sentence, pos);
  }
  return key.expr.type.kind === 'JSON' ? { ...key, expr: coerce(key.expr, FLOAT64, pos) } : key;
}

function resolveFrame(node: WindowFrameNode, distance: SqlType, context: ExpressionContext): WindowFrame {
  const lower = boundRanks[node.lower.bound];
  const upper = node.upper === undefined ? boundRanks.current_row : boundRanks[node.upper.bound];
  if (lower > upper || lower === boundRanks.unbounded_following || upper === boundRanks.unbounded_preceding) {
    const sentence =
      node.upper === undefined
        ? 'A frame without an end ends at the current row, so it must start at or before the current row'
        : 'The frame ends before it starts';
    throw sqlError('sql.type', sentence, node.pos);
  }
  const current: WindowFrame['end'] = { kind: 'current', direction: 'following' };
  return {
    unit: node.unit,
    start: resolveBound(node.lower, distance, context),
    end: node.upper === undefined ? current : resolveBound(node.upper, distance, context),
  };
}

/** The order of bounds from the first row of a partition to the last. */
const boundRanks: Readonly<Record<FrameBoundNode['bound'], number>> = {
  unbounded_preceding: 0,
  preceding: 1,
  current_row: 2,
  following: 3,
  unbounded_following: 4,
};

function resolveBound(node: FrameBoundNode, distance: SqlType, context: ExpressionContext): WindowFrame['start'] {
  switch (node.bound) {
    case 'current_row':
      return { kind: 'current', direction: 'following' };
    case 'unbounded_preceding':
      return { kind: 'unbounded', direction: 'preceding' };
    case 'unbounded_following':
      return { kind: 'unbounded', direction: 'following' };
    case 'preceding':
    case 'following': {
      if (node.distance === undefined) throw new Error('a frame bound without its distance');
      const given = context.resolveExpr(node.distance, context);
      if (coercionCost(given, distance) === null || (given.kind !== 'literal' && given.kind !== 'parameter')) {
        const wanted = distance.kind === 'FLOAT64' ? 'a number' : 'an integer';
        throw sqlError('sql.type', `A frame bound must be ${wanted} or a parameter`, node.pos);
      }
      const value = coerce(given, distance, node.pos);
      if (value.kind === 'literal' && (value.value === null || Number(value.value) < 0)) {
        throw sqlError('sql.type', 'A frame bound must not be negative or NULL', node.pos);
      }
      return { kind: 'offset', value, direction: node.bound };
    }
  }
}

const needsOrder: ReadonlySet<string> = new Set([
  'rank',
  'dense_rank',
  'percent_rank',
  'cume_dist',
  'ntile',
  'first_value',
  'last_value',
  'nth_value',
  'lag',
  'lead',
]);
const takesNoOrder: ReadonlySet<string> = new Set(['percentile_cont', 'percentile_disc']);
const takesNoFrame: ReadonlySet<string> = new Set([
  ...takesNoOrder,
  'row_number',
  'rank',
  'dense_rank',
  'percent_rank',
  'cume_dist',
  'ntile',
  'lag',
  'lead',
]);

/** Throws `sql.type` if the window lacks a part that the function requires or has one that it does not accept (GoogleSQL, "Window function calls"). */
export function checkWindow(fn: string, isDistinct: boolean, window: ResolvedWindow, pos: Position): void {
  const refuse = (sentence: string): Error => sqlError('sql.type', sentence, pos, { token: fn });
  const name = `${fn.toUpperCase()}${isDistinct ? ' with DISTINCT' : ''}`;
  if (needsOrder.has(fn) && window.orderBy.length === 0) throw refuse(`${name} requires ORDER BY in its window`);
  const isUnordered = isDistinct || takesNoOrder.has(fn);
  if (isUnordered && window.orderBy.length > 0) throw refuse(`The window of ${name} cannot have ORDER BY`);
  if ((isUnordered || takesNoFrame.has(fn)) && window.frame !== null) {
    throw refuse(`The window of ${name} cannot have a frame`);
  }
}
