/**
 * The text of an engine without what may be values of callers or rows: its messages quote names and values, repeat the
 * statement after `LINE`, and contain numbers. Everything from the first quote to the last is removed, because a value can
 * contain quotes.
 */
export function withoutValues(text: string): string {
  return text
    .replace(/'.*'/s, "'…'")
    .replace(/".*"/s, '"…"')
    .replace(/`.*`/s, '`…`')
    .replace(/\n\s*LINE \d+:.*/s, '')
    .replace(/\d{4,}/g, '#');
}
