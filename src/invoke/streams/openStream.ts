import { Pause } from '../../core/concurrency/turns.ts';
import { asServiceError, ServiceError } from '../../core/errors.ts';
import { formatColumns } from '../../formats/encodeResult.ts';
import { completeRecord } from '../../formats/ndjson.ts';
import { type ChosenFormat, resultFormat } from '../../formats/resultFormat.ts';
import { type EncodedFrame, type RowEncoder, rowEncoder, rowForm } from '../../formats/rowEncoder.ts';
import type { Notice } from '../../googlesql/resolve/tree.ts';
import type { QueryEngine, ResultBeginning, RowFrame, RowSink, StreamEnd } from '../../ports/queryEngine.ts';
import { RedactionCounts } from '../../redact/redactionCounts.ts';
import { beginningMeta, wholeMeta } from '../answerBody.ts';
import { bypass, type RowsQuestion } from '../answerRows.ts';
import type { CallableEndpoint } from '../callableEndpoint.ts';
import type { CallFacts } from '../callFacts.ts';
import { damageNotice } from '../damageNotice.ts';
import { dataBeginsNotice } from '../dataBeginsNotice.ts';
import { columnsOf, headersOfBeginning } from '../formattedBody.ts';
import { mayBeGuardedNotice } from '../guardedNotice.ts';
import type { InvokeServices } from '../invokeServices.ts';
import type { TokenRunner } from '../queryQueue.ts';
import { type RedactionServices, redactedFailure, redactedRows } from '../redaction.ts';
import { RightsWatch } from '../rightsWatch.ts';
import { type RowLimit, truncatedBy } from '../rowLimit.ts';
import { type RunServices, runStream } from '../run.ts';
import type { StageTimes } from '../stageTimes.ts';

/** Where the body of a stream goes. */
export interface BodySink {
  /** Null if there is room for more; otherwise resolves when there is. Rejects if the reader has left. */
  write(bytes: Uint8Array): Promise<void> | null;
}

/** A result whose rows are about to come. */
export interface ResultStream {
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Writes the whole body. Rejects if it could not be completed and the format cannot tell, so that the connection must be
   * broken.
   */
  send(sink: BodySink): Promise<void>;
}

export interface StreamCall {
  readonly endpoint: CallableEndpoint;
  readonly question: RowsQuestion;
  readonly limit: RowLimit;
  readonly format: ChosenFormat;
  readonly isRedacted: boolean;
  readonly isRedactedAtScan: boolean;
  readonly token: TokenRunner;
  /** Throws if the caller may not read the rows any more, or would see them in another way. */
  requireRights(): Promise<void>;
  /** Notices of the call for a run at this time. */
  noticesAt(nowMicros: number): readonly Notice[];
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly times: StageTimes;
  readonly facts: CallFacts;
}

export type StreamServices = RunServices & RedactionServices & Pick<InvokeServices, 'clock' | 'streams' | 'turns'>;

/** How long a reader may take nothing. */
export const stallMsMax = 30_000;

/** Bytes that are written at once, so that a slow reader is seen to take some. */
const sliceBytes = 64 * 1024;

const noRows = new Uint8Array();

/** Starts the query, and resolves when its first rows are there, or its end. Until then an error has its own status. */
export async function openStream(
  call: StreamCall,
  stream: NonNullable<QueryEngine['stream']>,
  services: StreamServices,
): Promise<ResultStream> {
  const opened = new OpenStream(call, services);
  await opened.begin(stream);
  return opened;
}

class OpenStream implements ResultStream {
  readonly #call: StreamCall;
  readonly #services: StreamServices;
  readonly #pause: Pause;
  readonly #counts = new RedactionCounts();
  readonly #sink: Promise<BodySink>;
  #attach: (sink: BodySink) => void = () => {};
  #abort: (reason: ServiceError) => void = () => {};
  /** A stream may last for minutes, and meanwhile a token may be revoked, or an endpoint begin to redact. */
  readonly #rights: RightsWatch;
  #asOfMicros = 0;
  #notices: readonly Notice[] = [];
  #beginning: ResultBeginning = { rowsScanned: null };
  #encoder: Promise<RowEncoder> | null = null;
  #end: Promise<StreamEnd> | null = null;
  /** The frame that is being written. */
  #frame: Promise<void> = Promise.resolve();
  /** No frame is begun any more. */
  #isOver = false;
  /** A part of something was written, so that nothing can follow. */
  #isBroken = false;

  constructor(call: StreamCall, services: StreamServices) {
    this.#call = call;
    this.#services = services;
    this.#pause = new Pause(services.turns?.of(call.token.id));
    this.#rights = new RightsWatch(
      () => call.requireRights(),
      services.timer,
      (reason) => this.#abort(reason),
    );
    this.#sink = new Promise((resolve) => {
      this.#attach = resolve;
    });
  }

  begin(stream: NonNullable<QueryEngine['stream']>): Promise<void> {
    const { endpoint, question, token, signal, times, format, isRedacted } = this.#call;
    const { clock, streams, redactor } = this.#services;
    const { query, request, timeoutMs } = question;
    return new Promise((resolve, reject) => {
      this.#end = runStream(
        {
          token,
          endpoint,
          request: () => {
            this.#asOfMicros = clock.nowMicros();
            // Redaction reads the rows as JSON.
            const form = isRedacted ? undefined : rowForm(format, columnsOf(query));
            return { ...request, query, nowMicros: this.#asOfMicros, ...(form === undefined ? {} : { form }) };
          },
          timeoutMs,
          callerSignal: signal,
          times,
          place: (signal) => streams.take(token, signal),
          sink: (abort): RowSink => {
            this.#abort = abort;
            return {
              begins: (beginning) => this.#begins(beginning),
              rows: async (frame) => {
                this.#frame = this.#take(frame, resolve);
                await this.#frame;
              },
            };
          },
        },
        stream,
        this.#services,
      );
      this.#end.then(
        () => {
          this.#rights.stop();
          resolve();
        },
        (error: unknown) => {
          this.#isOver = true;
          // A reader may still take the frame that is being written.
          void this.#frame.catch(() => undefined).finally(() => this.#rights.stop());
          reject(isRedacted ? redactedFailure(error, redactor) : error);
        },
      );
    });
  }

  get headers(): Readonly<Record<string, string>> {
    return { ...streamHeaders, ...headersOfBeginning(this.#call.format, this.#shape()) };
  }

  async send(sink: BodySink): Promise<void> {
    this.#attach(sink);
    try {
      const end = await this.#end;
      if (end === null) throw new Error('a stream is sent that was not begun');
      const record = completeRecord(end.rowCount, this.#wholeMeta(end));
      await this.#writeAll(sink, await (await this.#encoded()).end(record, this.#pause));
    } catch (error) {
      await this.#frame.catch(() => undefined);
      await this.#fail(sink, error);
    }
  }

  #begins(beginning: ResultBeginning): void {
    this.#beginning = beginning;
    this.#call.facts.cache = bypass.outcome;
    this.#notices = [
      ...this.#call.noticesAt(this.#asOfMicros),
      ...mayBeGuardedNotice(this.#call.format),
      ...dataBeginsNotice(beginning.dataBegins),
      ...damageNotice(beginning),
    ];
  }

  /** Writes a frame. The first one is encoded before anything is sent, so that an error until then has its own status. */
  async #take(frame: RowFrame, isReady: () => void): Promise<void> {
    if (this.#isOver) throw new Error('rows came after the end of their stream');
    await this.#rights.require();
    const { isRedacted, facts } = this.#call;
    const shown = isRedacted ? await this.#redacted(frame) : frame;
    const encoder = await this.#encoded();
    const parts = await encoder.rows(shown, this.#pause);
    isReady();
    const sink = await this.#sink;
    // Nobody may have read the first frame for a long time.
    await this.#rights.require();
    await this.#writeAll(sink, parts, () => this.#rights.throwIfEnded());
    facts.rowCount += frame.rowCount;
  }

  async #redacted({ kind, rows }: RowFrame): Promise<EncodedFrame> {
    if (kind !== 'json') throw new Error('rows that must be redacted came in another form than JSON');
    const { question, isRedactedAtScan, token, signal } = this.#call;
    const { query, timeoutMs } = question;
    const input = { rows, query, isRedactedAtScan, tokenId: token.id, limitMs: timeoutMs, signal };
    const { rows: redacted, report } = await redactedRows(input, this.#services);
    for (const [kind, count] of Object.entries(report.counts)) this.#counts.add(kind, count);
    return { kind, rows: redacted, ends: null };
  }

  /** The encoder is made when the notices of the result are known. */
  #encoded(): Promise<RowEncoder> {
    const { format, question, isRedacted, requestId } = this.#call;
    const query = { columns: formatColumns(format, question.query.columns) };
    this.#encoder ??= rowEncoder(
      columnsOf(question.query),
      format,
      beginningMeta({ ...this.#shape(), query, beginning: this.#beginning, isRedacted, requestId }),
    );
    return this.#encoder;
  }

  /** `meta` of a complete result. Throws `stream.limit` if rows are missing. */
  #wholeMeta(end: StreamEnd): string {
    const { format, question, limit, isRedacted, requestId } = this.#call;
    const cutBy = truncatedBy(limit, end);
    if (cutBy === 'result_bytes' || cutBy === 'max_rows')
      throw tooLong(limit.rowsMax, question.request.bytesMax, cutBy);
    return wholeMeta({
      ...this.#shape(),
      query: { columns: formatColumns(format, question.query.columns) },
      result: { ...end, rows: noRows },
      truncatedBy: cutBy,
      redaction: { applied: isRedacted, counts: this.#counts.toJson() },
      requestId,
    });
  }

  #shape() {
    const { endpoint } = this.#call;
    return { endpoint, notices: this.#notices, cache: { outcome: bypass.outcome, asOfMicros: this.#asOfMicros } };
  }

  /** Tells the reader of the failure, or rejects with it if that is impossible. */
  async #fail(sink: BodySink, error: unknown): Promise<void> {
    const { isRedacted, facts, requestId } = this.#call;
    const failure = asServiceError(isRedacted ? redactedFailure(error, this.#services.redactor) : error);
    facts.failure = failure;
    const { code, message } = failure;
    const told = JSON.stringify({ rows: facts.rowCount, error: { code, message }, request_id: requestId }).slice(1, -1);
    const record = this.#isBroken ? null : (await this.#encoded()).failed(`"status":"error",${told}`);
    if (record === null) throw failure;
    await this.#writeAll(sink, record);
  }

  /** `mayGoOn`: throws if the next slice must not be sent. */
  async #writeAll(sink: BodySink, parts: readonly Uint8Array[], mayGoOn: () => void = () => {}): Promise<void> {
    let isBegun = false;
    try {
      for (const part of parts) {
        for (let from = 0; from < part.length; from += sliceBytes) {
          mayGoOn();
          isBegun = true;
          const slice = part.subarray(from, from + sliceBytes);
          this.#call.facts.bytes += slice.length;
          const room = sink.write(slice);
          if (room !== null) await this.#inTime(room);
        }
      }
    } catch (error) {
      this.#isBroken ||= isBegun;
      throw error;
    }
  }

  /** Ends the stream if its reader takes nothing for too long. */
  #inTime(room: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#services.timer.after(stallMsMax, () => {
        const reason = new ServiceError(
          'stream.stalled',
          `The reader took nothing for ${stallMsMax / 1000} seconds, so Logmill ended the stream.`,
        );
        this.#abort(reason);
        reject(reason);
      });
      room.then(resolve, reject).finally(cancel);
    });
  }
}

/** Headers of every stream: nothing on the way may keep it, change it, or hold it back. */
export const streamHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'private, no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** A stream of which the caller wants only headers. Its query does not run. */
export function unbegunStream(format: ChosenFormat): ResultStream {
  return {
    headers: { ...streamHeaders, 'content-type': resultFormat(format.name).mediaType },
    send: () => Promise.resolve(),
  };
}

/** The error for a stream whose next rows would be shown in another way. */
export const changedStream = (what: string): ServiceError =>
  new ServiceError('stream.changed', `${what} changed while the stream was open. Call it again.`);

function tooLong(rowsMax: number, bytesMax: number, cutBy: 'max_rows' | 'result_bytes'): ServiceError {
  const bound = cutBy === 'max_rows' ? `${rowsMax} rows` : `${bytesMax} bytes, or a row has more than 16 MiB`;
  return new ServiceError(
    'stream.limit',
    `The result has more than ${bound}, so Logmill ended the stream. Narrow the query, for example its time range.`,
  );
}
