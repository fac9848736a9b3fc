import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { chooseEncoding, type Encoding, encode, encodingStream } from './compression.ts';
import { contentTypeOf } from './contentTypes.ts';
import type { ClickHouseError, Engine, EngineAnswer } from './engine.ts';
import { exceptionText, httpStatusOf, lateExceptionBlock, refusal } from './exceptions.ts';
import type { Fault } from './faults.ts';

export interface AnswerOptions {
  readonly engine: Engine;
  readonly queryId: string;
  /** Header Accept-Encoding, if the request switched compression on. */
  readonly accepted: string | undefined;
}

/** Writes one answer: its headers, its body, and everything that can go wrong with them. */
export class Answer {
  readonly #response: ServerResponse;
  readonly #engine: Engine;
  readonly #queryId: string;
  readonly #encoding: Encoding | null;
  readonly #tag = exceptionTag();
  #format = 'TabSeparated';
  /** Set once the head is sent: from then on, an error can only be a late exception. */
  #stream: Duplex | null = null;
  #sent = 0;

  constructor(response: ServerResponse, { engine, queryId, accepted }: AnswerOptions) {
    this.#response = response;
    this.#engine = engine;
    this.#queryId = queryId;
    this.#encoding = chooseEncoding(accepted);
  }

  get isBegun(): boolean {
    return this.#stream !== null;
  }

  get canStream(): boolean {
    return encodingStream(this.#encoding) !== undefined;
  }

  set format(format: string) {
    if (format !== '') this.#format = format;
  }

  /** Sends the bytes that a result file has gained, and the head before the first of them. */
  async sendGrown(file: string): Promise<void> {
    const size = existsSync(file) ? statSync(file).size : 0;
    if (size === this.#sent) return;
    if (this.#stream === null) {
      this.#head(
        200,
        '{"read_rows":"0","read_bytes":"0","written_rows":"0","written_bytes":"0","total_rows_to_read":"0","result_rows":"0","result_bytes":"0","elapsed_ns":"0","memory_usage":"0"}',
      );
      this.#stream = encodingStream(this.#encoding) ?? null;
      if (this.#stream === null) throw new Error(`answers in ${this.#encoding} cannot be streamed`);
      this.#stream.pipe(this.#response);
    }
    for await (const chunk of createReadStream(file, { start: this.#sent, end: size - 1 })) {
      this.#sent += (chunk as Buffer).length;
      await written(this.#stream, chunk as Buffer);
    }
  }

  /** Ends an answer that `sendGrown` began. */
  end(): void {
    this.#stream?.end();
  }

  /** Sends a whole result. */
  async send(file: string | null, answer: EngineAnswer, isComplete: boolean, fault: Fault | null): Promise<void> {
    const plain = file !== null && existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    const summary = summaryOf(answer, isComplete);
    if (fault?.kind === 'lateException') {
      const { code = 241, afterBytes } = fault;
      const error = refusal(code, 'MEMORY_LIMIT_EXCEEDED', 'an exception that the test has asked for');
      const block = lateExceptionBlock(exceptionText(error, this.#engine.version), this.#tag);
      const body = Buffer.concat([plain.subarray(0, afterBytes), Buffer.from(block)]);
      await this.#breakOff(200, summary, await this.#encoded(body));
      return;
    }
    const body = await this.#encoded(plain);
    if (fault?.kind === 'brokenOff') {
      await this.#breakOff(200, summary, body.subarray(0, fault.afterBytes));
      return;
    }
    if (fault?.kind === 'corrupted') corrupt(body, this.#encoding);
    this.#head(200, summary);
    this.#response.end(body);
  }

  async sendError(error: ClickHouseError): Promise<void> {
    const text = exceptionText(error, this.#engine.version);
    if (this.#stream !== null) {
      await written(this.#stream, Buffer.from(lateExceptionBlock(text, this.#tag)));
      // Without the last chunk, so that a client sees that the transfer is not complete.
      if ('flush' in this.#stream) {
        const stream = this.#stream as Duplex & { flush(done: () => void): void };
        await new Promise<void>((resolve) => stream.flush(resolve));
      }
      await new Promise<void>((resolve) => setImmediate(resolve));
      this.#response.socket?.end();
      return;
    }
    this.#response.setHeader('X-ClickHouse-Exception-Code', String(error.code));
    if (error.code === 194) this.#response.setHeader('WWW-Authenticate', 'Basic realm="ClickHouse server HTTP API"');
    this.#format = 'TabSeparated';
    const body = await this.#encoded(Buffer.from(text));
    this.#head(httpStatusOf(error.code), null);
    this.#response.end(body);
  }

  async #encoded(bytes: Buffer): Promise<Buffer> {
    return await encode(this.#engine, this.#queryId, bytes, this.#encoding);
  }

  #head(status: number, summary: string | null): void {
    const headers: Record<string, string> = {
      'Content-Type': contentTypeOf(this.#format),
      'X-ClickHouse-Server-Display-Name': 'stand-in',
      'X-ClickHouse-Query-Id': this.#queryId,
      'X-ClickHouse-Format': this.#format,
      'X-ClickHouse-Timezone': 'UTC',
      'X-ClickHouse-Exception-Tag': this.#tag,
      'Transfer-Encoding': 'chunked',
    };
    if (this.#encoding !== null) headers['Content-Encoding'] = this.#encoding;
    if (summary !== null) headers['X-ClickHouse-Summary'] = summary;
    this.#response.writeHead(status, headers);
  }

  /** Sends a body without its last chunk, and closes the connection. */
  async #breakOff(status: number, summary: string, body: Buffer): Promise<void> {
    this.#head(status, summary);
    this.#response.flushHeaders();
    if (body.length > 0) await new Promise<void>((resolve) => this.#response.write(body, () => resolve()));
    this.#response.socket?.end();
  }
}

async function written(stream: Duplex, chunk: Buffer): Promise<void> {
  if (stream.destroyed) return;
  await new Promise<void>((resolve) => {
    stream.once('close', resolve);
    stream.write(chunk, () => {
      stream.off('close', resolve);
      resolve();
    });
  });
}

/** Changes the checksum that ends a gzip body, or a byte in the middle of any other. */
function corrupt(body: Buffer, encoding: Encoding | null): void {
  const at = encoding === 'gzip' ? body.length - 8 : body.length >> 1;
  if (body.length > 0) body.writeUInt8((body.readUInt8(at) + 1) % 256, at);
}

/** The header X-ClickHouse-Summary. A server knows the rows of the result only if it waits for the end of the query. */
function summaryOf(answer: EngineAnswer, isComplete: boolean): string {
  return JSON.stringify({
    read_rows: String(answer.readRows),
    read_bytes: String(answer.readBytes),
    written_rows: String(answer.writtenRows),
    written_bytes: String(answer.writtenBytes),
    total_rows_to_read: '0',
    result_rows: String(isComplete ? answer.resultRows : 0),
    result_bytes: String(isComplete ? answer.resultBytes : 0),
    elapsed_ns: answer.elapsedNs,
    memory_usage: '0',
  });
}

/** Sixteen small letters, anew for each answer. */
function exceptionTag(): string {
  return [...randomBytes(16)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
}
