import { ServiceError } from '../../core/errors.ts';
import type { ParameterEntry } from '../parameterEntry.ts';
import { severalValues } from '../splitParameters.ts';

/** What a call says about pages. */
export interface PageAsk {
  /** The most rows of a page; `max` for as many as the endpoint allows, null for those of the cursor. */
  readonly size: number | 'max' | null;
  readonly cursor: string | null;
}

/** An endpoint that declares one of these has no pages, because it was stored before there were pages. */
export function isPageParameter(name: string): boolean {
  return name === 'page_size' || name === 'cursor';
}

/**
 * Separates `page_size` and `cursor` from the parameters of a call. Null if it does not ask for pages. White space alone
 * counts as absent.
 */
export function takePage(
  entries: readonly ParameterEntry[],
  declared: readonly { readonly name: string }[],
): { readonly page: PageAsk | null; readonly others: readonly ParameterEntry[] } {
  if (!entries.some(([name]) => isPageParameter(name)) || declared.some(({ name }) => isPageParameter(name))) {
    return { page: null, others: entries };
  }
  const own = new Map<string, string>();
  for (const [name, value, list] of entries) {
    if (!isPageParameter(name)) continue;
    if (list !== undefined) throw severalValues(name);
    if (value.trim() !== '') own.set(name, value.trim());
  }
  const cursor = own.get('cursor') ?? null;
  const size = own.get('page_size');
  const others = entries.filter(([name]) => !isPageParameter(name));
  if (size === undefined && cursor === null) return { page: null, others };
  return { page: { size: size === undefined ? null : sizeOf(size), cursor }, others };
}

function sizeOf(text: string): number | 'max' {
  if (text === 'max') return text;
  const size = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
  if (size !== null) return size;
  const value = text.slice(0, 64);
  throw new ServiceError(
    'parameter.invalid',
    `The parameter page_size is "${value}"; it must be a number of rows, or max.`,
    {
      errors: [{ parameter: 'page_size', value, expected: 'a whole number of at least 1, or max' }],
    },
  );
}
