/** A text whose only quote is an apostrophe, as in `it's`. */
const isApostrophe = /^[^'"`]*\p{L}'\p{L}[^'"`]*$/su;

/**
 * The text of an engine without what may be values of callers or rows: its messages quote names and values, repeat the
 * statement after `LINE`, and contain numbers. Everything from the first quote to the last is removed, because a value can
 * contain quotes. The text must be whole: the last quote of a value that was cut is missing, and one within it counts.
 */
export function withoutValues(text: string): string {
  return withoutQuoted(text)
    .replace(/\n[^\S\n]*LINE \d+:.*/s, '')
    .trimEnd()
    .replace(/\d{4,}/g, '#');
}

function withoutQuoted(text: string): string {
  const first = text.search(/['"`]/);
  if (first === -1 || isApostrophe.test(text)) return text;
  const quote = text.charAt(first);
  const last = Math.max(...["'", '"', '`'].map((each) => text.lastIndexOf(each)));
  return `${text.slice(0, first)}${quote}…${first === last ? '' : `${quote}${text.slice(last + 1)}`}`;
}
