import { assertNever } from '../core/assertNever.ts';
import type { Expression, Position } from '../googlesql/syntax/nodes.ts';
import type { CallerRows } from './callerRows.ts';
import { type FieldFilter, type FieldValue, type Filter, type LevelFilter, levels } from './query.ts';
import {
  all,
  arrayType,
  between,
  boolean,
  call,
  compare,
  exists,
  isElementOf,
  isNotTrue,
  isNull,
  isOneOf,
  name,
  number,
  query,
  safeCast,
  select,
  selected,
  text,
  unnest,
} from './syntaxNodes.ts';
import { timeRange } from './timeRange.ts';

/** The condition of a filter. A negated filter also accepts rows for which the condition is NULL (lql.md). */
export function filterCondition(filter: Filter, rows: CallerRows): Expression {
  const condition = plainCondition(filter, rows);
  return filter.isNegated ? isNotTrue(condition, filter.pos) : condition;
}

function plainCondition(filter: Filter, rows: CallerRows): Expression {
  switch (filter.kind) {
    case 'time':
      return timeRange(filter, rows.timestamp(filter.pos));
    case 'level':
      return levelCondition(filter, rows);
    case 'field':
      return fieldCondition(filter, rows);
    case 'text': {
      const { pos } = filter;
      const message = rows.column('event_message', pos);
      const sought = text(filter.text, pos);
      if (filter.isRegex) return call('regexp_contains', [message, sought], pos);
      return compare('>', call('strpos', [message, sought], pos), number('0', pos), pos);
    }
    default:
      return assertNever(filter);
  }
}

/** Matches any level in the range. */
function levelCondition({ from, to, pos }: LevelFilter, rows: CallerRows): Expression {
  const wanted = levels.slice(levels.indexOf(from), levels.indexOf(to) + 1);
  const level = rows.value({ steps: ['metadata', 'level'], pos });
  // A reversed range matches nothing; the path stays in the condition so that a table without levels is still refused.
  if (wanted.length === 0) return all([boolean(false, pos), isNull(level, pos)], pos);
  return isOneOf(
    level,
    wanted.map((each) => text(each, pos)),
    pos,
  );
}

function fieldCondition({ path, op, value, pos }: FieldFilter, rows: CallerRows): Expression {
  const field = rows.value(path);
  const isText = path.steps.length === 1 && rows.typeOf(path.steps[0] ?? '')?.kind === 'STRING';
  if (value.kind === 'null') return isNull(field, pos);
  if (value.kind === 'range') {
    // If one end is text, both are compared as text.
    const isTexts = isText || value.from.kind === 'text' || value.to.kind === 'text';
    return between(field, scalar(value.from, isTexts, pos), scalar(value.to, isTexts, pos), pos);
  }
  const operand = scalar(value, isText, pos);
  switch (op) {
    case ':':
      return compare('=', field, operand, pos);
    case ':>=':
    case ':<=':
    case ':>':
    case ':<':
      return compare(op === ':>=' ? '>=' : op === ':<=' ? '<=' : op === ':>' ? '>' : '<', field, operand, pos);
    case ':~':
      return call('regexp_contains', [field, operand], pos);
    case ':@>':
      return isElementOf(operand, field, pos);
    case ':@>~':
      return hasMatchingElement(field, operand, pos);
    default:
      return assertNever(op);
  }
}

/** Whether an element of the array matches, read as text. A value that is not an array has no elements. */
function hasMatchingElement(array: Expression, pattern: Expression, pos: Position): Expression {
  const elements = unnest(safeCast(array, arrayType('STRING', pos), pos), 'element', pos);
  const matches = call('regexp_contains', [name('element', pos), pattern], pos);
  const items = [selected(number('1', pos), 'found', pos)];
  return exists(query(select({ items, from: elements, where: matches }, pos), [], pos), pos);
}

/** A literal. Compared with a STRING column, a number is its text as written. */
function scalar(value: Exclude<FieldValue, { kind: 'null' | 'range' }>, isText: boolean, pos: Position): Expression {
  switch (value.kind) {
    case 'boolean':
      return isText ? text(String(value.value), pos) : boolean(value.value, pos);
    case 'number':
      return isText ? text(value.text, pos) : number(value.text, pos);
    case 'text':
      return text(value.text, pos);
    default:
      return assertNever(value);
  }
}
