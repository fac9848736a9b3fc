import { printIdentifier } from '../../googlesql/syntax/printText.ts';

/** A name, or null for the elements of an array. */
export type MemberStep = string | null;

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The path as queries write it: `metadata.request.path`. Elements of arrays are `[]`; they are read with UNNEST. */
export function pathText(path: readonly MemberStep[]): string {
  let text = '';
  for (const step of path) {
    if (step === null) text += '[]';
    else {
      const name = plainName.test(step) ? step : printIdentifier({ name: step, quoted: true });
      text += text === '' ? name : `.${name}`;
    }
  }
  return text;
}

/** The order of `MemberTally.members`: elements before names, names by UTF-16 units. */
export function comparePaths(a: readonly MemberStep[], b: readonly MemberStep[]): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [a[at] ?? null, b[at] ?? null];
    if (left === right) continue;
    if (left === null) return -1;
    if (right === null) return 1;
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

/** The names of a path, without the elements of arrays: as rules about names see it. */
export function namesOf(path: readonly MemberStep[]): readonly string[] {
  return path.filter((step) => step !== null);
}
