import type { AuditOf } from '../audit/auditTrail.ts';
import type { RetentionMark } from './retentionMark.ts';
import type { RetentionRule } from './retentionRules.ts';

/** Stores retention rules. An adapter must resolve when a change is durable. */
export interface RetentionStore {
  load(): Promise<readonly RetentionRule[]>;
  loadMarks(): Promise<readonly RetentionMark[]>;
  /** Sets rules, or removes them if `days` is null, and advances marks. All or nothing. */
  change(
    rules: readonly RetentionRuleChange[],
    marks: readonly RetentionMark[],
    auditOf?: AuditOf<readonly RetentionRuleChange[]>,
  ): Promise<void>;
}

export interface RetentionRuleChange extends Omit<RetentionRule, 'days'> {
  readonly days: number | null;
}
