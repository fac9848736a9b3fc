/** The part that clients with tails share. */
export const tailRuntime = `
/** Rows that a tail left out. */
export interface MissingRows {
  /** gap: it could not go on after the last ID. dropped: the rows were not read fast enough. */
  readonly event: 'gap' | 'dropped';
  /** Of a gap: the ID is too old (expired), or belongs to another tail, as after a change of the endpoint (unknown). */
  readonly reason?: 'expired' | 'unknown';
  /** Of a gap: the time from which on rows follow. */
  readonly from?: string;
  /** Of dropped: the number of rows, and whether there are no more than these. */
  readonly count?: number;
  readonly exact?: boolean;
}

export interface TailOptions extends Omit<CallOptions, 'cacheControl'> {
  /** Your own query over the tables of the endpoint. */
  readonly query?: OwnQuery | undefined;
  /** The ID after which the tail begins: lastEventId of another one. Default: with the next event. */
  readonly lastEventId?: string | undefined;
  /** Called when rows are left out. Without it, the tail then fails with client.rows_missing. */
  readonly onMissing?: ((missing: MissingRows) => void) | undefined;
}

type TailPart<Row> =
  | { readonly event: 'row'; readonly id: string; readonly data: Row }
  | { readonly event: 'start' | 'mark'; readonly id: string }
  | { readonly event: 'gap' | 'dropped'; readonly id: string; readonly data: Omit<MissingRows, 'event'> }
  | { readonly event: 'end'; readonly data: { readonly code: string; readonly detail: string; readonly retryable: boolean } };

/** A tail sends a mark at least every 15 seconds. */
const tailSilentMsMax = 45_000;
/** The service can continue a tail for so long. */
const tailResumeMs = 15 * 60_000;

/**
 * The rows of new events, for as long as you iterate over it. If the connection breaks, it connects again and goes on after the
 * last row; it gives up after 15 minutes. Another iteration goes on after the last row, too. The signal of its options ends it.
 */
export class Tail<Row> implements AsyncIterable<Row> {
  readonly #service: LogmillOptions;
  readonly #path: string;
  readonly #options: TailOptions;
  readonly #numbers: NumberPaths;
  #lastEventId: string | undefined;

  /** Made by a client. */
  constructor(service: LogmillOptions, path: string, parameters: object, options: TailOptions, numbers: NumberPaths) {
    this.#service = service;
    this.#path = path + '?' + queryOf({ ...parameters, ...options.query, format: 'ndjson' });
    this.#options = options;
    this.#numbers = numbers;
    this.#lastEventId = options.lastEventId;
  }

  /** The ID of the last row that was read, with which another tail of the same rows can go on. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    let lostAtMs: number | undefined;
    for (let failures = 0, hasBegun = false; ; failures++) {
      try {
        const opened = hasBegun ? await this.#open() : await withRetries(this.#service, this.#options, () => this.#open());
        hasBegun = true;
        for await (const line of linesOf(opened.response, opened.cut, tailSilentMsMax)) {
          const part = readJson(line, opened.response.status) as TailPart<Row>;
          if (part.event === 'end') {
            if (part.data.retryable) break;
            throw new LogmillError(part.data.code, part.data.detail, { status: opened.response.status });
          }
          this.#lastEventId = part.id;
          if (part.event === 'gap' || part.event === 'dropped') this.#miss({ event: part.event, ...part.data });
          if (part.event === 'row' || part.event === 'mark') [failures, lostAtMs] = [0, undefined];
          if (part.event === 'row') yield withNumbers(part.data, this.#numbers) as Awaited<Row>;
        }
        this.#options.signal?.throwIfAborted();
      } catch (error) {
        const mayPass = error instanceof LogmillError && (error.code === 'client.cut' || waitBeforeRetry(error, 0) !== undefined);
        if (!hasBegun || !mayPass || (lostAtMs !== undefined && Date.now() - lostAtMs > tailResumeMs)) throw error;
      }
      lostAtMs ??= Date.now();
      await pause(Math.min(250 * 2 ** failures, 15_000) * (1 + Math.random()), this.#options.signal);
    }
  }

  async #open() {
    const headers = callHeaders(this.#service, this.#options);
    if (this.#lastEventId !== undefined) headers['Last-Event-ID'] = this.#lastEventId;
    const sent = await request(this.#service, this.#path, { headers }, this.#options.signal);
    if (!sent.response.ok) throw refusalOf(await sent.text(), sent.response);
    return sent;
  }

  #miss(missing: MissingRows): void {
    if (this.#options.onMissing !== undefined) return this.#options.onMissing(missing);
    const what = missing.event === 'gap' ? 'Rows may be missing: the tail could not go on after the last one.' : missing.count + ' rows were left out, because they were not read fast enough.';
    throw new LogmillError('client.rows_missing', what);
  }
}
`.trim();
