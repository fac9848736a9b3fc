import type { CallArgument, CallExpr, Column, Computed, Expr } from '../resolve/tree.ts';
import { isCounted } from './foldArithmetic.ts';
import { type Chain, chainOf, type Range } from './monotoneFunctions.ts';
import { requiredRun } from './requiredRun.ts';

/**
 * Facts about every row that can affect an answer. NULL satisfies none of them. A row that does not satisfy them can be left
 * out without changing the answer.
 */
export interface RowFacts {
  /** The ranges of columns whose values are integers (`isCounted`). */
  readonly ranges: ReadonlyMap<Column, Range>;
  readonly texts: readonly TextFact[];
  readonly runs: readonly RunFact[];
  /** Whether the conditions that the facts come from are stricter than the facts. */
  readonly isFiltered: boolean;
}

/** The text at `path` (possibly empty) of a column is one of these, or the value of the parameter. */
export interface TextFact {
  readonly column: Column;
  readonly path: readonly string[];
  readonly oneOf: readonly string[] | { readonly parameter: string };
}

/** The text at `path` (possibly empty) of a column contains `run`, which has the form of requiredRun.ts. */
export interface RunFact {
  readonly column: Column;
  readonly path: readonly string[];
  readonly run: string;
}

export const nothingKnown: RowFacts = { ranges: new Map(), texts: [], runs: [], isFiltered: false };

const isNothing = ({ ranges, texts, runs }: RowFacts): boolean =>
  ranges.size === 0 && texts.length === 0 && runs.length === 0;

/** Adds the facts that follow from a condition that holds for the rows. */
export function factsWhere(condition: Expr, known: RowFacts): RowFacts {
  const conjuncts = conjunctsOf(condition);
  const facts = growing(known);
  let { isFiltered } = known;
  for (const conjunct of conjuncts) {
    const learnt = truthOf(conjunct, true, facts) ?? nothingKnown;
    isFiltered ||= !isSaidBy(conjunct, learnt);
    learn(facts, learnt);
  }
  // A comparison of columns can give more facts once more is known about its columns.
  for (const conjunct of conjuncts.length > 1 ? conjuncts : []) {
    if (comparesColumns(conjunct)) learn(facts, truthOf(conjunct, true, facts) ?? nothingKnown);
  }
  return { ...facts, isFiltered };
}

interface GrowingFacts extends RowFacts {
  readonly ranges: Map<Column, Range>;
  readonly texts: TextFact[];
  readonly runs: RunFact[];
}

const growing = ({ ranges, texts, runs, isFiltered }: RowFacts): GrowingFacts => ({
  ranges: new Map(ranges),
  texts: [...texts],
  runs: [...runs],
  isFiltered,
});

/** Further runs exclude little, and each is searched in the names of each segment. */
const runsMax = 4;

function learn(facts: GrowingFacts, more: RowFacts): void {
  for (const [column, range] of more.ranges) narrow(facts.ranges, column, range);
  facts.texts.push(...more.texts);
  facts.runs.push(...more.runs.slice(0, Math.max(0, runsMax - facts.runs.length)));
}

/** The operands of a chain of ANDs. */
export function conjunctsOf(condition: Expr): readonly Expr[] {
  if (condition.kind === 'call' && condition.fn === '$and') {
    return condition.args.flatMap((arg) => (arg.kind === 'part' ? [] : conjunctsOf(arg)));
  }
  return [condition];
}

/** The facts about rows that satisfy both. */
export function bothOf(a: RowFacts, b: RowFacts): RowFacts {
  if (isNothing(b)) return a;
  if (isNothing(a)) return { ...b, isFiltered: a.isFiltered };
  const facts = growing(a);
  learn(facts, b);
  return facts;
}

/**
 * Translates facts about rows to facts about the rows below, from which their columns are computed. `around` holds facts about
 * rows of enclosing queries, which expressions below may read; it is kept.
 */
export function factsThrough(facts: RowFacts, items: readonly Computed[], around: RowFacts): RowFacts {
  if (isNothing(facts)) return { ...around, isFiltered: facts.isFiltered };
  const made = new Map(items.map((item) => [item.column, item.expr]));
  let isFiltered = facts.isFiltered;
  const ranges = new Map(around.ranges);
  for (const [column, range] of facts.ranges) {
    const expr = made.get(column);
    isFiltered ||= expr === undefined || !isColumn(expr);
    if (expr !== undefined) constrain(expr, range, ranges);
  }
  const below = <Fact extends TextFact | RunFact>(fact: Fact): readonly Fact[] => {
    const expr = made.get(fact.column);
    const member = expr === undefined ? null : memberOf(expr);
    if (member !== null) return [{ ...fact, column: member.column, path: [...member.path, ...fact.path] }];
    isFiltered = true;
    return [];
  };
  const texts = [...around.texts, ...facts.texts.flatMap(below)];
  const runs = [...around.runs, ...facts.runs.flatMap(below)];
  return { ranges, texts, runs, isFiltered };
}

/** Translates facts about an element to facts about the value that it is unnested from. */
export function factsOfElement(facts: RowFacts, element: Column, value: Expr): RowFacts {
  const member = memberOf(value);
  if (member === null) return facts;
  const below = <Fact extends TextFact | RunFact>(fact: Fact): Fact =>
    fact.column === element ? { ...fact, column: member.column, path: [...member.path, ...fact.path] } : fact;
  return { ...facts, texts: facts.texts.map(below), runs: facts.runs.map(below) };
}

/**
 * Facts about the rows that window calls read: only those about columns that every call is partitioned by, so that whole
 * partitions are left out.
 */
export function factsOfPartitions(
  facts: RowFacts,
  partitions: readonly (readonly Expr[])[],
  around: RowFacts,
): RowFacts {
  const ranges = new Map(around.ranges);
  for (const [column, range] of facts.ranges) {
    const widened = partitions.map((exprs) => wholePartitions(exprs, column, range));
    const [first, ...others] = widened;
    if (first === undefined || widened.some((each) => each === null)) continue;
    const all = others.reduce((hull, each) => (hull === null || each === null ? null : hullOf(hull, each)), first);
    if (all !== null) ranges.set(column, all);
  }
  const texts = facts.texts.filter(({ column, path }) =>
    partitions.every((exprs) =>
      exprs.some((expr) => {
        const member = memberOf(expr);
        return member?.column === column && isSamePath(member.path, path);
      }),
    ),
  );
  return { ranges, texts: [...around.texts, ...texts], runs: around.runs, isFiltered: true };
}

/** The facts about rows that satisfy either. */
export function eitherOf(a: RowFacts, b: RowFacts): RowFacts {
  const ranges = new Map<Column, Range>();
  for (const [column, range] of a.ranges) {
    const other = b.ranges.get(column);
    if (other !== undefined) ranges.set(column, hullOf(range, other));
  }
  const texts = a.texts.flatMap((fact): readonly TextFact[] => {
    const other = b.texts.find((each) => each.column === fact.column && isSamePath(each.path, fact.path));
    const all = other === undefined ? null : unionOf(fact.oneOf, other.oneOf);
    return all === null ? [] : [{ ...fact, oneOf: all }];
  });
  const runs = a.runs.filter((fact) =>
    b.runs.some((each) => each.column === fact.column && each.run === fact.run && isSamePath(each.path, fact.path)),
  );
  return { ranges, texts, runs, isFiltered: true };
}

/**
 * The facts that follow if the condition is `wanted`; null if it never is. `known` is used to compute ranges, and is not part
 * of the result.
 */
function truthOf(condition: Expr, wanted: boolean, known: RowFacts): RowFacts | null {
  switch (condition.kind) {
    case 'literal':
      return condition.value === wanted ? nothingKnown : null;
    case 'case':
      return anyOf([
        ...condition.branches.map(({ value }) => value),
        ...(condition.otherwise ? [condition.otherwise] : []),
      ]);
    case 'call':
      break;
    default:
      return nothingKnown;
  }
  const args = condition.args.filter((arg) => arg.kind !== 'part');
  const [first, second, third] = args;
  switch (condition.fn) {
    case '$and':
      return wanted ? allOf(args) : anyOf(args);
    case '$or':
      return wanted ? anyOf(args) : allOf(args);
    case '$not':
      return first === undefined ? nothingKnown : truthOf(first, !wanted, known);
    case '$is_true':
      return first === undefined || !wanted ? nothingKnown : truthOf(first, true, known);
    case '$is_false':
      return first === undefined || !wanted ? nothingKnown : truthOf(first, false, known);
    case 'if':
      return anyOf(args.slice(1));
    case 'coalesce':
    case 'ifnull':
      return anyOf(args);
    case '$between': {
      if (first === undefined || second === undefined || third === undefined || !wanted) return nothingKnown;
      const facts = growing(compared('$ge', first, second, known));
      learn(facts, compared('$le', first, third, known));
      return facts;
    }
    case '$in':
      return wanted ? amongst(first, args.slice(1), known) : nothingKnown;
    case '$in_array':
      return wanted && second?.kind === 'array' ? amongst(first, second.elements, known) : nothingKnown;
    case '$eq':
    case '$lt':
    case '$le':
    case '$gt':
    case '$ge':
    case '$ne': {
      const fn = wanted ? condition.fn : opposite[condition.fn];
      return first === undefined || second === undefined ? nothingKnown : compared(fn, first, second, known);
    }
    case 'regexp_contains':
      return wanted ? matched(first, second) : nothingKnown;
    default:
      return nothingKnown;
  }
  function allOf(operands: readonly Expr[]): RowFacts | null {
    const facts = growing(nothingKnown);
    for (const operand of operands) {
      const learnt = truthOf(operand, wanted, known);
      if (learnt === null) return null;
      learn(facts, learnt);
    }
    return facts;
  }
  function anyOf(operands: readonly Expr[]): RowFacts | null {
    let facts: RowFacts | null = null;
    for (const operand of operands) {
      const learnt = truthOf(operand, wanted, known);
      if (learnt === null) continue;
      facts = facts === null ? learnt : eitherOf(facts, learnt);
      if (isNothing(facts)) return nothingKnown;
    }
    return facts;
  }
}

const opposite = { $eq: '$ne', $ne: '$eq', $lt: '$ge', $ge: '$lt', $gt: '$le', $le: '$gt' } as const;
type Comparison = keyof typeof opposite;

function compared(fn: Comparison, left: Expr, right: Expr, known: RowFacts): RowFacts {
  if (fn === '$ne' || left.type.kind !== right.type.kind) return nothingKnown;
  if (!isCounted(left.type)) return fn === '$eq' ? sameText(left, right) : nothingKnown;
  const ranges = new Map<Column, Range>();
  const least = fn === '$lt' || fn === '$le' ? null : fn === '$gt' ? 1n : 0n;
  const most = fn === '$gt' || fn === '$ge' ? null : fn === '$lt' ? -1n : 0n;
  // If the left is `least` to `most` more than the right, the right is as much less than the left.
  const between = ({ from, to }: Range, low: bigint | null, high: bigint | null): Range => ({
    from: from === null || low === null ? null : from + low,
    to: to === null || high === null ? null : to + high,
  });
  constrain(left, between(spanOf(right, known), least, most), ranges);
  constrain(right, between(spanOf(left, known), most === null ? null : -most, least === null ? null : -least), ranges);
  return { ranges, texts: [], runs: [], isFiltered: false };
}

function sameText(left: Expr, right: Expr): RowFacts {
  const textsOf = (expr: Expr): TextFact['oneOf'] | null => {
    if (expr.kind === 'parameter') return { parameter: expr.name };
    return expr.kind === 'literal' && typeof expr.value === 'string' ? [expr.value] : null;
  };
  const texts = [...textFact(left, textsOf(right)), ...textFact(right, textsOf(left))];
  return texts.length === 0 ? nothingKnown : { ranges: new Map(), texts, runs: [], isFiltered: false };
}

/** The fact if a text matches a regular expression. */
function matched(subject: Expr | undefined, pattern: Expr | undefined): RowFacts {
  if (subject?.type.kind !== 'STRING' || pattern?.kind !== 'literal' || typeof pattern.value !== 'string')
    return nothingKnown;
  const member = memberOf(subject);
  const run = requiredRun(pattern.value);
  return member === null || run === null ? nothingKnown : { ...nothingKnown, runs: [{ ...member, run }] };
}

function textFact(subject: Expr | undefined, oneOf: TextFact['oneOf'] | null): readonly TextFact[] {
  const member = subject === undefined || oneOf === null || subject.type.kind !== 'STRING' ? null : memberOf(subject);
  return member === null || oneOf === null ? [] : [{ ...member, oneOf }];
}

/** The facts if a value equals one of the items. Nothing equals a NULL item. */
function amongst(value: Expr | undefined, items: readonly Expr[], known: RowFacts): RowFacts {
  if (value === undefined) return nothingKnown;
  const wanted = items.filter((item) => !(item.kind === 'literal' && item.value === null));
  if (isCounted(value.type)) {
    const [first, ...others] = wanted.map((item) => spanOf(item, known));
    const ranges = new Map<Column, Range>();
    if (first !== undefined) constrain(value, others.reduce(hullOf, first), ranges);
    return { ranges, texts: [], runs: [], isFiltered: false };
  }
  const texts: string[] = [];
  for (const item of wanted) {
    if (item.kind !== 'literal' || typeof item.value !== 'string') return nothingKnown;
    texts.push(item.value);
  }
  return { ranges: new Map(), texts: textFact(value, texts), runs: [], isFiltered: false };
}

const open: Range = { from: null, to: null };

/** The range of an expression, from the facts about its column. */
function spanOf(expr: Expr, known: RowFacts): Range {
  if (expr.kind === 'literal') return typeof expr.value === 'bigint' ? { from: expr.value, to: expr.value } : open;
  if (expr.kind === 'column') return known.ranges.get(expr.column) ?? open;
  const chain = chainOf(expr);
  return chain === null ? open : imageOf(chain, spanOf(chain.of, known));
}

const imageOf = ({ steps }: Chain, range: Range): Range => steps.reduce((at, step) => step.image(at), range);
const preimageOf = ({ steps }: Chain, range: Range): Range => steps.reduceRight((at, step) => step.preimage(at), range);

/** Narrows the range of the column that the expression is computed from, given the range of the expression. */
function constrain(expr: Expr, range: Range, ranges: Map<Column, Range>): void {
  if (range.from === null && range.to === null) return;
  if (expr.kind === 'column') {
    if (isCounted(expr.type)) narrow(ranges, expr.column, range);
    return;
  }
  const chain = chainOf(expr);
  if (chain !== null) constrain(chain.of, preimageOf(chain, range), ranges);
}

function narrow(ranges: Map<Column, Range>, column: Column, range: Range): void {
  const known = ranges.get(column) ?? open;
  ranges.set(column, { from: extreme(known.from, range.from, true), to: extreme(known.to, range.to, false) });
}

/** The larger or smaller of two bounds; null means no bound. */
function extreme(a: bigint | null, b: bigint | null, isGreater: boolean): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a > b === isGreater ? a : b;
}

/** The smallest range that includes both. A reversed range is used as it is. */
function hullOf(a: Range, b: Range): Range {
  return {
    from: a.from === null || b.from === null ? null : extreme(a.from, b.from, false),
    to: a.to === null || b.to === null ? null : extreme(a.to, b.to, true),
  };
}

/** Widens the range to whole partitions of one of the expressions; null if none is computed from the column. */
function wholePartitions(exprs: readonly Expr[], column: Column, range: Range): Range | null {
  for (const expr of exprs) {
    let steps: Chain['steps'] = [];
    let at = expr;
    // All rows without a value form one partition, whatever their times are.
    for (let chain = chainOf(at); chain !== null && keepsValues(at, chain); chain = chainOf(at)) {
      steps = [...chain.steps, ...steps];
      at = chain.of;
    }
    if (at.kind !== 'column' || at.column !== column) continue;
    const whole: Chain = { of: at, steps };
    return preimageOf(whole, imageOf(whole, range));
  }
  return null;
}

/** The column and path of an expression that only renames a column or reads a member; null for any other. */
function memberOf(expr: Expr): { readonly column: Column; readonly path: readonly string[] } | null {
  if (expr.kind === 'column') return { column: expr.column, path: [] };
  if (expr.kind !== 'pathRead' || (expr.wanted !== 'STRING' && expr.wanted !== 'JSON')) return null;
  const base = memberOf(expr.base);
  return base === null ? null : { column: base.column, path: [...base.path, ...expr.path] };
}

/** Whether a chained call is NULL only if its operand is: neither SAFE nor another argument can make it NULL. */
const keepsValues = (expr: Expr, { of }: Chain): boolean =>
  expr.kind !== 'call' || (!expr.safe && expr.args.every((arg) => arg === of || isThere(arg)));

const isThere = (arg: CallArgument): boolean =>
  arg.kind === 'part' ||
  (arg.kind === 'literal' && arg.value !== null) ||
  (arg.kind === 'call' && arg.fn === '$interval' && arg.args.every(isThere));

const isColumn = (expr: Expr): boolean => expr.kind === 'column';

const isSamePath = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((step, i) => step === b[i]);

/** More alternatives are no fact: adding each one copies the previous ones. */
const alternativesMax = 1000;

function unionOf(a: TextFact['oneOf'], b: TextFact['oneOf']): TextFact['oneOf'] | null {
  if ('parameter' in a) return 'parameter' in b && a.parameter === b.parameter ? a : null;
  return 'parameter' in b || a.length + b.length > alternativesMax ? null : [...a, ...b];
}

const comparisons: ReadonlySet<string> = new Set(['$eq', '$lt', '$le', '$gt', '$ge', '$between', '$in']);

/** Whether the facts are equivalent to the condition: true for a condition on a plain column, except a list of times. */
function isSaidBy(condition: Expr, facts: RowFacts): boolean {
  if (condition.kind !== 'call' || !comparisons.has(condition.fn)) return false;
  if (facts.texts.length > 0) return true;
  return facts.ranges.size > 0 && condition.fn !== '$in' && readsLiterals(condition);
}

/** Whether all operands are literals, except one, which is a column. */
const readsLiterals = ({ args }: CallExpr): boolean =>
  args.filter((arg) => arg.kind !== 'literal').length === 1 && args.every(isLiteralOrColumn);

const isLiteralOrColumn = (arg: CallArgument): boolean => arg.kind === 'literal' || arg.kind === 'column';

/** Whether a condition compares two expressions that are not literals. */
export function comparesColumns(condition: Expr): boolean {
  if (condition.kind !== 'call' || !comparisons.has(condition.fn)) return false;
  return condition.args.filter((arg) => arg.kind !== 'literal').length > 1;
}
