import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type { Expr, Relation, ScanRelation } from '../resolve/tree.ts';
import { BOOL, STRING } from '../types.ts';

/**
 * Puts a filter directly on every scan that passes only events of these projects (contract, section 4). Bounds and the choice
 * of segments use it like a stored query's own filter. It compares the column that ingestion keeps equal to the source's
 * project field.
 */
export function restrictToProjects(relation: Relation, projects: readonly string[]): Relation {
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
    // For one project, use the same condition as stored queries, so that it is emitted once.
    fn: projects.length === 1 ? '$eq' : '$in',
    args: [
      { kind: 'column', type: project.type, column: project },
      ...projects.map((value): Expr => ({ kind: 'literal', type: STRING, value })),
    ],
    safe: false,
    pos: { offset: 0, line: 1, column: 1 },
  };
}
