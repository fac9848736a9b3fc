import type { SubqueryExpr } from '../../../googlesql/resolve/tree.ts';
import { columnsUsed } from './columnsUsed.ts';
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
  const readsOthers = [...columnsUsed(condition)].some((column) => column !== element);
  if (member === null || !isTexts || readsOthers) return notPushed('a subquery');
  return elementOfJson(member, (text) => place.with(element, text).expr(condition));
}
