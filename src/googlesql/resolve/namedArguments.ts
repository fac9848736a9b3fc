import type { CatalogueEntry } from '../functions/catalogue.ts';
import type { FunctionArgument } from '../syntax/nodes.ts';
import { shownName } from './signatures.ts';
import { sqlError } from './sqlError.ts';

type PositionalArgument = Exclude<FunctionArgument, { kind: 'NamedArgument' }>;

/**
 * Puts named arguments (`mode => 'lax'`) in their positions; null is an argument that is left out before one. Throws
 * `sql.unsupported` for a function that has none, `sql.type` for a name or an order that it does not have.
 */
export function withoutNames(
  fn: CatalogueEntry,
  nodes: readonly FunctionArgument[],
): readonly (PositionalArgument | null)[] {
  const declared = fn.signatures.flatMap(({ args }) => args.map((arg, at) => ({ ...arg, at })));
  const named = declared.filter((arg) => arg.named === true);
  const placed: (PositionalArgument | null)[] = [];
  let isAfterName = false;
  for (const node of nodes) {
    const wrong = (sentence: string): Error => sqlError('sql.type', sentence, node.pos);
    if (node.kind !== 'NamedArgument') {
      if (isAfterName) throw wrong(`In ${shownName(fn)}, arguments without a name come before those with one`);
      const only = named.find(({ at }) => at === placed.length);
      if (only !== undefined) throw wrong(`${shownName(fn)} takes ${only.name} by its name: ${only.name} => value`);
      placed.push(node);
      continue;
    }
    if (named.length === 0) {
      const sentence = `${shownName(fn)} does not accept named arguments; give them by position`;
      throw sqlError('sql.unsupported', sentence, node.pos);
    }
    const wanted = named.find(({ name }) => name === node.name.name.toLowerCase());
    if (wanted === undefined) {
      const names = named.map(({ name }) => name).join(', ');
      throw wrong(`${shownName(fn)} has no named argument ${node.name.name.slice(0, 80)}; it has ${names}`);
    }
    if (isAfterName && placed[wanted.at] !== undefined) throw wrong(`${shownName(fn)} is given ${wanted.name} twice`);
    isAfterName = true;
    const missing = declared.find(({ at, optional }) => at >= placed.length && at < wanted.at && optional !== true);
    if (missing !== undefined) throw wrong(`${shownName(fn)} needs the argument ${missing.name}`);
    while (placed.length < wanted.at) placed.push(null);
    placed[wanted.at] = node.value;
  }
  return placed;
}
