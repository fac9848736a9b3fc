import type { Answers } from '../api/types.ts';
import { clausesOf, equalsClause } from './clauses.ts';

type ConvertedFilter = NonNullable<Answers['endpoints.convert']['filters']>[number];

/** Operators between a path and a value, with their words. */
export const operators = [
  [':', 'is'],
  [':>=', '≥'],
  [':>', '>'],
  [':<=', '≤'],
  [':<', '<'],
  [':~', 'matches'],
  [':@>', 'element is'],
  [':@>~', 'element matches'],
] as const;

/** One clause of a search, as a form shows it. */
export interface FilterPart {
  /** Stays the same if the value changes. */
  readonly key: string;
  readonly kind: ConvertedFilter['kind'];
  /** The clause as it was typed. */
  readonly text: string;
  readonly isNegated: boolean;
  /** Null for clauses that are changed as text only. */
  readonly compared: { readonly path: string; readonly op: string; readonly value: string } | null;
}

/** The clauses of a search, as the service read them, with the texts that were typed. */
export function filterParts(lql: string, filters: readonly ConvertedFilter[]): readonly FilterPart[] {
  const typed = clausesOf(lql);
  const areSame = typed.length === filters.length;
  return filters.map((filter, index) => {
    const { kind, negated, path, op } = filter;
    const prefix = `${negated ? '-' : ''}${path ?? ''}${op ?? ''}`;
    const isCompared = kind === 'field' && path !== null && op !== null && filter.text.startsWith(prefix);
    return {
      key: `${index} ${path ?? filter.text}`,
      kind,
      text: areSame ? (typed[index]?.text ?? filter.text) : filter.text,
      isNegated: negated,
      compared: isCompared ? { path: shortPath(path), op, value: filter.text.slice(prefix.length) } : null,
    };
  });
}

/** `m.` is how LQL shortens `metadata.`. */
const shortPath = (path: string): string => path.replace(/^metadata\./, 'm.');

/** The text of a clause that compares a member with a value in LQL. A value with white space gets quotes, unless it is a range. */
export function comparingClause(path: string, op: string, value: string, isNegated: boolean): string {
  const isWritten = /^"(?:[^"\\]|\\.)*"(\.\.\S+)?$/.test(value) || /^[^\s"():]+$/.test(value);
  const clause = isWritten ? `${path}${op}${value}` : (equalsClause(path, value) ?? '').replace(':', op);
  return `${isNegated ? '-' : ''}${clause}`;
}

/** The search with one clause changed; null removes it. */
export function withPart(parts: readonly FilterPart[], index: number, text: string | null): string {
  return parts
    .map((part, at) => (at === index ? text : part.text))
    .filter((each) => each !== null && each !== '')
    .join(' ');
}
