import { ServiceError } from '../../core/errors.ts';
import type { Notice } from '../../googlesql/resolve/tree.ts';
import type { PageAsk } from './pageParameters.ts';
import { type Page, type PageCall, type PageServices, preparePage } from './pages.ts';

/** The page that a call asks for; null if it asks for none. */
export interface AskedPage {
  readonly page: Page | null;
  readonly notices: readonly Notice[];
}

/** Rows of a part: more than of an answer, because each part runs the query again. */
const partRowsMax = 50_000;

/** Why a query has no pages, by the code of the error. */
const withoutPages: ReadonlyMap<string, (error: ServiceError) => string> = new Map<
  string,
  (error: ServiceError) => string
>([
  [
    'page.unorderable',
    ({ errors }) => `its rows have no complete order that lasts: the query has ${errors[0]?.token ?? 'no such order'}.`,
  ],
  ['page.unsupported', () => 'the engine of this service cannot answer in parts.'],
]);

/**
 * Prepares the page of a call, if there is one. A part of an export is a large page, or the whole answer if the query
 * has no pages. Throws like `preparePage`, and `parameter.invalid` for an export of a page.
 */
export async function pageOf(
  part: { readonly cursor: string | null; readonly rowsMax: number } | undefined,
  call: Omit<PageCall, 'ask'> & { readonly ask: PageAsk | null },
  services: PageServices,
): Promise<AskedPage> {
  const { ask } = call;
  if (part === undefined) {
    return { page: ask === null ? null : await preparePage({ ...call, ask }, services), notices: [] };
  }
  if (ask !== null) {
    throw new ServiceError(
      'parameter.invalid',
      'An export has the rows of all pages. Leave out page_size and cursor, or call without Prefer: respond-async.',
      { errors: [{ parameter: ask.cursor === null ? 'page_size' : 'cursor' }] },
    );
  }
  const { cursor } = part;
  const wanted: PageAsk = { size: Math.min(partRowsMax, part.rowsMax), cursor };
  try {
    return {
      page: await preparePage({ ...call, rowsMax: partRowsMax, ask: wanted, isPart: true }, services),
      notices: [],
    };
  } catch (error) {
    if (!(error instanceof ServiceError) || cursor !== null) throw error;
    const why = withoutPages.get(error.code)?.(error);
    if (why === undefined) throw error;
    return { page: null, notices: [wholeAnswer(why, call.rowsMax)] };
  }
}

function wholeAnswer(why: string, rowsMax: number): Notice {
  return {
    code: 'export.one_answer',
    message: `The export has the rows of one answer, at most ${rowsMax}, because ${why} If truncated_by is not null, rows are missing: export several shorter ranges of time, or change the query.`,
  };
}
