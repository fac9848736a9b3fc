import { newestFirst } from '../../../googlesql/plan/newestFirst.ts';
import type { Explanation } from '../../../ports/queryEngine.ts';
import type { EncodedRows } from '../../duckdb/query/statementRunner.ts';
import type { SplitPlan } from '../emit/fetch.ts';
import type { RunInputs } from './runInputs.ts';
import { ScanRun } from './scanRun.ts';
import { SplitRun } from './splitRun.ts';

/** One run of a plan, in the way that fetches the fewest rows. */
export class QueryRun {
  readonly #split: { readonly run: SplitRun; readonly first: SplitPlan } | null;
  readonly #scans: ScanRun;

  constructor(inputs: RunInputs) {
    const { plan, request } = inputs;
    // Redaction happens where the rest reads events, so ClickHouse may compute nothing over their texts.
    const run = plan.redaction === null ? new SplitRun(inputs) : null;
    const first = run?.first() ?? null;
    const kept = first?.keptBack.flatMap(({ reason, costsRows }) => (costsRows ? [reason] : [])) ?? [];
    // The newest events are read step by step if ClickHouse cannot count those that the rest keeps.
    const isStepwise = kept.length > 0 && newestFirst(plan.relation, request.rowsMax) !== null;
    this.#split = run === null || first === null || isStepwise ? null : { run, first };
    this.#scans = new ScanRun(inputs, kept);
  }

  get rowsScanned(): number | null {
    return (this.#split?.run ?? this.#scans).rowsScanned;
  }

  async rows(): Promise<EncodedRows> {
    return this.#split === null ? await this.#scans.rows() : await this.#split.run.rows(this.#split.first);
  }

  async explain(): Promise<Explanation> {
    return this.#split === null ? await this.#scans.explain() : await this.#split.run.explain(this.#split.first);
  }
}
