import type { QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import type { BoundsByScan, ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { Column, ResolvedQuery } from '../../../googlesql/resolve/tree.ts';
import type { Statement } from './emittedStatement.ts';
import { type CallOfStatement, Placeholders, TextWithPlaceholders } from './placeholders.ts';
import type { ScanChoice } from './scanChoice.ts';

/**
 * Statements cached per plan: one that finds a cutoff and two that read rows, with and without it, for two sets of
 * files.
 */
const perPlanMax = 6;

/** Longer statements are not cached, so that the cache stays in proportion to the query. */
const rememberedCharsMax = 30_000;

/**
 * Approximate limit of the bytes for all statements of one query, over all its plans: the size of one plan's six
 * statements. Each keeps its text twice, with placeholders and with the times of the last call, and its decisions.
 */
export const rememberedBytesMax = 250_000;
const bytesBesideText = 4000;

interface Written {
  readonly slots: Placeholders;
  readonly text: TextWithPlaceholders;
  /** The result of the last call. */
  last: { readonly values: readonly bigint[]; readonly statement: Statement };
}

const written = new WeakMap<QueryPlan['shape'], Map<string, Written>>();

/** A statement cached for a plan. Plans are garbage-collected. */
interface Remembered {
  readonly ofShape: WeakRef<Map<string, Written>>;
  readonly key: string;
  readonly bytes: number;
}

/** By query, the oldest first. */
const rememberedOf = new WeakMap<ResolvedQuery, readonly Remembered[]>();

/**
 * Returns the statement that `write` writes in steps, or a cached one for the same key with the times of this call. A statement
 * depends only on its plan, what is known of the chosen files, the bounds, and the rest of `key`; never on events.
 */
export function* writtenOnce(
  plan: QueryPlan,
  key: readonly (string | number | boolean)[],
  choices: ReadonlyMap<Column, ScanChoice>,
  bounds: BoundsByScan,
  write: (slots: Placeholders) => Generator<undefined, Statement>,
): Generator<undefined, Statement> {
  // Also in the key: a redacted statement must never serve an unredacted call.
  const isRedacted = plan.redaction !== null;
  const whole = [
    ...key,
    isRedacted,
    ...[...bounds].map(([timestamp, bound]) => scanKey(choices.get(timestamp), bound)),
  ].join('\n');
  const ofShape = written.get(plan.shape) ?? new Map<string, Written>();
  written.set(plan.shape, ofShape);
  const call: CallOfStatement = { bounds, redactionTag: plan.redaction?.tag ?? null };
  const known = ofShape.get(whole);
  if (known !== undefined) {
    const values = plan.at(() => (known.slots.holds(call) ? known.slots.values(call) : null));
    if (values !== null) return filled(known, values);
  }
  const slots = new Placeholders(call, plan.at);
  const statement = yield* write(slots);
  const text = new TextWithPlaceholders(statement.sql);
  const values = plan.at(() => slots.values(call));
  const made: Written = { slots, text, last: { values, statement: { ...statement, sql: text.filled(values) } } };
  if (statement.sql.length > rememberedCharsMax) return made.last.statement;
  ofShape.delete(whole);
  const [oldest] = ofShape.keys();
  if (oldest !== undefined && ofShape.size === perPlanMax) ofShape.delete(oldest);
  ofShape.set(whole, made);
  forgetOldest(plan.query, ofShape, whole, statement.sql.length);
  return made.last.statement;
}

/** Evicts the oldest statements of a query until the new one fits. */
function forgetOldest(query: ResolvedQuery, ofShape: Map<string, Written>, key: string, chars: number): void {
  const newest = { ofShape: new WeakRef(ofShape), key, bytes: 2 * chars + key.length + bytesBesideText };
  let bytes = newest.bytes;
  const older: Remembered[] = [];
  for (const each of (rememberedOf.get(query) ?? []).toReversed()) {
    const found = each.ofShape.deref();
    if (found === undefined || !found.has(each.key) || (found === ofShape && each.key === key)) continue;
    bytes += each.bytes;
    if (bytes <= rememberedBytesMax) older.push(each);
    else found.delete(each.key);
  }
  rememberedOf.set(query, [...older.toReversed(), newest]);
}

function filled(known: Written, values: readonly bigint[]): Statement {
  const { last } = known;
  if (!values.every((value, i) => value === last.values[i])) {
    known.last = { values, statement: { ...last.statement, sql: known.text.filled(values) } };
  }
  return known.last.statement;
}

/**
 * The scans of a plan always have the same order. The key holds whether there are bounds on their times, not the
 * bounds.
 */
function scanKey(choice: ScanChoice | undefined, { projects, fromMicros, toMicros, arrivals }: ScanBounds): string {
  const {
    databases = [],
    ordinals = new Map(),
    irregular = new Set(),
    kept = new Map(),
    unnumbered = new Map(),
  } = choice ?? {};
  const isBounded = [fromMicros !== null, toMicros !== null, arrivals !== undefined];
  return JSON.stringify([projects, isBounded, databases, [...ordinals], [...irregular], [...kept], [...unnumbered]]);
}
