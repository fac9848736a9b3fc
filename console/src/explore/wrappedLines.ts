import { hiddenChar } from '../text/hiddenChars.ts';

/** Columns of a chip that names a hidden character, such as U+202E with its border. */
const chipColumns = 9;
const linesMax = 12;

/**
 * How many lines of a width a text takes if its lines end at any character, as in a terminal. It is computed, because rows
 * whose height is measured move those below them.
 *
 * @param columns characters of a line
 */
export function wrappedLines(text: string, columns: number): number {
  const width = /^[\x20-\x7e]*$/.test(text) ? text.length : [...text].reduce((sum, char) => sum + columnsOf(char), 0);
  return Math.min(linesMax, Math.max(1, Math.ceil(width / Math.max(1, columns))));
}

/** Letters of East Asia and pictures are two columns wide. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

const columnsOf = (char: string): number => (hiddenChar.test(char) ? chipColumns : wide.test(char) ? 2 : 1);
