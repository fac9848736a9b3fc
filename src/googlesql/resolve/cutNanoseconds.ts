import type { Position } from '../syntax/nodes.ts';
import type { ResolveSession } from './session.ts';
import type { CallArgument } from './tree.ts';

/** A time of the text's own with more than six digits behind the second, of which some are not zero. */
const hasNanoseconds = /^[^'"]{0,20}\d{1,2}:\d{1,2}:\d{1,2}\.\d{6}0{0,2}[1-9]/;

/**
 * Says that a constant text which is read as a time has digits beyond microseconds: they are cut. GoogleSQL refuses such
 * text; it stands in logs, so it is read here.
 */
export function noteCutNanoseconds(text: string, pos: Position, session: ResolveSession): void {
  if (!hasNanoseconds.test(text)) return;
  session.note({
    code: 'sql.nanoseconds_cut',
    message: 'A time in the query has nanoseconds, of which the microseconds were read.',
    line: pos.line,
    column: pos.column,
  });
}

/** The same of every constant text among values of which one is, or is read as, a time. */
export function noteCutArguments(values: readonly CallArgument[], pos: Position, session: ResolveSession): void {
  for (const value of values) {
    if (value.kind === 'literal' && typeof value.value === 'string') noteCutNanoseconds(value.value, pos, session);
  }
}
