import type { Pause } from '../../../core/concurrency/turns.ts';
import type { QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import type { RunCaller, RunRequest, RunTime } from '../../../ports/queryEngine.ts';
import type { EngineRunner } from '../../duckdb/query/statementRunner.ts';
import type { Fetcher } from './fetcher.ts';
import type { NestedMembers } from './nestedMembers.ts';

/** What one run of a plan works with. */
export interface RunInputs {
  readonly plan: QueryPlan;
  readonly request: RunRequest;
  readonly fetcher: Fetcher;
  /** Runs the rest of the query over the fetched rows. */
  readonly statements: EngineRunner;
  readonly signal: AbortSignal;
  readonly time: RunTime | undefined;
  readonly caller: RunCaller | undefined;
  readonly nestedMembers: NestedMembers;
  /** Of the work on the main thread. */
  readonly pause: Pause;
}

/** Events that a run has read; null if a scan reads those of projects that nothing names. */
export const rowsScannedOf = ({ bounds }: QueryPlan, rows: number): number | null =>
  [...bounds.values()].some(({ projects }) => projects === null) ? null : rows;
