import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../core/jsonValue.ts';
import { writeJson } from '../../core/writeJson.ts';

/** What a service answered. */
export type ComparedAnswer =
  | { readonly kind: 'rows'; readonly rows: readonly JsonValue[] }
  /** `reason`: its status and message. */
  | { readonly kind: 'refused'; readonly reason: string; readonly status: number }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** - `order`: the same rows, in another order. */
export type Verdict = 'same' | 'both refuse' | 'order' | 'different';

export interface Comparison {
  readonly verdict: Verdict;
  /** At most a few sentences that name what differs. */
  readonly differences: readonly string[];
}

/** Differences that are told of one call. */
const toldMax = 3;

/**
 * Reads an answer. A body with `error` and without rows is a refusal whatever its status is: similar services answer so with
 * status 200.
 */
export function answerIn(status: number, body: JsonValue | undefined): ComparedAnswer {
  const members = isJsonObject(body) ? body : {};
  if (status < 400 && isJsonArray(members.result)) return { kind: 'rows', rows: members.result };
  const { error, detail } = members;
  const message = detail ?? (isJsonObject(error) ? error.message : error);
  const told = message === undefined || message === null ? '' : `: ${short(message)}`;
  return { kind: 'refused', reason: `${status}${told}`, status };
}

/** Compares two answers to the same call. */
export function compareAnswers(old: ComparedAnswer, own: ComparedAnswer): Comparison {
  if (old.kind === 'rows' && own.kind === 'rows') return compareRows(old.rows, own.rows);
  if (old.kind === 'refused' && own.kind === 'refused' && !isFailure(own.status)) {
    return { verdict: 'both refuse', differences: [] };
  }
  return { verdict: 'different', differences: [`old: ${told(old)}`, `new: ${told(own)}`] };
}

/** Whether a refusal says nothing of the call itself: a wrong token, too many calls, or a failing service. */
const isFailure = (status: number): boolean => [401, 403, 429].includes(status) || status >= 500;

function told(answer: ComparedAnswer): string {
  return answer.kind === 'rows' ? countOf(answer.rows) : `${answer.kind}, ${answer.reason}`;
}

const countOf = ({ length }: readonly JsonValue[]): string => `${length} ${length === 1 ? 'row' : 'rows'}`;

function compareRows(old: readonly JsonValue[], own: readonly JsonValue[]): Comparison {
  const oldTexts = old.map(textOf);
  const ownTexts = own.map(textOf);
  if (oldTexts.length === ownTexts.length) {
    if (oldTexts.every((text, index) => text === ownTexts[index])) return { verdict: 'same', differences: [] };
    const sorted = ownTexts.toSorted();
    if (oldTexts.toSorted().every((text, index) => text === sorted[index])) {
      return { verdict: 'order', differences: ['the same rows, in another order'] };
    }
  }
  const differences = old.length === own.length ? [] : [`old: ${countOf(old)}, new: ${countOf(own)}`];
  for (const [index, row] of old.entries()) {
    const other = own[index];
    if (differences.length >= toldMax || other === undefined) break;
    if (oldTexts[index] !== ownTexts[index]) differences.push(...rowDifferences(row, other, index));
  }
  return { verdict: 'different', differences: differences.slice(0, toldMax) };
}

function rowDifferences(old: JsonValue, own: JsonValue, index: number): readonly string[] {
  const place = `row ${index + 1}`;
  if (!isJsonObject(old) || !isJsonObject(own)) return [`${place}: ${short(old)} became ${short(own)}`];
  const names = new Set([...Object.keys(old), ...Object.keys(own)]);
  return [...names].flatMap((name) => memberDifference(old, own, name).map((text) => `${place}, ${name}: ${text}`));
}

function memberDifference(old: JsonObject, own: JsonObject, name: string): readonly string[] {
  if (!Object.hasOwn(own, name)) return ['only in the old answer'];
  if (!Object.hasOwn(old, name)) return ['only in the new answer'];
  const [before = null, after = null] = [old[name], own[name]];
  if (textOf(before) === textOf(after)) return [];
  const isOnlyType = typeof before !== typeof after && unquoted(before) === unquoted(after);
  return [`${short(before)} became ${short(after)}${isOnlyType ? ' (another JSON type)' : ''}`];
}

const unquoted = (value: JsonValue): string => (typeof value === 'string' ? value : writeJson(value));

/** Equal for equal values: members in any order, and numbers by their value. */
function textOf(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (isJsonObject(value)) {
    const names = Object.keys(value).sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${textOf(value[name] ?? null)}`).join(',')}}`;
  }
  return writeJson(value);
}

function short(value: JsonValue): string {
  const text = writeJson(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
