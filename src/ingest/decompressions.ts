import { FairSemaphore } from '../core/concurrency/fairSemaphore.ts';
import { ServiceError } from '../core/errors.ts';
import { codingOf, decompress, isCompressed, mayBeSmall } from './decompress.ts';

/** What most bodies grow to at most. It is found out in a few milliseconds, also of those that grow to more. */
const smallBytesMax = 256 * 1024;

/** Places of each sort: together as many as there are threads. */
const places = 2;

/** Large bodies of one token that wait at most; together a second or two. */
const waitingMax = 16;

/**
 * Decompresses bodies of requests a few at a time, as nothing else bounds the memory that many small ones grow to. What a
 * body grows to is not known before. So each is decompressed to a small bound first; one that grows to more begins again
 * where its like wait, tokens by turns, so that neither small bodies nor those of other tokens wait behind a flood of bombs.
 */
export class Decompressions {
  readonly #small = new FairSemaphore(places);
  readonly #large = new FairSemaphore(places, waitingMax);

  /**
   * As `decompress`; `take` is told of the body before the place is given on.
   *
   * @throws ServiceError as `decompress`, and `ingest.overloaded` where too many large bodies of the token wait.
   */
  async run(
    body: Uint8Array,
    contentEncoding: string | undefined,
    bytesMax: number,
    tokenId: string,
    take: (decoded: Uint8Array) => void,
  ): Promise<Uint8Array> {
    const decodeTo = async (max: number) => {
      const decoded = await decompress(body, contentEncoding, max);
      take(decoded);
      return decoded;
    };
    if (!isCompressed(contentEncoding)) return await decodeTo(bytesMax);
    if (smallBytesMax < bytesMax && mayBeSmall(body, contentEncoding, smallBytesMax)) {
      try {
        // A bomb of one coding takes longer to be found out than those of another.
        return await this.#small.run(`${tokenId} ${codingOf(contentEncoding)}`, () => decodeTo(smallBytesMax));
      } catch (error) {
        if (!(error instanceof ServiceError && error.code === 'request.too_large')) throw error;
      }
    }
    if (this.#large.isFull(tokenId)) throw overloaded();
    return await this.#large.run(tokenId, () => decodeTo(bytesMax));
  }
}

function overloaded(): ServiceError {
  return new ServiceError(
    'ingest.overloaded',
    'Too many large compressed bodies of this token are waiting; nothing of this one was taken. Send it again in a second.',
    { retryAfterSeconds: 1 },
  );
}
