import type { Notice } from '../googlesql/resolve/tree.ts';
import type { LqlQuery, TextFilter } from './query.ts';

/**
 * Notices for words that are searched for in messages, as LQL says, but look like a filter of another notation. Texts in
 * quotes are meant as they stand. `text` is that of the query.
 */
export function wordsLikeFilters(query: LqlQuery, text: string): readonly Notice[] {
  return query.clauses.flatMap((clause): readonly Notice[] => {
    if (clause.kind !== 'text' || clause.isRegex || isQuoted(clause, text)) return [];
    const advice = adviceFor(clause.text);
    if (advice === null) return [];
    const { line, column } = clause.pos;
    const message = `"${clause.text.slice(0, 100)}" was searched for as a text in event_message. ${advice} Put it in double quotes to search for the text.`;
    return [{ code: 'lql.word_like_filter', message, line, column }];
  });
}

function isQuoted({ pos }: TextFilter, text: string): boolean {
  return /^-?~?"/.test(text.slice(pos.offset, pos.offset + 3));
}

const comparison = /^([A-Za-z_]\w*(?:\.\w+)*)(=~|!~|==?|!=|<>|>=|<=|>|<)(.+)$/s;
const operators: Readonly<Record<string, string>> = {
  '=': ':',
  '==': ':',
  '!=': ':',
  '<>': ':',
  '=~': ':~',
  '!~': ':~',
};

/** What to write instead; null for a word that looks like nothing else. */
function adviceFor(word: string): string | null {
  if (/^(?:or|and|not|\|\||&&)$/i.test(word) && (word === word.toUpperCase() || /\W/.test(word))) {
    return /^(?:and|&&)$/i.test(word)
      ? 'Clauses are joined by AND already: leave the word out.'
      : /^not$/i.test(word)
        ? 'Write a hyphen before a clause to negate it, such as -m.request.method:GET.'
        : 'LQL has no OR; write a regular expression, such as m.request.method:~"^(GET|POST)$", or a query in SQL.';
  }
  const [, hundreds] = /^([1-5])xx$/i.exec(word) ?? [];
  if (hundreds !== undefined)
    return `For a class of status codes write m.response.status_code:${hundreds}00..${hundreds}99.`;
  const [, path = '', operator = '', value = ''] = comparison.exec(word) ?? [];
  if (path === '' || !isFilterable(path, operator)) return null;
  const isNegated = operator.startsWith('!') || operator === '<>';
  const shown = /^[A-Za-z0-9_-]+$/.test(value) ? value : '"…"';
  return `For a filter write ${isNegated ? '-' : ''}${path}${operators[operator] ?? `:${operator}`}${shown}.`;
}

/** `level=error` is a text of many logs; a path of members, or a comparison of order, is a filter. */
function isFilterable(path: string, operator: string): boolean {
  return (
    path.includes('.') || /[<>!~]/.test(operator) || operator === '==' || /^(?:timestamp|t|id|metadata)$/.test(path)
  );
}
