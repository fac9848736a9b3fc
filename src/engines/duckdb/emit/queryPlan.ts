import { countRows } from '../../../googlesql/plan/countedRows.ts';
import { foldConstants } from '../../../googlesql/plan/fold.ts';
import { inlineTables } from '../../../googlesql/plan/inline.ts';
import { checkPlanHeight } from '../../../googlesql/plan/planHeight.ts';
import { restrictScans } from '../../../googlesql/plan/restrictScans.ts';
import { type ScanBounds, scanBounds } from '../../../googlesql/plan/scanBounds.ts';
import { withoutUnreadColumns } from '../../../googlesql/plan/unreadColumns.ts';
import { withoutUnusedTables } from '../../../googlesql/plan/usedTables.ts';
import type { Column, Expr, Relation, ResolvedQuery, ScanRelation } from '../../../googlesql/resolve/tree.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import type { Redactor } from '../../../redact/createRedactor.ts';
import { pathKey } from '../../../sources/source.ts';
import type { RunRequest } from '../../ports/queryEngine.ts';

/** A query with its parameters bound and its tables in place, before files are chosen. */
export interface QueryPlan {
  readonly relation: Relation;
  /** In the order of `query.columns`, over the columns of `relation`. */
  readonly outputs: readonly Expr[];
  readonly query: ResolvedQuery;
  readonly bounds: ReadonlyMap<Column, ScanBounds>;
  /** The highest id of its columns: those that a statement makes have higher ones. */
  readonly lastColumnId: number;
  /** Null where events are read as they are. */
  readonly redaction: PlannedRedaction | null;
}

/** Has every scan give redacted values (contract, section 6). */
export interface PlannedRedaction {
  readonly tag: number;
  /** pathKeys of typed columns with numbers that are personal: they are not to answer. */
  personalNumbers(scan: ScanRelation): ReadonlySet<string>;
}

let tags = 0;

/** A redaction for the statements of one run, which come one after the other. */
export function planRedaction(redactor: Redactor): PlannedRedaction {
  tags += 1;
  return {
    tag: tags,
    personalNumbers: ({ source }) =>
      new Set(
        source.hotColumns
          .filter(({ kind, path }) => kind.endsWith('64') && redactor.isPersonal(['metadata', ...path]))
          .map(({ path }) => pathKey(path)),
      ),
  };
}

/** Ids of columns that planning makes start here; the resolver counts from 1. */
const firstPlannedId = 1_000_000;

/** The plan that was made last for a query, and for what. */
const lastPlans = new WeakMap<ResolvedQuery, { readonly key: string; readonly plan: QueryPlan }>();

/**
 * Plans a run. What was planned last for the query is used again where the same is asked: a plan is decided
 * by query, parameters, projects and, where the query reads it, the clock. Redaction is planned for one run.
 */
export function planQuery(request: RunRequest, redaction: PlannedRedaction | null = null): QueryPlan {
  const { query, parameters, projects, nowMicros } = request;
  if (redaction !== null) return makePlan(request, redaction);
  const key = JSON.stringify([[...parameters], projects, query.usesNow ? nowMicros : null], numbersAsText);
  const last = lastPlans.get(query);
  if (last?.key === key) return last.plan;
  const plan = makePlan(request, null);
  lastPlans.set(query, { key, plan });
  return plan;
}

/** JSON has no word for -0, NaN, the infinities and large integers. */
function numbersAsText(_: string, value: unknown): unknown {
  if (Object.is(value, -0)) return '-0';
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
}

/** Makes columns with ids that follow the given one. */
export function columnsAfter(lastId: number) {
  let id = lastId;
  return {
    newColumn: (name: string, type: SqlType): Column => {
      id += 1;
      return { id, name, type };
    },
    lastId: () => id,
  };
}

function makePlan(request: RunRequest, redaction: PlannedRedaction | null): QueryPlan {
  const { newColumn, lastId } = columnsAfter(firstPlannedId);
  const used = withoutUnusedTables(request.query.relation);
  checkPlanHeight(used);
  const folded = foldConstants(used, request.parameters, request.nowMicros);
  const wanted = request.query.columns.map(({ column }) =>
    folded.resolve({ kind: 'column', type: column.type, column }),
  );
  const permitted = request.projects === null ? folded.relation : restrictScans(folded.relation, request.projects);
  const read = withoutUnreadColumns(countRows(permitted), wanted);
  const { relation, resolve } = inlineTables(read, (like) => newColumn(like.name, like.type));
  const outputs = wanted.map(resolve);
  const bounds = scanBounds(relation);
  return { relation, outputs, query: request.query, bounds, lastColumnId: lastId(), redaction };
}
