import { foldConstants } from '../../../googlesql/plan/fold.ts';
import { inlineTables } from '../../../googlesql/plan/inline.ts';
import { restrictScans } from '../../../googlesql/plan/restrictScans.ts';
import { type ScanBounds, scanBounds } from '../../../googlesql/plan/scanBounds.ts';
import { withoutUnusedTables } from '../../../googlesql/plan/usedTables.ts';
import type { Column, Expr, Relation, ResolvedQuery } from '../../../googlesql/resolve/tree.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import type { RunRequest } from '../../ports/queryEngine.ts';

/** A query with its parameters bound and its tables in place, before files are chosen. */
export interface QueryPlan {
  readonly relation: Relation;
  /** In the order of `query.columns`, over the columns of `relation`. */
  readonly outputs: readonly Expr[];
  readonly query: ResolvedQuery;
  readonly bounds: ReadonlyMap<Column, ScanBounds>;
  newColumn(name: string, type: SqlType): Column;
}

/** Ids of columns that planning makes start here; the resolver counts from 1. */
const firstPlannedId = 1_000_000;

export function planQuery(request: RunRequest): QueryPlan {
  let id = firstPlannedId;
  const newColumn = (name: string, type: SqlType): Column => {
    id += 1;
    return { id, name, type };
  };
  const used = withoutUnusedTables(request.query.relation);
  const folded = foldConstants(used, request.parameters, request.nowMicros);
  const permitted = request.projects === null ? folded : restrictScans(folded, request.projects);
  const { relation, resolve } = inlineTables(permitted, (like) => newColumn(like.name, like.type));
  const outputs = request.query.columns.map(({ column }) => resolve({ kind: 'column', type: column.type, column }));
  return { relation, outputs, query: request.query, bounds: scanBounds(relation), newColumn };
}
