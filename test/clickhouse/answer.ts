import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { chooseEncoding, type Encoding, encode, encodingStream } from './compression.ts';
import { contentTypeOf } from './contentTypes.ts';
import { type ClickHouseError, type Engine, type EngineAnswer, EngineGone } from './engine.ts';
import { exceptionText, httpStatusOf, lateExceptionBlock, refusal } from './exceptions.ts';
import type { Fault } from './faults.ts';
import type { Wire } from './wire.ts';

export interface AnswerOptions {
  readonly engine: Engine;
  readonly queryId: string;
  /** Header Accept-Encoding, if the request switched compression on. */
  readonly accepted: string | undefined;
}

/** Writes one answer: its headers, its body, and everything that can go wrong with them. */
export class Answer {
  readonly #wire: Wire;
  readonly #engine: Engine;
  readonly #queryId: string;
  readonly #encoding: Encoding | null;
  readonly #tag = exceptionTag();
  #format = 'TabSeparated';
  /** Encodes a body that is sent while the query runs. */
  #stream: Duplex | null = null;
  #sent = 0;

  constructor(wire: Wire, { engine, queryId, accepted }: AnswerOptions) {
    this.#wire = wire;
    this.#engine = engine;
    this.#queryId = queryId;
    this.#encoding = chooseEncoding(accepted);
  }

  /** Whether a part of the body has been sent. */
  get isBodyBegun(): boolean {
    return this.#stream !== null;
  }

  /** Whether a body can be sent while the query runs; otherwise only a whole one can be encoded. */
  get canStream(): boolean {
    return encodingStream(this.#encoding) !== undefined;
  }

  set format(format: string) {
    if (format !== '') this.#format = format;
  }

  /** Sends a header X-ClickHouse-Progress, before all others. */
  sendProgress(elapsedMs: number): void {
    const elapsedNs = String(Math.round(elapsedMs * 1e6));
    if (!this.isBodyBegun) this.#wire.sendEarly('X-ClickHouse-Progress', summaryOf({ ...nothing, elapsedNs }, false));
  }

  /** Sends the bytes that a result file has gained up to `size`, and the head before the first of them. */
  async sendGrown(file: string, size: number): Promise<void> {
    if (size === this.#sent) return;
    if (this.#stream === null) {
      const stream = encodingStream(this.#encoding);
      if (stream === undefined) throw new Error(`answers in ${this.#encoding} cannot be streamed`);
      this.#stream = stream;
      this.#head(200, { 'X-ClickHouse-Summary': summaryOf(nothing, false) });
      void this.#forward(stream);
    }
    for await (const chunk of createReadStream(file, { start: this.#sent, end: size - 1 })) {
      this.#sent += (chunk as Buffer).length;
      await this.#push(chunk as Buffer);
    }
  }

  /** Sends the rest of a result, or the whole of it. */
  async send(file: string | null, answer: EngineAnswer, isComplete: boolean, fault: Fault | null): Promise<void> {
    if (this.#stream !== null) {
      this.#stream.end();
      await finished(this.#stream, { readable: false });
      return;
    }
    const plain = this.#wholeResult(file, answer);
    const headers = { 'X-ClickHouse-Summary': summaryOf(answer, isComplete) };
    if (fault?.kind === 'lateException') {
      const error = refusal(
        fault.code ?? 241,
        fault.name ?? 'MEMORY_LIMIT_EXCEEDED',
        'the test has asked for this exception',
      );
      const block = lateExceptionBlock(exceptionText(error, this.#engine.version), this.#tag);
      const body = Buffer.concat([plain.subarray(0, fault.afterBytes), Buffer.from(block)]);
      await this.#breakOff(headers, await this.#encoded(body));
      return;
    }
    const body = await this.#encoded(plain);
    if (fault?.kind === 'brokenOff') return await this.#breakOff(headers, body.subarray(0, fault.afterBytes));
    if (fault?.kind === 'corrupted') corrupt(body, this.#encoding);
    this.#head(200, headers);
    await this.#wire.write(body);
    this.#wire.end();
  }

  /** Sends an error: as a status if nothing was sent, otherwise at the end of an answer that is broken off. */
  async sendError(error: ClickHouseError): Promise<void> {
    // A server that ended cannot answer.
    if (error instanceof EngineGone) return this.#wire.reset();
    const text = exceptionText(error, this.#engine.version);
    const code = { 'X-ClickHouse-Exception-Code': String(error.code) };
    if (this.#stream !== null) {
      await this.#push(Buffer.from(lateExceptionBlock(text, this.#tag)));
      await flushed(this.#stream);
      this.#wire.breakOff();
      this.#stream.destroy();
    } else if (this.#wire.isBegun) {
      const block = lateExceptionBlock(text, this.#tag);
      await this.#breakOff(
        { ...code, 'X-ClickHouse-Summary': summaryOf(nothing, false) },
        await this.#encoded(Buffer.from(block)),
      );
    } else {
      const challenge = { 'WWW-Authenticate': 'Basic realm="ClickHouse server HTTP API"' };
      const body = await this.#encoded(Buffer.from(text));
      this.#head(httpStatusOf(error.code), error.code === 194 ? { ...code, ...challenge } : code);
      await this.#wire.write(body);
      this.#wire.end();
    }
  }

  /** The bytes of a result file. A query that has rows but no file has not run as it should. */
  #wholeResult(file: string | null, { resultRows }: EngineAnswer): Buffer {
    if (file === null) return Buffer.alloc(0);
    if (existsSync(file)) return readFileSync(file);
    if (resultRows > 0) throw refusal(49, 'LOGICAL_ERROR', `the stand-in has no result of ${resultRows} rows`);
    return Buffer.alloc(0);
  }

  async #encoded(bytes: Buffer): Promise<Buffer> {
    return await encode(this.#engine, this.#queryId, bytes, this.#encoding);
  }

  #head(status: number, more: Readonly<Record<string, string>>): void {
    this.#wire.head(status, {
      'Content-Type': contentTypeOf(this.#format),
      'X-ClickHouse-Server-Display-Name': 'stand-in',
      'X-ClickHouse-Query-Id': this.#queryId,
      'X-ClickHouse-Format': this.#format,
      'X-ClickHouse-Timezone': 'UTC',
      'X-ClickHouse-Exception-Tag': this.#tag,
      ...(this.#encoding === null ? {} : { 'Content-Encoding': this.#encoding }),
      ...more,
    });
  }

  async #breakOff(headers: Readonly<Record<string, string>>, body: Buffer): Promise<void> {
    this.#head(200, headers);
    await this.#wire.write(body);
    this.#wire.breakOff();
  }

  /** Writes what the encoder gives to the wire, in its own pace. */
  async #forward(stream: Duplex): Promise<void> {
    try {
      for await (const chunk of stream) await this.#wire.write(chunk as Buffer);
    } catch {
      // The answer was broken off, and its encoder with it.
      return;
    }
    this.#wire.end();
  }

  async #push(chunk: Buffer): Promise<void> {
    const stream = this.#stream;
    if (stream === null || stream.destroyed) return;
    await new Promise<void>((resolve) => {
      stream.once('close', resolve);
      stream.write(chunk, () => {
        stream.off('close', resolve);
        resolve();
      });
    });
  }
}

const nothing: EngineAnswer = {
  resultRows: 0,
  resultBytes: 0,
  elapsedNs: '0',
  readRows: 0,
  readBytes: 0,
  writtenRows: 0,
  writtenBytes: 0,
};

/** Waits until an encoder has given everything that was written to it, and the wire has taken it. */
async function flushed(stream: Duplex): Promise<void> {
  if ('flush' in stream) await new Promise<void>((resolve) => (stream as Flushable).flush(resolve));
  while (stream.readableLength > 0 && !stream.destroyed) await new Promise<void>((resolve) => setImmediate(resolve));
  await new Promise<void>((resolve) => setImmediate(resolve));
}

interface Flushable {
  flush(done: () => void): void;
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
