import type { QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import type { BoundsByScan, ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { Column, ResolvedQuery } from '../../../googlesql/resolve/tree.ts';
import { type CallOfStatement, Placeholders, TextWithPlaceholders } from './placeholders.ts';
import type { ScanChoice, Statement } from './statement.ts';

/** Statements that are remembered for one plan: one that finds a cutoff and two that read rows, since it or not, for two sets of files. */
const perPlanMax = 6;

/** Longer ones are written anew: what is remembered beside a query stays of the size of the query. */
const rememberedCharsMax = 30_000;

/**
 * Roughly the bytes that all statements of one query may take, of however many plans: what the six of one plan
 * may take. Each takes its text twice, with slots and with the times of the last call, and what is decided for it.
 */
export const rememberedBytesMax = 250_000;
const bytesBesideText = 4000;

interface Written {
  readonly slots: Placeholders;
  readonly text: TextWithPlaceholders;
  /** As it was last asked for. */
  last: { readonly values: readonly bigint[]; readonly statement: Statement };
}

const written = new WeakMap<QueryPlan['shape'], Map<string, Written>>();

/** A statement that was remembered for a plan; plans go away by themselves. */
interface Remembered {
  readonly ofShape: WeakRef<Map<string, Written>>;
  readonly key: string;
  readonly bytes: number;
}

/** By query, the oldest first. */
const rememberedOf = new WeakMap<ResolvedQuery, readonly Remembered[]>();

/**
 * The statement that `write` gives, or the one that it gave for the same key with the times of this call in it. A statement is
 * decided by its plan, what is known of the chosen files, the bounds, and what else `key` holds: not by any event.
 */
export function writtenOnce(
  plan: QueryPlan,
  key: readonly unknown[],
  choices: ReadonlyMap<Column, ScanChoice>,
  bounds: BoundsByScan,
  write: (slots: Placeholders) => Statement,
): Statement {
  // A plan is redacted or not; that a statement is neither is told twice.
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
  const statement = write(slots);
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

/** Forgets what was written first for a query until there is room for what was written now. */
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

/** The scans of a plan always stand in the same order. Whether there are bounds on their times is written, not where they lie. */
function scanKey(choice: ScanChoice | undefined, { projects, fromMicros, toMicros }: ScanBounds): string {
  const {
    databases = [],
    ordinals = new Map(),
    irregular = new Set(),
    kept = new Map(),
    unnumbered = new Map(),
  } = choice ?? {};
  const isBounded = [fromMicros !== null, toMicros !== null];
  return JSON.stringify([projects, isBounded, databases, [...ordinals], [...irregular], [...kept], [...unnumbered]]);
}
