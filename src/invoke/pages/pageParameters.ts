import { ServiceError } from '../../core/errors.ts';
import type { ParameterEntry } from '../parameterEntry.ts';

/** What a call says about pages. */
export interface PageAsk {
  /** The most rows of a page; null for those of the cursor. */
  readonly size: number | null;
  readonly cursor: string | null;
}

/** An endpoint that declares one of these keeps it for itself, because it was stored before there were pages. */
const names = ['page_size', 'cursor'] as const;

/**
 * Separates `page_size` and `cursor` from the parameters of a call. Null if it does not ask for pages. White space alone
 * counts as absent.
 */
export function takePage(
  entries: readonly ParameterEntry[],
  declared: readonly { readonly name: string }[],
): { readonly page: PageAsk | null; readonly others: readonly ParameterEntry[] } {
  const isOwn = (name: string): boolean => names.some((each) => each === name);
  if (!entries.some(([name]) => isOwn(name)) || declared.some(({ name }) => isOwn(name))) {
    return { page: null, others: entries };
  }
  const own = new Map<string, string>();
  for (const [name, value, list] of entries) {
    if (!isOwn(name)) continue;
    if (list !== undefined) {
      throw new ServiceError('parameter.duplicate', `The parameter ${name} takes one value; give it once.`, {
        errors: [{ parameter: name, message: 'is given more than once' }],
      });
    }
    if (value.trim() !== '') own.set(name, value.trim());
  }
  const cursor = own.get('cursor') ?? null;
  const size = own.get('page_size');
  const others = entries.filter(([name]) => !isOwn(name));
  if (size === undefined && cursor === null) return { page: null, others };
  return { page: { size: size === undefined ? null : sizeOf(size), cursor }, others };
}

function sizeOf(text: string): number {
  const size = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
  if (size !== null) return size;
  const value = text.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The parameter page_size is "${value}"; it must be a number of rows.`, {
    errors: [{ parameter: 'page_size', value, expected: 'a whole number of at least 1' }],
  });
}
