import { nearestName } from '../../core/nearestName.ts';
import type { SelectStar } from '../syntax/nodes.ts';
import type { ExpressionContext } from './context.ts';
import { resolveExpr } from './expressions.ts';
import { named } from './named.ts';
import { declaredMembers, type NamedColumn, type RangeVariable } from './nameScope.ts';
import { columnExpr, fieldsOf, findName, memberOf } from './names.ts';
import { sqlError } from './sqlError.ts';
import type { Expr } from './tree.ts';

/** Expands `*` and `x.*` with EXCEPT and REPLACE; a nested value expands to its declared members. */
export function expandStar(star: SelectStar, context: ExpressionContext): readonly NamedColumn[] {
  const all = star.qualifier === undefined ? everything(star, context) : qualified(star, star.qualifier, context);
  context.session.addColumns(all.length);
  const check = (name: string, pos: SelectStar['pos'], word: string): void => {
    if (named(all, name).length > 0) return;
    const names = all.map((item) => item.name);
    const nearest = nearestName(name, names);
    throw sqlError('sql.unknown_name', `${word} names \`${name}\`, which * does not include`, pos, {
      token: name,
      allowed: names,
      ...(nearest !== undefined && { nearest }),
    });
  };
  for (const name of star.except) check(name.name, name.pos, 'EXCEPT');
  for (const replacement of star.replace) check(replacement.alias.name, replacement.alias.pos, 'REPLACE');
  for (const { alias } of star.replace) {
    if (named(star.except, alias.name).length === 0) continue;
    const sentence = `EXCEPT removes \`${alias.name}\`, so REPLACE cannot replace it`;
    throw sqlError('sql.ambiguous_name', sentence, alias.pos, { token: alias.name });
  }
  const kept = all.filter((item) => named(star.except, item.name).length === 0);
  if (kept.length === 0) throw sqlError('sql.type', 'EXCEPT removes every column of *; keep at least one', star.pos);
  const replaced = star.replace.map(({ alias, expression }) => ({ name: alias.name, expression }));
  return kept.map((item) => {
    const [replacement] = named(replaced, item.name);
    return replacement === undefined ? item : { name: item.name, expr: resolveExpr(replacement.expression, context) };
  });
}

function everything(star: SelectStar, context: ExpressionContext): readonly NamedColumn[] {
  const { variables } = context.scope;
  if (variables.length === 0) throw sqlError('sql.type', 'SELECT * requires FROM', star.pos);
  return variables.filter((each) => each.reach !== 'qualified').flatMap(membersOf);
}

function membersOf(variable: RangeVariable): readonly NamedColumn[] {
  switch (variable.kind) {
    case 'table':
      return variable.columns;
    case 'record':
      return knownMembers(columnExpr(variable.column), declaredMembers(variable.shape));
    case 'value': {
      const fields = fieldsOf(columnExpr(variable.column));
      return fields.length > 0 ? fields : [{ name: variable.name ?? '', expr: columnExpr(variable.column) }];
    }
  }
}

function knownMembers(value: Expr, members: readonly string[]): readonly NamedColumn[] {
  return members.map((member) => ({ name: member, expr: memberOf(value, [member]) }));
}

function qualified(
  star: SelectStar,
  qualifier: NonNullable<SelectStar['qualifier']>,
  context: ExpressionContext,
): readonly NamedColumn[] {
  if (qualifier.kind === 'Name') {
    const meaning = findName(qualifier.name, context.scope);
    if (meaning?.kind === 'table') return membersOf(meaning.variable);
  }
  const value = resolveExpr(qualifier, context);
  if (value.type.kind === 'STRUCT') return fieldsOf(value);
  if (value.type.kind === 'JSON') {
    const members = declaredMembers(context.session.shapeOf(value));
    if (members.length > 0) return knownMembers(value, members);
    throw sqlError(
      'sql.type',
      'The members of this nested value are not declared, so .* cannot list them; name the ones you want',
      star.pos,
    );
  }
  throw sqlError('sql.type', `A value of type ${value.type.kind} has no members for .*`, star.pos);
}
