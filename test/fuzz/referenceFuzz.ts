import { ServiceError } from '../../src/core/errors.ts';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { typeName } from '../../src/googlesql/types.ts';
import { ConformanceStore } from '../conformance/conformanceStore.ts';
import { isOrdered } from '../conformance/isOrdered.ts';
import { referenceQuery } from '../conformance/referenceTables.ts';
import { canonical, cellsOf } from '../conformance/sameAnswer.ts';
import type { ReferenceAnswer } from '../reference/decodeValue.ts';
import type { ReferencePackage } from '../reference/install.ts';
import { EvaluatorError, ReferenceEvaluator } from '../reference/referenceEvaluator.ts';
import { causeText } from './causeText.ts';
import { FuzzLog, type FuzzReport, type FuzzRun } from './finding.ts';
import { ReferenceQueries } from './referenceQuery.ts';

/** Digits to which FLOAT64 values are compared: sums are added in another order. */
const digits = 12;

type Outcome =
  | { readonly kind: 'rows'; readonly rows: readonly (readonly unknown[])[]; readonly types: readonly string[] }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }
  /** A fault of the service. */
  | { readonly kind: 'broken'; readonly why: string };

/** Well-typed queries whose answers are compared with those of GoogleSQL's reference evaluator. */
export async function fuzzReference(run: FuzzRun, reference: ReferencePackage): Promise<FuzzReport> {
  const log = new FuzzLog(run.found);
  const queries = new ReferenceQueries(new SeededRandom(`reference/${run.seed}`));
  const store = await ConformanceStore.open({ withHotColumns: true, isSealed: true });
  let evaluator = await ReferenceEvaluator.start(reference);
  let inputs = 0;
  try {
    for (; !run.isOver(); inputs++) {
      const { sql, reference: asked } = queries.query();
      if (!evaluator.isRunning) evaluator = await ReferenceEvaluator.start(reference);
      const theirs = await askReference(evaluator, asked);
      if (theirs.kind === 'refused') {
        log.count(`the evaluator refuses: ${theirs.why.slice(0, 60)}`);
        continue;
      }
      compare(sql, await askStore(store, sql), theirs, log);
    }
  } finally {
    await store.close();
    await evaluator.close();
  }
  return { name: 'reference', inputs, counts: log.counts, findings: log.findings };
}

/** A select list over joined tables, and nothing else. */
const isComplete = /^select (?!distinct)(?:(?! where | group by | over | exists| array\(|\(select).)*$/;

/** A constant that is wrong is refused here even beside a NULL, to which the evaluator answers NULL. */
const isRefusedConstant = (ours: Outcome): boolean =>
  ours.kind === 'failed' && /JSON path|does not support the element|width of a bucket|one group at most/.test(ours.why);

const textOf = (outcome: Outcome): string => (outcome.kind === 'rows' ? `${outcome.rows.length} rows` : outcome.why);

function compare(sql: string, ours: Outcome, theirs: Outcome, log: FuzzLog): void {
  if (ours.kind === 'broken') {
    log.add({ rule: 'no query is answered with a fault of the service', input: sql, detail: ours.why });
  } else if (ours.kind === 'refused') {
    log.count(`refused here: ${ours.why.replaceAll(/\d+|`.*?`/g, '#').slice(0, 80)}`);
  } else if (ours.kind !== theirs.kind) {
    // In which order conditions and values are computed is nobody's promise, so one side may meet a bad value
    // that the other does not come to. Where every value of every row is asked for, both must meet it.
    if (!isComplete.test(sql) || isRefusedConstant(ours)) log.count('one side fails');
    else
      log.add({
        rule: 'both answer or both fail',
        input: sql,
        detail: `here: ${textOf(ours)}; reference: ${textOf(theirs)}`,
      });
  } else if (ours.kind === 'rows' && theirs.kind === 'rows') {
    const difference = differenceOf(sql, textsOf(ours, theirs.types), textsOf(theirs, theirs.types));
    if (difference === null) log.count('the same rows');
    else log.add({ rule: 'the same rows', input: sql, detail: difference });
  } else log.count('both fail');
}

function differenceOf(sql: string, ours: readonly string[], theirs: readonly string[]): string | null {
  const [got, want] = isOrdered(sql) ? [ours, theirs] : [[...ours].sort(), [...theirs].sort()];
  if (got.length !== want.length) return `${got.length} rows here, ${want.length} in the reference`;
  const at = got.findIndex((row, i) => row !== want[i]);
  return at < 0 ? null : `here ${got[at]}; reference ${want[at]}`;
}

async function askReference(evaluator: ReferenceEvaluator, sql: string): Promise<Outcome> {
  try {
    const { columns, rows }: ReferenceAnswer = await evaluator.run(referenceQuery(sql));
    const types = columns.map(({ type }) => type);
    return { kind: 'rows', types, rows };
  } catch (error) {
    if (!(error instanceof EvaluatorError)) throw error;
    return { kind: error.isAboutData ? 'failed' : 'refused', why: error.message };
  }
}

async function askStore(store: ConformanceStore, sql: string): Promise<Outcome> {
  try {
    const answer = await store.run(sql);
    const types = answer.columns.map(({ column }) => typeName(column.type));
    return { kind: 'rows', types, rows: answer.exactRows().map(cellsOf) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const cause = causeText(error);
    const why = `${error.code} ${error.message}${cause === '' ? '' : `\n  caused by ${cause}`}`;
    if (error.code === 'sql.data') return { kind: 'failed', why };
    return { kind: /^(?:sql|sandbox)\./.test(error.code) ? 'refused' : 'broken', why };
  }
}

/** A nested value, which is JSON here, is compared as what it is there. */
function textsOf({ rows, types }: Outcome & { readonly kind: 'rows' }, theirs: readonly string[]): readonly string[] {
  const kinds = types.map((type, i) => (/\bJSON\b/.test(type) ? (theirs[i] ?? type) : type));
  return rows.map((row) => row.map((value, i) => canonical(value, kinds[i] ?? '', kinds[i] ?? '', digits)).join(' | '));
}
