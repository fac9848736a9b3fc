import { limits } from '../../core/limits.ts';
import type { Position } from '../syntax/nodes.ts';
import type { SubqueryOutput } from './context.ts';
import { columnExpr } from './names.ts';
import type { ResolveSession } from './session.ts';
import { sqlError } from './sqlError.ts';
import type { OutputColumn } from './tree.ts';

/**
 * Names the columns of the answer: duplicates get `_1`, `_2`, unnamed ones `f0_`, `f1_` (contract, section 1). Names are
 * case-insensitive. `pos` is the start of the query.
 */
export function nameOutputs(
  outputs: readonly SubqueryOutput[],
  session: ResolveSession,
  pos: Position,
): readonly OutputColumn[] {
  if (outputs.length > limits.outputColumnsMax) {
    throw sqlError(
      'sql.too_complex',
      `A query may return at most ${limits.outputColumnsMax} columns, but this one returns ${outputs.length}`,
      pos,
      { expected: `at most ${limits.outputColumnsMax} columns` },
    );
  }
  const taken = new Set<string>(outputs.map((output) => output.name.toLowerCase()));
  const given = new Set<string>();
  let unnamed = 0;
  return outputs.map((output): OutputColumn => {
    let name = output.name;
    if (name === '') {
      name = `f${unnamed}_`;
      unnamed += 1;
    }
    if (given.has(name.toLowerCase())) name = numbered(name, taken, given);
    given.add(name.toLowerCase());
    const isObject = session.isObjectForm(columnExpr(output.column));
    return { name, column: output.column, recordForm: isObject ? 'object' : 'record' };
  });
}

function numbered(name: string, taken: ReadonlySet<string>, given: ReadonlySet<string>): string {
  for (let i = 1; ; i++) {
    const candidate = `${name}_${i}`;
    if (!taken.has(candidate.toLowerCase()) && !given.has(candidate.toLowerCase())) return candidate;
  }
}
