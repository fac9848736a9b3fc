import { Semaphore } from '../core/concurrency/semaphore.ts';
import { ServiceError } from '../core/errors.ts';
import { codingOf, decompress, isCompressed, mayBeSmall } from './decompress.ts';
import { ZstdDecoder } from './zstdDecoder.ts';

/** The decompressed size of most bodies. Reaching it takes a few milliseconds, even for larger bodies. */
const smallBytesMax = 256 * 1024;

/** Concurrent decompressions of each kind; together as many as there are threads. */
const places = 2;

/** Maximum number of waiting large bodies of one token: a second or two of work. */
const waitingMax = 16;

/**
 * Decompresses a few request bodies at a time, because nothing else bounds the memory of many small ones. The
 * decompressed size is unknown in advance, so each body is first decompressed to a small limit. A body that exceeds it
 * starts again in a second queue, which alternates between tokens. So neither small bodies nor those of other tokens
 * wait behind a flood of decompression bombs.
 */
export class Decompressions {
  readonly #small = new Semaphore(places);
  readonly #large = new Semaphore(places);
  readonly #zstd = new ZstdDecoder();

  /**
   * Like `decompress`; `take` receives the body before the place is passed on.
   *
   * @throws ServiceError like `decompress`, and `ingest.overloaded` if too many large bodies of the token wait.
   */
  async run(
    body: Uint8Array,
    contentEncoding: string | undefined,
    bytesMax: number,
    tokenId: string,
    take: (decoded: Uint8Array) => void,
  ): Promise<Uint8Array> {
    const decodeTo = async (max: number) => {
      const decoded = await decompress(body, contentEncoding, max, this.#zstd);
      take(decoded);
      return decoded;
    };
    if (!isCompressed(contentEncoding)) return await decodeTo(bytesMax);
    if (smallBytesMax < bytesMax && mayBeSmall(body, contentEncoding, smallBytesMax)) {
      try {
        // Bombs in some codings take longer to detect than in others.
        const owner = `${tokenId} ${codingOf(contentEncoding)}`;
        return await this.#small.run(() => decodeTo(smallBytesMax), { owner });
      } catch (error) {
        if (!(error instanceof ServiceError && error.code === 'request.too_large')) throw error;
      }
    }
    if (this.#large.isFull(waitingMax, tokenId)) throw overloaded();
    return await this.#large.run(() => decodeTo(bytesMax), { owner: tokenId });
  }
}

function overloaded(): ServiceError {
  return new ServiceError(
    'ingest.overloaded',
    'Too many large compressed bodies of this token are waiting, so this one was not accepted. Send it again in a second.',
    { retryAfterSeconds: 1 },
  );
}
