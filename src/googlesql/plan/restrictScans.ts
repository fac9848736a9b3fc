import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type { Expr, Relation, ScanRelation } from '../resolve/tree.ts';
import { BOOL, STRING } from '../types.ts';

/**
 * Puts a filter directly on every scan, wherever it stands, that lets only events of these projects
 * through (contract, section 4): bounds and file choice see it as they see a stored query's own
 * filter. The column compared is the one that ingestion keeps equal to the stream's matching field.
 */
export function restrictScans(relation: Relation, projects: readonly string[]): Relation {
  const mapper: Mapper = {
    expr: (expr) => mapExpr(expr, mapper),
    relation: (below) =>
      below.kind === 'scan'
        ? { kind: 'filter', input: below, condition: isOneOf(below, projects) }
        : mapRelation(below, mapper),
  };
  return mapper.relation(relation);
}

function isOneOf(scan: ScanRelation, projects: readonly string[]): Expr {
  const { project } = scan.columns;
  return {
    kind: 'call',
    type: BOOL,
    // Of one project it is the condition that stored queries have themselves, which is then written once.
    fn: projects.length === 1 ? '$eq' : '$in',
    args: [
      { kind: 'column', type: project.type, column: project },
      ...projects.map((value): Expr => ({ kind: 'literal', type: STRING, value })),
    ],
    safe: false,
    pos: { offset: 0, line: 1, column: 1 },
  };
}
