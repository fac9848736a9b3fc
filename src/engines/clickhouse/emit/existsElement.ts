import { type Mapper, mapExpr } from '../../../googlesql/resolve/traverse.ts';
import type { Column, Expr, SubqueryExpr } from '../../../googlesql/resolve/tree.ts';
import { elementOfJson, memberOfArray } from './jsonElements.ts';
import { notPushed } from './notPushed.ts';
import type { Place } from './place.ts';

/** Writes EXISTS of the elements of an array of metadata, read as text, that meet a condition. Throws like `Place.expr`. */
export function emitExists({ mode, query }: SubqueryExpr, place: Place): string {
  const filter = query.kind === 'project' ? query.input : query;
  if (mode !== 'exists' || filter.kind !== 'filter') return notPushed('a subquery');
  const { input: unnest, condition } = filter;
  if (unnest.kind !== 'unnestArray' || unnest.input.kind !== 'oneRow' || unnest.offset !== null || unnest.on !== null)
    return notPushed('a subquery');
  const { value, element } = unnest;
  const member = memberOfArray(value, place);
  const isTexts = value.type.kind === 'ARRAY' && value.type.element.kind === 'STRING';
  if (member === null || !isTexts || !readsOnly(condition, element)) return notPushed('a subquery');
  return elementOfJson(member, (text) => place.with(element, text).expr(condition));
}

function readsOnly(condition: Expr, element: Column): boolean {
  let isOnly = true;
  const mapper: Mapper = {
    relation: () => notPushed('a subquery'),
    expr: (expr) => {
      if (expr.kind === 'column' && expr.column !== element) isOnly = false;
      return mapExpr(expr, mapper);
    },
  };
  mapper.expr(condition);
  return isOnly;
}
