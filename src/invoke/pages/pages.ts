import type { Clock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Randomness } from '../../core/ids.ts';
import type { Timer } from '../../core/timer.ts';
import { readKeys } from '../../googlesql/plan/pageKeys.ts';
import { type PageAsked, type PagedQuery, pagedQuery, pageQuery } from '../../googlesql/plan/pageQuery.ts';
import type { ParameterValues } from '../../googlesql/resolve/parameterValue.ts';
import type { Notice, ResolvedQuery } from '../../googlesql/resolve/tree.ts';
import type { QueryResult, RunRequest } from '../../ports/queryEngine.ts';
import type { AuthenticatedToken } from '../../tokens/authenticator.ts';
import type { CallerQuery } from '../callerQueryText.ts';
import { countOf, limitReachedNotice, outerLimitOf, type QueryLimit, queryLimitOf } from '../queryLimit.ts';
import type { TruncatedBy } from '../rowLimit.ts';
import { type CallLimit, type UsedTime, withinLimit } from '../withinLimit.ts';
import {
  type CursorBinding,
  keyBytesMax,
  openCursor,
  type PagePlace,
  partKeyBytesMax,
  refused,
  sealCursor,
  shortHash,
} from './cursor.ts';
import type { CursorKey, CursorKeys } from './cursorKeys.ts';
import type { PageAsk } from './pageParameters.ts';

export interface PageServices {
  /** `EngineCapabilities.lastArrival`; absent if the engine cannot freeze what is seen. */
  readonly lastArrival: (() => number) | undefined;
  /** `EngineCapabilities.reachArrival`. */
  readonly reachArrival?: ((number: number | null) => Promise<boolean>) | undefined;
  readonly keys: Pick<CursorKeys, 'current' | 'find'>;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly randomness: Randomness;
}

/** What a call in pages is about. */
export interface PageCall extends CallLimit {
  readonly ask: PageAsk;
  readonly query: ResolvedQuery;
  readonly endpoint: {
    readonly id: string;
    readonly version: number;
    readonly query: string;
    readonly sandbox: boolean;
  };
  readonly callerQuery: CallerQuery | null;
  readonly parameters: ParameterValues;
  readonly token: Pick<AuthenticatedToken, 'scopes' | 'restrictions'>;
  /** Values profile and redaction: everything else that decides how rows are written. */
  readonly form: readonly unknown[];
  /** The most rows of an answer. */
  readonly rowsMax: number;
  /** Whether the page is a part of an export. Its cursor stays in the service, and nobody reads the pages backwards. */
  readonly isPart?: boolean;
}

/** Cursors of the pages around one; null where there is none. */
export interface PageLinks {
  readonly next: string | null;
  readonly prev: string | null;
}

/** A page of rows, and how to go on. */
export interface PageRun {
  readonly result: QueryResult;
  /** `now` of the first page. */
  readonly asOfMicros: number;
  readonly links: PageLinks;
  /** The limit that left out rows after this page for good; null if none did. */
  readonly truncatedBy: TruncatedBy | null;
  readonly notices: readonly Notice[];
}

/** One page of a query, ready to be read. */
export interface Page {
  /** Reads the page. Rejects like `run`, which runs a task when there is room for it, so that `now` is the time of the run. */
  read(run: (task: PageTask) => Promise<QueryResult>): Promise<PageRun>;
  /** The request of the first page, for a dry run: the place of another one may contain what the caller must not see. */
  request(): PageRequest;
}

/** A run of a page. */
export interface PageTask {
  /**
   * Waits until the engine has the events of the page, and the key of its cursors is there. Await it before the request, under
   * the deadline of the run. Rejects like `reachArrival` and `CursorKeys.current`, and with `page.cursor`.
   */
  readonly ready: () => Promise<void>;
  readonly request: () => PageRequest;
  /** What the page has used of the limit of its call, and this run goes on to use. */
  readonly used: UsedTime;
}

/** The members of a request that a page decides. */
export type PageRequest = Pick<RunRequest, 'query' | 'nowMicros' | 'removedAtMicros' | 'rowsMax'>;

/**
 * Prepares a page. Throws `page.unsupported` if the engine has no pages, `page.unorderable`, `page.cursor`, and
 * `parameter.invalid` for a size above the row limit. If the store has to be asked for the key of a cursor, it also throws
 * the errors of `CursorKeys.find` and `withinLimit`.
 */
export async function preparePage(call: PageCall, services: PageServices): Promise<Page> {
  const { lastArrival } = services;
  if (lastArrival === undefined) {
    throw new ServiceError(
      'page.unsupported',
      'The engine of this service cannot answer in pages. Call without page_size and cursor, and narrow the times instead.',
      { errors: [{ parameter: call.ask.cursor === null ? 'page_size' : 'cursor' }] },
    );
  }
  const paged = pagedQuery(call.query);
  if ('construct' in paged) throw unorderable(paged.construct);
  const binding = bindingOf(call);
  const { cursor } = call.ask;
  const isPart = call.isPart === true;
  const bytesMax = isPart ? partKeyBytesMax : keyBytesMax;
  const open = (text: string) => openCursor(text, binding, services.keys, services.clock.nowMicros(), bytesMax);
  const used: UsedTime = { ms: 0 };
  const place = cursor === null ? null : await withinLimit(open(cursor), call, services.timer, used);
  const size = sizeOf(call, place);
  const whole = {
    limit: Math.min(
      outerLimitOf(call.query, call.parameters) ?? Infinity,
      countOf(paged.limit, call.parameters) ?? Infinity,
    ),
    offset: countOf(paged.offset, call.parameters) ?? 0,
    own: queryLimitOf(call.query, call),
  };
  return new OnePage({ paged, place, size, whole, binding, used, isPart }, { ...services, lastArrival });
}

/** What bounds all pages together. */
interface Whole {
  /** Infinite without a LIMIT. */
  readonly limit: number;
  readonly offset: number;
  /** The LIMIT as its author knows it. */
  readonly own: QueryLimit | null;
}

/** A page before it is read. */
interface PlannedPage {
  readonly paged: PagedQuery;
  readonly place: PagePlace | null;
  readonly size: number;
  readonly whole: Whole;
  readonly binding: CursorBinding;
  readonly used: UsedTime;
  readonly isPart: boolean;
}

class OnePage implements Page {
  readonly #paged: PagedQuery;
  readonly #place: PagePlace | null;
  readonly #size: number;
  readonly #whole: Whole;
  readonly #binding: CursorBinding;
  readonly #services: PageServices & { readonly lastArrival: () => number };
  readonly #from: PageAsked['from'];
  readonly #used: UsedTime;
  readonly #isPart: boolean;
  /** That of its cursors, once it is ready. */
  #key: CursorKey | null = null;

  constructor(
    { paged, place, size, whole, binding, used, isPart }: PlannedPage,
    services: PageServices & { readonly lastArrival: () => number },
  ) {
    this.#paged = paged;
    this.#place = place;
    this.#size = size;
    this.#whole = whole;
    this.#binding = binding;
    this.#used = used;
    this.#isPart = isPart;
    this.#services = services;
    const keys = place === null ? null : readKeys(place.keys, paged.keys);
    // Another release may order the same query by other keys.
    if (place !== null && keys === null) throw refused('version');
    this.#from =
      place === null || keys === null ? null : { direction: place.direction, includesRow: place.includesRow, keys };
  }

  get #isBackward(): boolean {
    return this.#place?.direction === 'prev';
  }

  /** The most rows that the page can have. */
  get #rowsMax(): number {
    const position = this.#place?.position ?? 0;
    const left = this.#isBackward ? position : Math.max(0, this.#whole.limit - position);
    return Math.min(this.#size, left);
  }

  request(): PageRequest {
    const { clock, lastArrival } = this.#services;
    const rowsMax = Math.min(this.#size, this.#whole.limit);
    const { offset } = this.#whole;
    const query = pageQuery(this.#paged, { arrivalMax: lastArrival(), rowsMax, offset, from: null });
    return { query, rowsMax, nowMicros: clock.nowMicros() };
  }

  #requestOf(rowsMax: number, readMicros: number, lastArrival: number): PageRequest {
    const offset = this.#place === null ? this.#whole.offset : 0;
    const arrivalMax = this.#place?.arrivalMax ?? lastArrival;
    const query = pageQuery(this.#paged, { arrivalMax, rowsMax, offset, from: this.#from });
    return { query, rowsMax, nowMicros: this.#place?.nowMicros ?? readMicros, removedAtMicros: readMicros };
  }

  async read(run: (task: PageTask) => Promise<QueryResult>): Promise<PageRun> {
    const ready = async () => {
      [this.#key] = await Promise.all([this.#services.keys.current(), this.#reach()]);
    };
    let rowsMax = this.#rowsMax;
    for (;;) {
      let readMicros = 0;
      let arrivalMax = 0;
      const request = () => {
        readMicros = this.#services.clock.nowMicros();
        arrivalMax = this.#services.lastArrival();
        return this.#requestOf(rowsMax, readMicros, arrivalMax);
      };
      const result = await run({ ready, request, used: this.#used });
      // A page before a place must reach it, so rows are left out at its other end.
      if (this.#isBackward && result.cutByBytes && result.rowCount > 0) {
        rowsMax = Math.min(result.rowCount, Math.floor(rowsMax / 2));
        continue;
      }
      const onward = this.#onward(result, rowsMax);
      const isUnfit = onward !== null && !this.#fits(onward);
      if (isUnfit && result.shortKeyRows !== undefined) {
        // The page ends at the last row whose keys a cursor holds.
        const [first, last] = result.shortKeyRows;
        rowsMax = this.#isBackward ? result.rowCount - first : last + 1;
        continue;
      }
      const removals = shortHash([result.removed?.state]);
      const isAging = result.removed?.isAging === true;
      const begin = this.#place ?? { nowMicros: readMicros, issuedMicros: readMicros, arrivalMax, removals };
      // Of removals by age, only the second page tells, because they go on all the time.
      const isAgeTold = this.#place?.isAgeTold ?? false;
      const hasLess = !begin.removals.equals(removals) || (this.#place !== null && isAging && !isAgeTold);
      const told = { ...begin, isAgeTold: isAgeTold || (this.#place !== null && isAging) };
      // Without `next`, the rows would look complete.
      if (isUnfit && !this.#isBackward) throw this.#isPart ? longKeyOfPart(onward) : longKey();
      const links = this.#links(result, isUnfit ? null : onward, told);
      const reached = this.#limitReached(result);
      const notices = [
        ...this.#firstNotices(),
        ...(hasLess ? [eventsRemoved] : []),
        ...(isUnfit ? [prevMissing] : []),
        ...reached.notices,
      ];
      return { result, asOfMicros: begin.nowMicros, links, truncatedBy: reached.truncatedBy, notices };
    }
  }

  /** A node can be behind the one that read the first page. */
  async #reach(): Promise<void> {
    const isReached = await this.#services.reachArrival?.(this.#place?.arrivalMax ?? null);
    // An older copy of the store was restored.
    if (isReached === false) throw refused('altered');
  }

  /** What the first page says about all. */
  #firstNotices(): readonly Notice[] {
    if (this.#place !== null) return [];
    const { addedOrder, isRecomputed } = this.#paged;
    const order =
      addedOrder === 'arrival'
        ? 'in the order of arrival, the latest events first'
        : 'in the order of the values by which it groups rows';
    return [
      ...(addedOrder === null
        ? []
        : [{ code: 'page.order_added' as const, message: `The query has no ORDER BY, so its pages are ${order}.` }]),
      ...(isRecomputed
        ? [
            {
              code: 'page.recomputed' as const,
              message:
                'The query groups rows or has window functions, so each page computes them again over all events: a page costs as much as the whole answer.',
            },
          ]
        : []),
    ];
  }

  /** What the page says about rows that no page has. */
  #limitReached(result: QueryResult): Pick<PageRun, 'truncatedBy' | 'notices'> {
    const { limit, own } = this.#whole;
    const { rowCount, hasMore, cutByBytes } = result;
    // A page that ends at the byte limit goes on in the next one, unless not even one row fits.
    if (cutByBytes) return { truncatedBy: rowCount === 0 ? 'result_bytes' : null, notices: [] };
    if (own === null || this.#isBackward) return { truncatedBy: null, notices: [] };
    const end = (this.#place?.position ?? 0) + rowCount;
    const isCut = hasMore && end >= limit;
    // Below the outermost query, nobody counts the rows after the LIMIT.
    if (!isCut && (hasMore || end !== own.rows || own.rows === limit)) return { truncatedBy: null, notices: [] };
    return {
      truncatedBy: isCut && !own.isCallers ? 'query_limit' : null,
      notices: [limitReachedNotice(own, isCut)],
    };
  }

  /** The place where the page after this one begins, or before it if it was read backwards; null if there is no such page. */
  #onward({ rowCount, hasMore, cutByBytes, pageKeys }: QueryResult, rowsMax: number): RowPlace | null {
    if (rowCount === 0 || pageKeys === undefined) return null;
    const position = this.#place?.position ?? 0;
    const [firstKeys, lastKeys] = pageKeys;
    if (this.#isBackward) {
      // With fewer rows than there were, the page begins where the whole does.
      const first = rowCount < rowsMax ? 0 : position - rowCount;
      return first > 0 ? { direction: 'prev', includesRow: false, position: first, keys: firstKeys } : null;
    }
    const end = position + rowCount;
    const hasNext = (hasMore || cutByBytes) && end < this.#whole.limit;
    return hasNext ? { direction: 'next', includesRow: false, position: end, keys: lastKeys } : null;
  }

  /** The place where this page began, for the page on its other side; null if there is none. */
  get #back(): RowPlace | null {
    const place = this.#place;
    if (place === null || this.#isPart || (place.position === 0 && !this.#isBackward)) return null;
    const { direction, includesRow, position, keys } = place;
    return { direction: direction === 'next' ? 'prev' : 'next', includesRow: !includesRow, position, keys };
  }

  #links({ rowCount }: QueryResult, onward: RowPlace | null, begin: SharedByPlaces): PageLinks {
    const { nowMicros, issuedMicros, arrivalMax, removals, isAgeTold } = begin;
    const shared = { nowMicros, issuedMicros, arrivalMax, removals, isAgeTold, pageSize: this.#size };
    const sealed = (place: RowPlace | null) => (place === null ? null : this.#seal({ ...shared, ...place }));
    const [ahead, back] = [sealed(onward), sealed(rowCount === 0 ? null : this.#back)];
    return this.#isBackward ? { next: back, prev: ahead } : { next: ahead, prev: back };
  }

  /** How long they are would tell of values that the caller may not see. */
  #fits({ keys }: RowPlace): boolean {
    return Buffer.byteLength(keys) <= (this.#isPart ? partKeyBytesMax : keyBytesMax);
  }

  #seal(place: PagePlace): string {
    if (this.#key === null) throw new Error('a page was read before it was ready');
    return sealCursor(place, this.#binding, this.#key, this.#services.randomness);
  }
}

/** What distinguishes the cursors of a page. */
type RowPlace = Pick<PagePlace, 'direction' | 'includesRow' | 'position' | 'keys'>;

/** What they have in common. */
type SharedByPlaces = Pick<PagePlace, 'nowMicros' | 'issuedMicros' | 'arrivalMax' | 'removals' | 'isAgeTold'>;

const shorter = 'Order by shorter values, for example SUBSTR(x, 1, 100).';

const longKey = (): ServiceError =>
  new ServiceError(
    'page.key_too_long',
    `The sort keys of each row where the page could end take more than the ${keyBytesMax} bytes that a cursor holds. ${shorter} If only some rows have long keys, a larger page_size helps, too.`,
  );

const prevMissing: Notice = {
  code: 'page.prev_missing',
  message: `There are rows before this page, but it has no cursor for them: the sort keys of its first row take more than the ${keyBytesMax} bytes that a cursor holds. Read these rows forwards, from the first page.`,
};

/** Which row the export cannot go on after, and which of its keys is the longest. */
function longKeyOfPart({ position, keys }: RowPlace): ServiceError {
  const sizes = Object.values(JSON.parse(keys) as object).map((value) => JSON.stringify(value).length);
  const longest = sizes.indexOf(Math.max(...sizes)) + 1;
  return new ServiceError(
    'page.key_too_long',
    `The sort keys of row ${position} take more than ${partKeyBytesMax} bytes, so the export cannot go on after it. The longest one is key number ${longest}. ${shorter}`,
  );
}

const eventsRemoved: Notice = {
  code: 'page.events_removed',
  message:
    'Since the first page was read, retention or a deletion may have removed events of the query. Rows of such events are missing.',
};

function bindingOf({ endpoint, callerQuery, parameters, token, form }: PageCall): CursorBinding {
  const { scopes, restrictions } = token;
  const text = callerQuery === null ? [endpoint.query] : [endpoint.query, callerQuery.language, callerQuery.text];
  return {
    version: shortHash([endpoint.id, endpoint.version]),
    query: shortHash([text, [...parameters].sort(([a], [b]) => (a < b ? -1 : 1))]),
    policy: shortHash([scopes, restrictions]),
    form: shortHash(form),
  };
}

function sizeOf({ ask, rowsMax }: PageCall, place: PagePlace | null): number {
  const size = ask.size === 'max' ? rowsMax : (ask.size ?? place?.pageSize ?? rowsMax);
  if (size <= rowsMax) return size;
  // The limit may have been lowered since the cursor was given.
  if (ask.size === null) return rowsMax;
  throw new ServiceError('parameter.invalid', `The parameter page_size is ${size}; the most here is ${rowsMax}.`, {
    errors: [{ parameter: 'page_size', value: String(size), expected: `at most ${rowsMax}` }],
  });
}

function unorderable(construct: string): ServiceError {
  return new ServiceError(
    'page.unorderable',
    `This query cannot be read in pages, because its rows have no complete order that lasts: it has ${construct}. Call it without page_size, or write it without that.`,
    { errors: [{ parameter: 'page_size', token: construct }] },
  );
}
