import * as zlib from 'node:zlib';
import Negotiator from 'negotiator';
import { closeBody, type OpenBody, openBody } from './openBody.ts';

/** A smaller body gains nothing: it goes out in one packet either way. Bytes. */
const bytesWorthCoding = 1024;

/** Node has zstd from 22.15 and 23.8 on. It works on a thread of its own, not on the event loop. */
const zstdCompress: unknown = Reflect.get(zlib, 'zstdCompress');

/** Content codings that answers can have besides `identity`. */
export const contentCodings: readonly string[] = [
  'gzip',
  'br',
  ...(typeof zstdCompress === 'function' ? ['zstd'] : []),
];

/**
 * The content codings that `Accept-Encoding` allows an answer to have, the one it likes best first;
 * between equals its own order counts (RFC 9110, section 12.5.3). Empty where it refuses all, `identity` too.
 */
export function acceptedCodings(acceptEncoding: string | undefined): readonly string[] {
  // What says nothing allows anything; a client that names no coding may know none.
  if (acceptEncoding === undefined) return ['identity'];
  return new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }).encodings([...contentCodings, 'identity']);
}

/** The coding that a client likes best for a body of so many bytes; small ones stay as they are if they may. */
export function codingOf(bodyBytes: number, accepted: readonly string[]): string {
  const mayBePlain = accepted.length === 0 || accepted.includes('identity');
  const [best = 'identity'] = accepted;
  return bodyBytes === 0 || (mayBePlain && bodyBytes < bytesWorthCoding) ? 'identity' : best;
}

export interface CodedBody {
  readonly coding: string;
  readonly bytes: Buffer;
  /** All but the end, where the coding allows to give it with another end; else null. */
  readonly open: OpenBody | null;
}

/**
 * The body in the coding its client likes best.
 *
 * @param endBytes how many bytes at its end belong to this one answer
 */
export async function encodeBody(body: Buffer, accepted: readonly string[], endBytes: number): Promise<CodedBody> {
  const coding = codingOf(body.length, accepted);
  if (coding === 'zstd') return { coding, bytes: await zstd(body), open: null };
  if (coding !== 'gzip' && coding !== 'br') return { coding: 'identity', bytes: body, open: null };
  const endAt = body.length - Math.max(1, endBytes);
  const open = await openBody(coding, body.subarray(0, endAt));
  return { coding, bytes: closeBody(open, body.subarray(endAt)), open };
}

function zstd(body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (typeof zstdCompress !== 'function') throw new Error('this Node.js has no zstd');
    zstdCompress(body, (error: Error | null, bytes: Buffer) => (error === null ? resolve(bytes) : reject(error)));
  });
}
