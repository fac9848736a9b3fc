import type { ServiceError } from '../../src/core/errors.ts';
import { causeText } from '../fuzz/causeText.ts';
import { Open } from './conditions.ts';
import { evaluate } from './evaluate.ts';
import { now } from './events.ts';
import { Refused } from './query.ts';
import type { ReferenceAnswer } from './referenceAnswer.ts';
import { type Answer, type Call, isRefusal, type LqlStore } from './store.ts';
import { isList, isObject, type Value } from './value.ts';

/** What came of one text: `null` where service and reference agree, or what differs. */
export interface Comparison {
  readonly outcome: 'the same rows' | 'both refuse' | 'open';
  readonly difference: string | null;
}

/** Runs a text in the service and in the reference. */
export async function compare(text: string, call: Call, store: LqlStore): Promise<Comparison> {
  const expected = expectedOf(text, call, store);
  let answer: Answer;
  try {
    answer = await store.ask(text, call);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return refused(error, expected);
  }
  if (expected === 'open') return { outcome: 'open', difference: null };
  if (expected instanceof Refused) {
    return { outcome: 'both refuse', difference: `answered; the reference refuses it: ${expected.message}` };
  }
  return { outcome: 'the same rows', difference: differenceOf(answer, expected, call.rowsMax) };
}

function expectedOf(text: string, call: Call, store: LqlStore): ReferenceAnswer | Refused | 'open' {
  try {
    return evaluate(text, store.tables(call), now);
  } catch (error) {
    if (error instanceof Open) return 'open';
    if (error instanceof Refused) return error;
    throw error;
  }
}

/** A refusal is one of the caller's text, in its own words and with a place. */
function refused(error: ServiceError, expected: ReferenceAnswer | Refused | 'open'): Comparison {
  const cause = causeText(error);
  const why = `${error.code} ${error.message}${cause === '' ? '' : ` caused by ${cause}`}`;
  if (!/^(?:lql|sql|sandbox)\./.test(error.code)) return { outcome: 'both refuse', difference: `a failure: ${why}` };
  const [first] = error.errors as readonly { readonly line?: number; readonly column?: number }[];
  const hasPlace = first?.line !== undefined && first.column !== undefined;
  if (!hasPlace && error.code !== 'lql.table_missing') {
    return { outcome: 'both refuse', difference: `a refusal without a place: ${why}` };
  }
  if (expected === 'open') return { outcome: 'open', difference: null };
  if (expected instanceof Refused) return { outcome: 'both refuse', difference: null };
  return { outcome: 'the same rows', difference: `refused, ${why}; the reference has ${expected.rows.length} rows` };
}

function differenceOf(answer: Answer, expected: ReferenceAnswer, rowsMax: number): string | null {
  if (answer.names.join() !== expected.names.join())
    return `columns ${answer.names.join()}; reference ${expected.names.join()}`;
  const total = expected.rows.length;
  if (answer.hasMore !== total > rowsMax) return `more rows: ${answer.hasMore}; reference has ${total}`;
  if (!expected.isOrdered && answer.hasMore) return null;
  const kept = expected.keeps === 'last' ? expected.rows.slice(-rowsMax) : expected.rows.slice(0, rowsMax);
  const written = (value: Value, name: string): string => comparable(isSum(expected, name) ? roughly(value) : value);
  const wanted = kept.map((row) => row.map((value, i) => written(value, expected.names[i] ?? '')).join(' | '));
  const got = answer.rows.map((row) => answer.names.map((name) => written(row[name] ?? null, name)).join(' | '));
  const [left, right] = expected.isOrdered ? [got, wanted] : [[...got].sort(), [...wanted].sort()];
  if (left.length !== right.length) return `${left.length} rows; reference ${right.length}\n${onlyIn(left, right)}`;
  const at = left.findIndex((row, i) => row !== right[i]);
  return at < 0 ? null : `row ${at}: ${left[at]}\nreference: ${right[at]}\n${onlyIn(left, right)}`;
}

/** A sum of doubles depends on the order in which they are added. */
const isSum = ({ keeps }: ReferenceAnswer, name: string): boolean =>
  keeps === 'last' && (name === 'sum' || name === 'avg');

const roughly = (value: Value): Value =>
  typeof value === 'bigint' || typeof value === 'number' ? Number(Number(value).toPrecision(12)) : value;

function onlyIn(left: readonly string[], right: readonly string[]): string {
  const extra = left.filter((row) => !right.includes(row)).slice(0, 3);
  const missing = right.filter((row) => !left.includes(row)).slice(0, 3);
  return `only here: ${extra.join('\n  ')}\nonly in the reference: ${missing.join('\n  ')}`;
}

/** A value as text that is the same for equal values; members in the order of their names. */
function comparable(value: Value): string {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (isList(value)) return `[${value.map(comparable).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${name}:${comparable(member)}`).join()}}`;
}
