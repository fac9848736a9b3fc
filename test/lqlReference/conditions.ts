import { type Condition, levels, Refused, type Scalar } from './query.ts';
import { type Row, type Table, type Target, targetOf } from './table.ts';
import { microsOf, timeTest } from './times.ts';
import { booleanOf, compareNumbers, compareTexts, isList, numberOf, textOf, type Value } from './value.ts';

/** What the reference does not say: a query may be refused or answered, and only that it is done in order is held. */
export class Open extends Error {}

type Test = (row: Row) => boolean;
/** How a value stands to another, below 0, 0 or above 0; null where it cannot be read as that is. */
type Order = (value: Value) => number | null;

/** Whether a row meets a condition. What cannot be said of a row is false: a negated clause keeps it. */
export function testOf(condition: Condition, table: Table, now: bigint): Test {
  switch (condition.kind) {
    case 'text': {
      const { read } = targetOf(table, ['event_message']);
      const matches = condition.isPattern ? matcher(condition.text) : (text: string) => text.includes(condition.text);
      return (row) => isText(read(row), matches);
    }
    case 'time': {
      const { read, type } = targetOf(table, ['timestamp']);
      if (type !== 'TIMESTAMP' && type !== 'DATETIME') throw new Refused('no times');
      const holds = timeTest(condition.op, condition.time, now);
      return (row) => isTime(read(row), holds);
    }
    case 'levels': {
      const { read } = targetOf(table, ['metadata', 'level']);
      const wanted: readonly string[] = levels.slice(indexOf(condition.from), indexOf(condition.to) + 1);
      return (row) => wanted.includes(textOf(read(row)) ?? '');
    }
    case 'null': {
      const { read } = targetOf(table, condition.path);
      return (row) => read(row) === null;
    }
    case 'compared': {
      const target = targetOf(table, condition.path);
      const order = orderAgainst(target, condition.value);
      return (row) => isMet(condition.op, order(target.read(row)));
    }
    case 'between': {
      const target = targetOf(table, condition.path);
      const isTexts = condition.from.kind === 'text' || condition.to.kind === 'text';
      const [from, to] = [condition.from, condition.to].map((each) =>
        orderAgainst(target, isTexts ? asText(each) : each),
      );
      return (row) => isMet(':>=', from?.(target.read(row)) ?? null) && isMet(':<=', to?.(target.read(row)) ?? null);
    }
    case 'matches': {
      const target = targetOf(table, condition.path);
      if (target.type !== 'JSON' && target.type !== 'STRING') throw new Refused(`a pattern on ${target.type}`);
      const matches = matcher(condition.pattern);
      return (row) => isText(textOf(target.read(row)), matches);
    }
    case 'holds': {
      const target = targetOf(table, condition.path);
      const order = orderAgainst({ type: elementType(target) }, condition.value, true);
      return (row) => elementsOf(target.read(row)).some((element) => order(element) === 0);
    }
    case 'holdsMatch': {
      const target = targetOf(table, condition.path);
      elementType(target);
      const matches = matcher(condition.pattern);
      return (row) => elementsOf(target.read(row)).some((element) => isText(textOf(element), matches));
    }
  }
}

const indexOf = (level: string): number => (levels as readonly string[]).indexOf(level);

const isText = (value: Value, matches: (text: string) => boolean): boolean =>
  typeof value === 'string' && matches(value);

const isTime = (value: Value, holds: (at: bigint) => boolean): boolean => typeof value === 'bigint' && holds(value);

const elementsOf = (value: Value): readonly Value[] => (isList(value) ? value : []);

function elementType({ type }: Target): 'JSON' | 'STRING' {
  if (type === 'JSON') return 'JSON';
  if (type === 'ARRAY<STRING>') return 'STRING';
  throw new Refused(`${type} has no elements`);
}

const asText = (value: Scalar): Scalar => ({
  kind: 'text',
  text: value.kind === 'boolean' ? String(value.value) : value.text,
});

/** `isElement`: an element of a column of texts is compared with text alone, where a column of text takes a number as written. */
function orderAgainst({ type }: Pick<Target, 'type'>, value: Scalar, isElement = false): Order {
  if (type === 'STRING' && !(isElement && value.kind !== 'text')) return textOrder(asText(value));
  if (type === 'JSON') {
    return value.kind === 'number'
      ? numberOrder(value.text)
      : value.kind === 'text'
        ? textOrder(value)
        : booleanOrder(value.value);
  }
  if ((type === 'INT64' || type === 'FLOAT64') && value.kind === 'number') return numberOrder(value.text);
  if (type === 'BOOL' && value.kind === 'boolean') return booleanOrder(value.value);
  if (type === 'TIMESTAMP' && value.kind === 'text') {
    // Digits are a count of seconds behind `t:` alone.
    const micros = /^\d+$/.test(value.text) ? null : microsOf(value.text);
    if (micros === null) throw new Refused('text that is no time');
    return (each) => (typeof each === 'bigint' ? compareNumbers(each, micros) : null);
  }
  throw new Refused(`${type} against ${value.kind}`);
}

function textOrder(value: Scalar): Order {
  const against = value.kind === 'text' ? value.text : '';
  return (each) => {
    const text = textOf(each);
    return text === null ? null : compareTexts(text, against);
  };
}

function numberOrder(written: string): Order {
  const isWhole = !written.includes('.');
  const against = isWhole ? BigInt(written) : Number(written);
  if (typeof against === 'bigint' && (against < -(2n ** 63n) || against >= 2n ** 63n))
    throw new Refused('beyond INT64');
  return (each) => {
    const number = numberOf(each);
    return number === null ? null : compareNumbers(number, against);
  };
}

function booleanOrder(against: boolean): Order {
  return (each) => {
    const value = booleanOf(each);
    return value === null ? null : Number(value) - Number(against);
  };
}

function isMet(op: string, order: number | null): boolean {
  if (order === null) return false;
  if (op === ':') return order === 0;
  return op === ':>=' ? order >= 0 : op === ':<=' ? order <= 0 : op === ':>' ? order > 0 : order < 0;
}

/** Patterns that mean the same in RE2 and here. What others mean is not for this reference to say. */
const samePatterns =
  /^(?:\(\?i\))?(?:(?:[A-Za-z0-9 é日本.]|\\[dw.|\\]|\[[0-9a-z^-]+\])[+*?]?|[/|^$-]|\((?=[a-z|]+\))|\))*$/;

function matcher(pattern: string): (text: string) => boolean {
  if (!samePatterns.test(pattern)) throw new Open(`the pattern ${pattern}`);
  const isAnyCase = pattern.startsWith('(?i)');
  try {
    const regex = new RegExp(isAnyCase ? pattern.slice(4) : pattern, isAnyCase ? 'iu' : 'u');
    return (text) => regex.test(text);
  } catch {
    throw new Open(`the pattern ${pattern}`);
  }
}
