import type { CallArgument } from './tree.ts';

/** The elements of an array of string literals, including NULLs; null for any other expression. */
export function constantTexts(arg: CallArgument): readonly (string | null)[] | null {
  if (arg.kind === 'cast') return arg.value.kind === 'array' && arg.value.elements.length === 0 ? [] : null;
  if (arg.kind !== 'array') return null;
  const texts: (string | null)[] = [];
  for (const element of arg.elements) {
    if (element.kind !== 'literal' || (element.value !== null && typeof element.value !== 'string')) return null;
    texts.push(element.value);
  }
  return texts;
}
