/** One message in the pipe between the service and its engine process. */
export interface Frame {
  /** Parsed JSON. */
  readonly header: unknown;
  /** Bytes of the message; usually empty. */
  readonly payload: Buffer;
}

const prefixBytes = 8;
const payloadAlignment = 8;

/**
 * Returns the buffers to write for one frame: u32 header length, u32 payload length (little endian), the header as
 * JSON, the payload parts in order. The payload begins at a multiple of eight bytes, so that it can be read as numbers.
 */
export function encodeFrame(header: object, payload: readonly Uint8Array[] = []): readonly Uint8Array[] {
  const json = padded(Buffer.from(JSON.stringify(header), 'utf8'));
  const head = Buffer.allocUnsafe(prefixBytes + json.length);
  head.writeUInt32LE(json.length, 0);
  head.writeUInt32LE(
    payload.reduce((sum, part) => sum + part.length, 0),
    4,
  );
  json.copy(head, prefixBytes);
  return [head, ...payload];
}

/** JSON may end with white space. */
function padded(json: Buffer): Buffer {
  const missing = (payloadAlignment - (json.length % payloadAlignment)) % payloadAlignment;
  return missing === 0 ? json : Buffer.concat([json, Buffer.alloc(missing, ' ')]);
}

/**
 * A larger frame is assembled while it arrives: it is copied once, without the beginning of the next one. Chunks of the pipe
 * are not larger.
 */
const largeBytes = 64 * 1024;

/** Splits a stream of bytes into frames. */
export class FrameReader {
  /** The large frame that is arriving; `#bytes` of it have arrived. */
  #large: Buffer | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Bytes of the first frame, or of its prefix while its lengths are unknown. */
  #wanted = prefixBytes;
  #headerBytes = -1;

  /** Returns the frames that `chunk` completes, in order. */
  push(chunk: Buffer): readonly Frame[] {
    if (this.#large === null) return this.#pushSmall(chunk);
    const rest = chunk.subarray(chunk.copy(this.#large, this.#bytes));
    this.#bytes += chunk.length - rest.length;
    if (this.#bytes < this.#wanted) return [];
    const all = this.#large;
    this.#large = null;
    this.#chunks = [];
    this.#bytes = 0;
    const frames = this.#pushSmall(all);
    return rest.length === 0 ? frames : [...frames, ...this.push(rest)];
  }

  #pushSmall(chunk: Buffer): readonly Frame[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const frames: Frame[] = [];
    while (this.#bytes >= this.#wanted) {
      // One concatenation per frame, not per chunk, because a large frame arrives in thousands of chunks.
      const all =
        this.#chunks.length === 1 && this.#chunks[0] !== undefined ? this.#chunks[0] : Buffer.concat(this.#chunks);
      this.#chunks = [all];
      if (this.#headerBytes < 0) {
        this.#headerBytes = all.readUInt32LE(0);
        this.#wanted = prefixBytes + this.#headerBytes + all.readUInt32LE(4);
        continue;
      }
      const payloadStart = prefixBytes + this.#headerBytes;
      frames.push({
        header: JSON.parse(all.toString('utf8', prefixBytes, payloadStart)),
        payload: all.subarray(payloadStart, this.#wanted),
      });
      const rest = all.subarray(this.#wanted);
      this.#chunks = rest.length > 0 ? [rest] : [];
      this.#bytes = rest.length;
      this.#wanted = prefixBytes;
      this.#headerBytes = -1;
    }
    if (this.#headerBytes >= 0 && this.#wanted > largeBytes) {
      this.#large = Buffer.allocUnsafe(this.#wanted);
      // There is exactly one chunk since the lengths were read.
      this.#chunks.shift()?.copy(this.#large);
    }
    return frames;
  }
}
