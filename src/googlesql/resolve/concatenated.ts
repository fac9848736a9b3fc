import type { FunctionName } from '../functions/catalogue.ts';
import type { Position } from '../syntax/nodes.ts';
import { STRING } from '../types.ts';
import type { CallArgument } from './tree.ts';

/**
 * The arguments of CONCAT and `||`, with numbers, BOOLs and times cast to STRING (GoogleSQL, "CONCAT"). Nothing is cast
 * beside BYTES, arrays or structs, nor for other functions.
 */
export function concatenated(fn: FunctionName, args: readonly CallArgument[], pos: Position): readonly CallArgument[] {
  if (fn !== 'concat' && fn !== '$concat_op') return args;
  if (args.some((arg) => arg.kind !== 'part' && unjoined.has(arg.type.kind))) return args;
  return args.map((arg) =>
    arg.kind === 'part' || !written.has(arg.type.kind)
      ? arg
      : { kind: 'cast', type: STRING, value: arg, safe: false, pos, label: 'a value' },
  );
}

const unjoined: ReadonlySet<string> = new Set(['BYTES', 'ARRAY', 'STRUCT']);
const written: ReadonlySet<string> = new Set([
  ...['INT64', 'FLOAT64', 'BOOL', 'TIMESTAMP', 'DATETIME', 'DATE', 'TIME', 'INTERVAL'],
]);
