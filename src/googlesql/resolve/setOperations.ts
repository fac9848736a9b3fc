import type { SetOperation } from '../syntax/nodes.ts';
import { INT64, typeName } from '../types.ts';
import { coerce, commonType } from './coercion.ts';
import type { ResolvedSubquery } from './context.ts';
import { type Arm, matchedByName } from './matchedByName.ts';
import { columnExpr } from './names.ts';
import type { ResolveSession } from './session.ts';
import { sqlError } from './sqlError.ts';
import type { Expr, Relation } from './tree.ts';

/**
 * Combines arms with the same number of columns. Each column takes the common type (a NULL the type of the other arms) and
 * its name in the first arm. Throws `sql.type` if the numbers of columns or the types do not match.
 */
export function combineArms(
  operation: Pick<SetOperation, 'operator' | 'quantifier' | 'byName' | 'pos'>,
  given: readonly Arm[],
  session: ResolveSession,
): ResolvedSubquery {
  const { byName } = operation;
  const arms = byName === undefined ? given : matchedByName(given, byName, operation.pos, session);
  const first = arms[0]?.query;
  if (first === undefined) throw new Error('a set operation without arms');
  arms.forEach(({ query, pos }, i) => {
    if (query.outputs.length === first.outputs.length) return;
    throw sqlError(
      'sql.type',
      `Arm ${i + 1} has ${query.outputs.length} columns, but the first arm has ${first.outputs.length}`,
      pos,
    );
  });
  const types = first.outputs.map((output, i) => {
    const exprs = arms.map((arm) => armExpr(arm.query, i));
    const type = commonType(exprs);
    if (type === null) {
      const names = exprs.map((expr) => typeName(expr.type)).join(', ');
      throw sqlError(
        'sql.type',
        `Column ${i + 1} (${output.name}) has types in the arms that have no common type: ${names}`,
        operation.pos,
      );
    }
    return type.kind === 'NULL' ? INT64 : type;
  });
  const inputs = arms.map(({ query }) => {
    const items = types.map((type, i) => {
      const expr = coerce(armExpr(query, i), type, operation.pos);
      return { column: session.columnFor(query.outputs[i]?.name ?? '', expr), expr };
    });
    const relation: Relation = { kind: 'project', input: query.relation, items };
    return { relation, columns: items.map((item) => item.column) };
  });
  const outputs = first.outputs.map((output, i) => {
    const source = inputs[0]?.columns[i];
    const column =
      source === undefined
        ? session.newColumn(output.name, types[i] ?? INT64)
        : session.columnFor(output.name, columnExpr(source));
    return { name: output.name, column };
  });
  const relation: Relation = {
    kind: 'setOperation',
    op: operation.operator,
    all: operation.quantifier === 'all',
    inputs,
    columns: outputs.map((output) => output.column),
  };
  return { relation, outputs, isValueTable: arms.every((arm) => arm.query.isValueTable === true) };
}

/** The value of an arm's column; a column of NULLs counts as a NULL literal. */
function armExpr(arm: ResolvedSubquery, index: number): Expr {
  const output = arm.outputs[index];
  if (output === undefined) throw new Error('an arm of a set operation has too few columns');
  if (output.column.type.kind === 'NULL') return { kind: 'literal', type: { kind: 'NULL' }, value: null };
  const item =
    arm.relation.kind === 'project' ? arm.relation.items.find((each) => each.column === output.column) : undefined;
  // A literal in the select list can take the type of the other arms.
  return item?.expr.kind === 'literal' ? item.expr : columnExpr(output.column);
}
