import { type FunctionName, functionCatalogue } from '../functions/catalogue.ts';
import type { Position } from '../syntax/nodes.ts';
import { concatenated } from './concatenated.ts';
import { matchSignature } from './signatures.ts';
import type { CallArgument, Expr } from './tree.ts';

/** Makes a call of a catalogue function that the text does not name, such as an operator. */
export function call(fn: FunctionName, args: readonly CallArgument[], pos: Position, safe = false): Expr {
  const entry = functionCatalogue.get(fn);
  if (entry === undefined) throw new Error(`the catalogue lacks ${fn}`);
  const matched = matchSignature(entry, concatenated(fn, args, pos), pos);
  return { kind: 'call', type: matched.type, fn, args: matched.args, safe, pos };
}

/** Negates the condition if the text has NOT. */
export function negate(isNegated: boolean, expr: Expr, pos: Position): Expr {
  return isNegated ? call('$not', [expr], pos) : expr;
}
