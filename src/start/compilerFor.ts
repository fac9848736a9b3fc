import { type CompileContext, callerInSteps, storedInSteps } from '../googlesql/compile.ts';
import type { EngineLimits } from '../googlesql/engineLimits.ts';
import type { Compiler } from '../invoke/statementCache.ts';
import { lqlInSteps } from '../lql/compileLql.ts';

/** The compilers of SQL and LQL, for an engine with these limits. */
export function compilerFor(limits: EngineLimits): Compiler {
  const within = (context: CompileContext): CompileContext => ({ ...context, limits });
  return {
    storedInSteps: (text, context) => storedInSteps(text, within(context)),
    callerInSteps: (text, stored, context) => callerInSteps(text, stored, within(context)),
    lqlInSteps: (text, stored, context) => lqlInSteps(text, stored, within(context)),
  };
}
