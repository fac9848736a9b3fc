import * as zlib from 'node:zlib';
import Negotiator from 'negotiator';
import type { Turns } from '../core/concurrency/turns.ts';
import { closeBody, type OpenBody, openBody } from './openBody.ts';

/** Bytes. A smaller body fits into one packet anyway. */
const bytesWorthCoding = 1024;

/** Node has zstd since 22.15 and 23.8. It compresses on another thread. */
const zstdCompress: unknown = Reflect.get(zlib, 'zstdCompress');

/** Content codings that answers can have besides `identity`. */
export const contentCodings: readonly string[] = [
  'gzip',
  'br',
  ...(typeof zstdCompress === 'function' ? ['zstd'] : []),
];

/**
 * The content codings that `Accept-Encoding` allows, the preferred one first. Equal preferences keep the order of the
 * header (RFC 9110, section 12.5.3). Empty if the header refuses all of them, including `identity`.
 */
export function acceptedCodings(acceptEncoding: string | undefined): readonly string[] {
  // Without the header any coding is allowed, but the client may not know any.
  if (acceptEncoding === undefined) return ['identity'];
  return new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }).encodings([...contentCodings, 'identity']);
}

/**
 * The coding for a body of this size: the client's preferred one, or, if that is allowed, `identity` for a body that is small
 * or compressed already.
 */
export function codingOf(bodyBytes: number, accepted: readonly string[], isCompressed = false): string {
  const mayBePlain = accepted.length === 0 || accepted.includes('identity');
  const [best = 'identity'] = accepted;
  const isWorthCoding = bodyBytes >= bytesWorthCoding && !isCompressed;
  return bodyBytes === 0 || (mayBePlain && !isWorthCoding) ? 'identity' : best;
}

export interface CodedBody {
  readonly coding: string;
  readonly bytes: Buffer;
  /** The body without its end, so that it can be sent with another end; null if the coding does not allow that. */
  readonly open: OpenBody | null;
}

/**
 * Encodes the body in the coding that the client prefers.
 *
 * @param endBytes bytes at the end that only this answer has
 * @param isCompressed whether the body is compressed already
 */
export async function encodeBody(
  body: Buffer,
  accepted: readonly string[],
  endBytes: number,
  turns: Turns,
  isCompressed = false,
): Promise<CodedBody> {
  const coding = codingOf(body.length, accepted, isCompressed);
  if (coding === 'zstd') return { coding, bytes: await zstd(body), open: null };
  if (coding !== 'gzip' && coding !== 'br') return { coding: 'identity', bytes: body, open: null };
  const endAt = body.length - Math.max(1, endBytes);
  const open = await openBody(coding, body.subarray(0, endAt), turns);
  return { coding, bytes: closeBody(open, body.subarray(endAt)), open };
}

function zstd(body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (typeof zstdCompress !== 'function') throw new Error('this Node.js has no zstd');
    zstdCompress(body, (error: Error | null, bytes: Buffer) => (error === null ? resolve(bytes) : reject(error)));
  });
}
