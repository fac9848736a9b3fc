import type { Notice } from '../googlesql/resolve/tree.ts';
import type { LqlQuery, TextFilter } from './query.ts';

/**
 * Makes notices for words that LQL searches for in messages but that look like a filter in another syntax. Quoted text gets
 * none. `text` is the text of the query.
 */
export function wordsLikeFilters(query: LqlQuery, text: string): readonly Notice[] {
  return query.clauses.flatMap((clause): readonly Notice[] => {
    if (clause.kind !== 'text' || clause.isRegex || isQuoted(clause, text)) return [];
    const advice = adviceFor(clause.text);
    if (advice === null) return [];
    const { line, column } = clause.pos;
    const message = `"${clause.text.slice(0, 100)}" was searched for as text in event_message. ${advice} To search for the text, put it in double quotes.`;
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

/** What to write instead, or null for an ordinary word. */
function adviceFor(word: string): string | null {
  if (/^(?:or|and|not|\|\||&&)$/i.test(word) && (word === word.toUpperCase() || /\W/.test(word))) {
    return /^(?:and|&&)$/i.test(word)
      ? 'Clauses are already combined with AND: remove the word.'
      : /^not$/i.test(word)
        ? 'To negate a clause, write a hyphen before it, as in -m.request.method:GET.'
        : 'LQL has no OR; use a regular expression, such as m.request.method:~"^(GET|POST)$", or SQL.';
  }
  const [, hundreds] = /^([1-5])xx$/i.exec(word) ?? [];
  if (hundreds !== undefined)
    return `For a class of status codes, write m.response.status_code:${hundreds}00..${hundreds}99.`;
  const [, path = '', operator = '', value = ''] = comparison.exec(word) ?? [];
  if (path === '' || !isFilterable(path, operator)) return null;
  const isNegated = operator.startsWith('!') || operator === '<>';
  const shown = /^[A-Za-z0-9_-]+$/.test(value) ? value : '"…"';
  return `For a filter, write ${isNegated ? '-' : ''}${path}${operators[operator] ?? `:${operator}`}${shown}.`;
}

/** Many logs contain text such as `level=error`. A dotted path, or an operator other than `=`, is probably a filter. */
function isFilterable(path: string, operator: string): boolean {
  return (
    path.includes('.') || /[<>!~]/.test(operator) || operator === '==' || /^(?:timestamp|t|id|metadata)$/.test(path)
  );
}
