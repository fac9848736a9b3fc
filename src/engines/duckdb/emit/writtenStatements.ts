import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { Column } from '../../../googlesql/resolve/tree.ts';
import type { QueryPlan } from './queryPlan.ts';
import type { ScanChoice, Statement } from './statement.ts';

/** Statements that are remembered for one plan: one that finds a cutoff and two that read rows, since it or not, for two sets of files. */
const perPlanMax = 6;

/** Longer ones are written anew: what is remembered beside a query stays of the size of the query. */
const rememberedCharsMax = 30_000;

const written = new WeakMap<QueryPlan, Map<string, Statement>>();

/**
 * The statement that `write` gives, or the one that it gave for the same key. A statement is decided by its
 * plan, what is known of the chosen files, the bounds, and what else `key` holds: not by any event.
 */
export function writtenOnce<S extends Statement>(
  plan: QueryPlan,
  key: readonly unknown[],
  choices: ReadonlyMap<Column, ScanChoice>,
  bounds: ReadonlyMap<Column, ScanBounds>,
  write: () => S,
): S {
  const whole = [...key, ...[...bounds].map(([timestamp, bound]) => scanKey(choices.get(timestamp), bound))].join('\n');
  const ofPlan = written.get(plan) ?? new Map<string, Statement>();
  written.set(plan, ofPlan);
  const known = ofPlan.get(whole);
  // The key says which kind of statement it is.
  if (known !== undefined) return known as S;
  const statement = write();
  if (statement.sql.length > rememberedCharsMax) return statement;
  const [oldest] = ofPlan.keys();
  if (oldest !== undefined && ofPlan.size === perPlanMax) ofPlan.delete(oldest);
  ofPlan.set(whole, statement);
  return statement;
}

/** The scans of a plan always stand in the same order. */
function scanKey(choice: ScanChoice | undefined, { fromMicros, toMicros }: ScanBounds): string {
  const { databases = [], ordinals = new Map(), irregular = new Set(), kept = new Map() } = choice ?? {};
  return JSON.stringify([String(fromMicros), String(toMicros), databases, [...ordinals], [...irregular], [...kept]]);
}
