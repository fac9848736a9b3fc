import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { stringify } from 'yaml';

type Row = Readonly<Record<string, unknown>>;

/**
 * The difference between the expected rows and those of the answer, as a patch whose lines can be copied to the test
 * file; null if they are equal. Both are written in the order of `columns`, the columns of the answer.
 */
export function compareRows(expected: readonly Row[], got: readonly Row[], columns: readonly string[]): string | null {
  const [from, to] = [expected, got].map((rows) => rowsText(rows, columns)) as [string, string];
  if (from === to) return null;
  return createTwoFilesPatch('expected', 'got', from, to, undefined, undefined, {
    context: 4,
    headerOptions: FILE_HEADERS_ONLY,
  }).trimEnd();
}

function rowsText(rows: readonly Row[], columns: readonly string[]): string {
  const ordered = rows.map((row) => {
    const names = [...columns.filter((name) => Object.hasOwn(row, name))];
    const others = Object.keys(row).filter((name) => !names.includes(name));
    return new Map([...names, ...others.sort()].map((name) => [name, inOrder(row[name])]));
  });
  const text = stringify(ordered, {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // Quoted as in JSON, so that control characters of an event never reach a terminal.
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  });
  return text.replaceAll(/[\x7f-\x9f]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`);
}

/** The value with the members of objects sorted, because their order has no meaning. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(members.map(([name, member]) => [name, inOrder(member)]));
}
