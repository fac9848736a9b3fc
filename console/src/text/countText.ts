/** A count with its word, whose plural ends with s: `1 row`, `1,024 rows`. */
export const countText = (count: number, word: string): string =>
  `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
