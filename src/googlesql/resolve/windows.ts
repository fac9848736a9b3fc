import { nearestName } from '../../core/nearestName.ts';
import type {
  FrameBound as FrameBoundNode,
  Position,
  Window,
  WindowFrame as WindowFrameNode,
} from '../syntax/nodes.ts';
import { FLOAT64, INT64 } from '../types.ts';
import { coerce, coercionCost } from './coercion.ts';
import type { ExpressionContext } from './context.ts';
import { resolveOrdering } from './ordering.ts';
import { sqlError } from './sqlError.ts';
import type { Expr, SortKey, WindowFrame } from './tree.ts';

export interface ResolvedWindow {
  readonly partitionBy: readonly Expr[];
  readonly orderBy: readonly SortKey[];
  readonly frame: WindowFrame | null;
}

/** What stands behind OVER; a named window is taken from the WINDOW clause, and may be built on. */
export function resolveWindow(node: Window | undefined, context: ExpressionContext, depth = 0): ResolvedWindow {
  if (node === undefined) return { partitionBy: [], orderBy: [], frame: null };
  if (node.kind === 'WindowName') {
    const named = context.namedWindows.get(node.name.name.toLowerCase());
    if (named === undefined || depth > 20) {
      const allowed = [...context.namedWindows.keys()];
      const nearest = nearestName(node.name.name, allowed);
      throw sqlError('sql.unknown_name', `There is no window ${node.name.name}`, node.pos, {
        token: node.name.name,
        allowed,
        ...(nearest !== undefined && { nearest }),
      });
    }
    return resolveWindow(named, context, depth + 1);
  }
  const base: ResolvedWindow =
    node.base === undefined
      ? { partitionBy: [], orderBy: [], frame: null }
      : resolveWindow(
          { kind: 'WindowName', name: node.base, pos: node.base.pos, end: node.base.end },
          context,
          depth + 1,
        );
  const partitionBy = node.partitionBy.map((expr) => context.resolveExpr(expr, context));
  const orderBy = node.orderBy.map((item) => resolveOrdering(item, context.resolveExpr(item.expression, context)));
  const order = orderBy.length > 0 ? orderBy : base.orderBy;
  const frame = node.frame === undefined ? base.frame : resolveFrame(node.frame, context);
  return {
    partitionBy: partitionBy.length > 0 ? partitionBy : base.partitionBy,
    orderBy: frame === null ? order : measuredBy(order, frame, node.pos),
    frame,
  };
}

/** A RANGE with a distance is measured along one number; a nested value is read as one. */
function measuredBy(order: readonly SortKey[], frame: WindowFrame, pos: Position): readonly SortKey[] {
  if (frame.unit !== 'range' || (frame.start.kind !== 'offset' && frame.end.kind !== 'offset')) return order;
  const [key] = order;
  const isNumber = key !== undefined && ['INT64', 'FLOAT64', 'JSON'].includes(key.expr.type.kind);
  if (key === undefined || order.length > 1 || !isNumber) {
    throw sqlError(
      'sql.type',
      'RANGE with a distance needs exactly one ORDER BY of a number, for example unix_seconds(timestamp)',
      pos,
    );
  }
  return key.expr.type.kind === 'JSON' ? [{ ...key, expr: coerce(key.expr, FLOAT64, pos) }] : order;
}

function resolveFrame(node: WindowFrameNode, context: ExpressionContext): WindowFrame {
  const current: WindowFrame['end'] = { kind: 'current', direction: 'following' };
  return {
    unit: node.unit,
    start: resolveBound(node.lower, context),
    end: node.upper === undefined ? current : resolveBound(node.upper, context),
  };
}

function resolveBound(node: FrameBoundNode, context: ExpressionContext): WindowFrame['start'] {
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
      const value = context.resolveExpr(node.distance, context);
      if (coercionCost(value, INT64) === null || (value.kind !== 'literal' && value.kind !== 'parameter')) {
        throw sqlError('sql.type', 'A frame bound must be a whole number or a parameter', node.pos);
      }
      return { kind: 'offset', value: coerce(value, INT64, node.pos), direction: node.bound };
    }
  }
}
