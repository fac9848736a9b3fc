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
  /** The last number given to each name. */
  const numbers = new Map<string, number>();
  let unnamed = 0;
  return outputs.map((output): OutputColumn => {
    let name = output.name;
    if (name === '') {
      name = `f${unnamed}_`;
      unnamed += 1;
    }
    if (given.has(name.toLowerCase()))
      name = numbered(name, numbers, (candidate) => taken.has(candidate) || given.has(candidate));
    given.add(name.toLowerCase());
    const isObject = session.isObjectForm(columnExpr(output.column));
    return { name, column: output.column, recordForm: isObject ? 'object' : 'record' };
  });
}

function numbered(name: string, numbers: Map<string, number>, isTaken: (candidate: string) => boolean): string {
  const key = name.toLowerCase();
  for (let number = (numbers.get(key) ?? 0) + 1; ; number++) {
    numbers.set(key, number);
    if (!isTaken(`${key}_${number}`)) return `${name}_${number}`;
  }
}
