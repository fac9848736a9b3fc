import type { EmitContext, EmitFunction } from './emitContext.ts';
import { bind, withoutJsonNull } from './sqlFragments.ts';

interface ElementAccess {
  /** Number of the first element: 0 for OFFSET, 1 for ORDINAL. */
  readonly first: 0 | 1;
  readonly isSafe: boolean;
}

/**
 * Element access. A NULL array or index gives NULL; out of range is an error, or NULL when safe.
 * A JSON object counts as an array of one (googlesql.md, section 2).
 */
export const elementEmitter =
  (access: ElementAccess): EmitFunction =>
  (args, context) =>
    bind(args, (array = '', index = '') =>
      context.argTypes[0]?.kind === 'JSON'
        ? ofJson(array, index, access, context)
        : pick(`${array}[${index} + ${1 - access.first}]`, `len(${array})`, index, access, context),
    );

function pick(element: string, length: string, index: string, access: ElementAccess, context: EmitContext): string {
  // A NULL array has no index out of range.
  const isOutside = `(${index} < ${access.first} AND ${length} IS NOT NULL) OR ${index} >= ${length} + ${access.first}`;
  if (access.isSafe || context.safe) return `CASE WHEN ${isOutside} THEN NULL ELSE ${element} END`;
  const word = access.first === 0 ? 'offset' : 'ordinal';
  return `CASE WHEN ${isOutside} THEN ${context.fail(`The array ${word} is out of range. SAFE_${word.toUpperCase()} gives NULL instead.`)} ELSE ${element} END`;
}

function ofJson(json: string, index: string, access: ElementAccess, context: EmitContext): string {
  const length = `CASE json_type(${json}) WHEN 'ARRAY' THEN CAST(json_array_length(${json}) AS BIGINT) WHEN 'OBJECT' THEN 1 ELSE 0 END`;
  const element = `CASE WHEN json_type(${json}) = 'OBJECT' THEN ${json} ELSE ${withoutJsonNull(`json_extract(${json}, ${index} - ${access.first})`)} END`;
  return `CASE WHEN ${json} IS NULL THEN NULL ELSE ${pick(element, length, index, access, context)} END`;
}
