/** The part of a client that is about exports. */
export const exportRuntime = `
export type ExportFormat = 'json' | 'ndjson' | 'csv' | 'tsv' | 'arrow' | 'parquet';

export interface ExportOptions extends Omit<CallOptions, 'cacheControl'> {
  /** Your own query over the tables of the endpoint. */
  readonly query?: OwnQuery | undefined;
  /** The format in which data() gives the rows unless it is told another one. Default: json. */
  readonly format?: ExportFormat | undefined;
}

export interface ExportDataOptions {
  /** Default: the format that the export was started with. */
  readonly format?: ExportFormat | undefined;
  /** For csv and tsv: writes an apostrophe before texts that a spreadsheet may take for formulas. */
  readonly csvGuard?: boolean | undefined;
  /** For csv and tsv: begins with a byte order mark. */
  readonly bom?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The state of an export, as the service shows it. */
export interface ExportStatus {
  readonly id: string;
  readonly endpoint: { readonly id: string; readonly name: string; readonly version: number };
  readonly format: ExportFormat;
  readonly state: 'waiting' | 'running' | 'complete' | 'failed';
  /** Rows so far, and their bytes as JSON. */
  readonly rows: number;
  readonly bytes: number;
  readonly created_at: string;
  /** When the service stops the export if it still runs. */
  readonly deadline: string;
  readonly ended_at: string | null;
  /** When the service removes it; null while it runs. */
  readonly expires_at: string | null;
  /** The limit that left out rows; null if none did. */
  readonly truncated_by: string | null;
  /** What to know about the rows; empty until it is complete. */
  readonly notices: readonly Notice[];
  /** Why it failed; null unless its state is failed. */
  readonly error: { readonly code: string; readonly status: number; readonly detail: string } | null;
}

type Sent = Awaited<ReturnType<typeof request>>;

/** All rows of a query, which the service writes to its disk and keeps for an hour. */
export class Export {
  readonly #service: LogmillOptions;
  #status: ExportStatus;

  /** Made by a client. */
  constructor(service: LogmillOptions, status: ExportStatus) {
    this.#service = service;
    this.#status = status;
  }

  /** With which exportById finds it again. */
  get id(): string {
    return this.#status.id;
  }

  /** The state when the service was last asked for it. */
  get status(): ExportStatus {
    return this.#status;
  }

  get state(): ExportStatus['state'] {
    return this.#status.state;
  }

  get rows(): number {
    return this.#status.rows;
  }

  /**
   * Asks for the state until the export is complete, as often as the service wants to be asked. Rejects with the error of an export
   * that fails, and with the reason of the signal: AbortSignal.timeout(60_000) waits for a minute. The export itself goes on then.
   */
  async wait(
    options: {
      readonly signal?: AbortSignal | undefined;
      /** Called with each state that the service tells. */
      readonly onProgress?: ((status: ExportStatus) => void) | undefined;
    } = {},
  ): Promise<ExportStatus> {
    for (;;) {
      const { status, nextMs } = await readExport(this.#service, this.id, options.signal);
      this.#status = status;
      options.onProgress?.(status);
      if (status.error !== null)
        throw new LogmillError(status.error.code, status.error.detail, { status: status.error.status });
      if (status.state === 'complete') return status;
      await pause(nextMs, options.signal);
    }
  }

  /**
   * The rows of a complete export. If the connection breaks, the body goes on with the bytes that are missing. If that fails
   * as often as a call is repeated, reading the body fails with client.cut or client.unreachable.
   */
  async data(options: ExportDataOptions = {}): Promise<Response> {
    const { format, csvGuard, bom, signal } = options;
    const path = exportPath(this.id) + '/data?' + queryOf({ format, csv_guard: csvGuard, bom });
    const open = (more: Record<string, string>) =>
      withRetries(this.#service, { signal }, async () => {
        const headers = { ...callHeaders(this.#service, {}), ...more };
        const sent = await request(this.#service, path, { headers }, signal);
        if (!sent.response.ok) throw refusalOf(await sent.text(), sent.response);
        return sent;
      });
    const first = await open({});
    return new Response(resumingBody(first, open, retriesOf(this.#service)), first.response);
  }

  /** Stops the export, and removes its rows. */
  async delete(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    await withRetries(this.#service, options, async () => {
      const init = { method: 'DELETE', headers: callHeaders(this.#service, {}) };
      const { response, text } = await request(this.#service, exportPath(this.id), init, options.signal);
      const answer = await text();
      if (response.ok) return;
      const error = refusalOf(answer, response);
      // Gone already, maybe by an attempt that got no answer.
      if (error.code !== 'export.unknown') throw error;
    });
  }
}

const exportPath = (id: string): string => '/api/exports/' + encodeURIComponent(id);

/** Starts an export. */
async function beginExport(service: LogmillOptions, path: string, parameters: object, options: ExportOptions): Promise<Export> {
  const { query, format, ...others } = options;
  const begin = async () => {
    const sent = await send(service, path, { ...parameters, ...query, format }, others, { Prefer: 'respond-async' });
    const answer = await sent.text();
    if (!sent.response.ok) throw refusalOf(answer, sent.response);
    return exportStatusIn(answer, sent.response);
  };
  // Without an answer, it may have begun. A second one would run beside it.
  const isRefused = ({ status }: LogmillError) => status !== 0;
  return new Export(service, await withRetries(service, others, begin, isRefused));
}

/** The state of an export, and the milliseconds after which the service wants to be asked again. */
function readExport(service: LogmillOptions, id: string, signal: AbortSignal | undefined) {
  return withRetries(service, { signal }, async () => {
    const { response, text } = await request(service, exportPath(id), { headers: callHeaders(service, {}) }, signal);
    const answer = await text();
    if (!response.ok) throw refusalOf(answer, response);
    const nextMs = Number(response.headers.get('retry-after') ?? 1) * 1000;
    return { status: exportStatusIn(answer, response), nextMs: Number.isFinite(nextMs) ? nextMs : 1000 };
  });
}

function exportStatusIn(text: string, { status }: Response): ExportStatus {
  const answer = readJson(text, status) as unknown as ExportStatus | null;
  if (typeof answer?.id === 'string' && typeof answer.state === 'string') return answer;
  throw new LogmillError('client.unreadable', 'The answer is not the state of an export.', { status });
}

/** The body of an answer. If it is cut off, open continues it. */
function resumingBody(
  first: Sent,
  open: (more: Record<string, string>) => Promise<Sent>,
  failuresMax: number,
): ReadableStream<Uint8Array> {
  const { headers } = first.response;
  const tag = headers.get('etag') ?? '';
  const bytes = Number(headers.get('content-length') ?? Number.NaN);
  // Bytes of a body that a proxy has compressed are not those of the data.
  const isResumable = tag.startsWith('"') && !Number.isNaN(bytes) && headers.get('content-encoding') === null;
  let { cut } = first;
  let reader = first.response.body?.getReader();
  let from = 0;
  let failures = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          let broken = cut(undefined);
          try {
            const part = await reader?.read();
            if (part?.value !== undefined) {
              from += part.value.byteLength;
              if (part.value.byteLength > 0) failures = 0;
              return controller.enqueue(part.value);
            }
            if (from === bytes || !isResumable) return controller.close();
          } catch (cause) {
            broken = cut(cause);
          }
          const mayResume = isResumable && broken instanceof LogmillError;
          if (!mayResume || failures++ >= failuresMax) throw broken;
          const next = await open({ Range: 'bytes=' + from + '-', 'If-Range': tag });
          ({ cut } = next);
          reader = next.response.body?.getReader();
          const isRest = next.response.headers.get('content-range')?.startsWith('bytes ' + from + '-') === true;
          if (next.response.status === 206 && isRest) continue;
          await reader?.cancel().catch(() => undefined);
          throw new LogmillError('client.cut', 'The answer was cut off, and its data has changed.', { status: next.response.status });
        }
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
`.trim();
