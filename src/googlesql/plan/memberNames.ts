import { constantTexts } from '../resolve/constantTexts.ts';
import { sqlError } from '../resolve/sqlError.ts';
import { walkRelation } from '../resolve/traverse.ts';
import type { CallExpr, Expr, Relation } from '../resolve/tree.ts';
import { Lineage } from './lineage.ts';

/**
 * Refuses JSON_OBJECT keys computed from events. Redaction relies on member names and replaces only values, so a text of an
 * event in a key would be shown.
 */
export function refuseNamesOfEvents(relation: Relation): void {
  const calls: CallExpr[] = [];
  walkRelation(relation, {
    expr: (expr) => {
      if (expr.kind === 'call' && expr.fn === 'json_object' && computedNames(expr).length > 0) calls.push(expr);
    },
  });
  if (calls.length === 0) return;
  const lineage = new Lineage(relation);
  for (const call of calls) {
    if (computedNames(call).every((name) => lineage.of(name).length === 0)) continue;
    const sentence =
      'A key in JSON_OBJECT must not come from events, because redaction relies on member names and replaces only values';
    throw sqlError('sql.unsupported', sentence, call.pos, { token: 'json_object' });
  }
}

/** The keys that are not literals or parameters, or the array of keys. */
function computedNames({ args }: CallExpr): readonly Expr[] {
  const exprs = args.flatMap((arg) => (arg.kind === 'part' ? [] : [arg]));
  const names = exprs[0]?.type.kind === 'ARRAY' ? exprs.slice(0, 1) : exprs.filter((_, i) => i % 2 === 0);
  return names.filter((name) => name.kind !== 'literal' && name.kind !== 'parameter' && constantTexts(name) === null);
}
