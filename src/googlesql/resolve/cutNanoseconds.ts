import type { Position } from '../syntax/nodes.ts';
import type { ResolveSession } from './session.ts';
import type { CallArgument } from './tree.ts';

/** A time with a nonzero digit beyond microseconds. */
const hasNanoseconds = /^[^'"]{0,20}\d{1,2}:\d{1,2}:\d{1,2}\.\d{6}0{0,2}[1-9]/;

/**
 * Adds a notice if a constant time has digits beyond microseconds, which are dropped. GoogleSQL refuses such text;
 * Logmill accepts it because logs contain it.
 */
export function noteCutNanoseconds(text: string, pos: Position, session: ResolveSession): void {
  if (!hasNanoseconds.test(text)) return;
  session.note({
    code: 'sql.nanoseconds_cut',
    message: 'A time in the query has nanoseconds; the digits after the microseconds were dropped.',
    line: pos.line,
    column: pos.column,
  });
}

/** The same for every string literal among values that are compared with or read as times. */
export function noteCutArguments(values: readonly CallArgument[], pos: Position, session: ResolveSession): void {
  for (const value of values) {
    if (value.kind === 'literal' && typeof value.value === 'string') noteCutNanoseconds(value.value, pos, session);
  }
}
