import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import type { Randomness } from '../../core/ids.ts';
import { shortKeyBytesMax } from '../../ports/queryEngine.ts';
import type { CursorKey, CursorKeys } from './cursorKeys.ts';

/** What a cursor is bound to: hashes of 8 bytes. */
export interface CursorBinding {
  /** Endpoint and version. */
  readonly version: Buffer;
  /** Query text and parameters. */
  readonly query: Buffer;
  /** Scopes and restrictions of the token; not the token, so that rotation keeps cursors. */
  readonly policy: Buffer;
  /** Values profile and redaction. */
  readonly form: Buffer;
}

/** A place in an answer that is read in pages. */
export interface PagePlace {
  /** Whether the page is after the place, or before it. */
  readonly direction: 'next' | 'prev';
  /** Whether the page includes the row with the keys. */
  readonly includesRow: boolean;
  /** `now` of the first page, microseconds. */
  readonly nowMicros: number;
  /** The highest arrival number that the pages see. */
  readonly arrivalMax: number;
  /** When the first page was read, microseconds. */
  readonly issuedMicros: number;
  /** Hash of what was removed by then, 8 bytes. */
  readonly removals: Buffer;
  /** Whether an earlier page has said that events of the query are removed as they reach their age. */
  readonly isAgeTold: boolean;
  /** Rows of the whole answer before the place. */
  readonly position: number;
  readonly pageSize: number;
  /** Keys of the row before the place, or after it: a JSON object (googlesql/plan/pageKeys.ts). */
  readonly keys: string;
}

/** How long the pages of an answer can be read after its first one. */
export const cursorLifeMicros = 24 * 60 * 60 * 1_000_000;

/** Largest text of the keys in a cursor that a caller gets. */
export const keyBytesMax = shortKeyBytesMax;

/** The same for the pages of an export, whose cursors stay in the service. Many exports may keep one while they wait. */
export const partKeyBytesMax = 512 * 1024;

/** The text of the keys is padded to a multiple of this. Otherwise the length of a cursor would show that of a hidden value. */
const keyStepBytes = 128;

/**
 * The first byte of a cursor, which says whether the page includes the row with the keys. Nodes with an older release refuse
 * `withRow`, and would otherwise leave out that row.
 */
const formats = { withoutRow: 1, withRow: 2 } as const;
const flags = { back: 1, ageTold: 2 } as const;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 2 + nonceBytes;
const hashBytes = 8;
const fixedBytes = 1 + 3 * 8 + hashBytes + 4 * hashBytes + 8 + 4;
/** Characters of the longest cursor with keys of at most this many bytes. */
const charsMax = (bytesMax: number): number => Math.ceil(((headBytes + fixedBytes + bytesMax + tagBytes) * 4) / 3);

/** The first 8 bytes of the SHA-256 of the parts as JSON. Integers of parameters are bigints. */
export function shortHash(parts: readonly unknown[]): Buffer {
  const exact = (_: string, value: unknown): unknown => {
    if (Object.is(value, -0)) return '-0';
    return typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)) ? String(value) : value;
  };
  return createHash('sha256').update(JSON.stringify(parts, exact)).digest().subarray(0, hashBytes);
}

/**
 * Writes a cursor: version, key, nonce, and the place encrypted with AES-256-GCM. It is encrypted because sort keys may be
 * columns that the caller does not get, or gets redacted.
 */
export function sealCursor(
  place: PagePlace,
  binding: CursorBinding,
  { id, key }: CursorKey,
  randomness: Randomness,
): string {
  const head = Buffer.from([place.includesRow ? formats.withRow : formats.withoutRow, id]);
  const nonce = randomness.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(head);
  const sealed = Buffer.concat([cipher.update(written(place, binding)), cipher.final()]);
  return Buffer.concat([head, nonce, sealed, cipher.getAuthTag()]).toString('base64url');
}

/**
 * Reads a cursor of these keys for a call with this binding. `bytesMax`: of the keys in it. Throws `page.cursor`, which says only the kind of reason.
 */
export async function openCursor(
  text: string,
  binding: CursorBinding,
  keys: Pick<CursorKeys, 'find'>,
  nowMicros: number,
  bytesMax = keyBytesMax,
): Promise<PagePlace> {
  if (text.length > charsMax(bytesMax)) throw refused('altered');
  const bytes = Buffer.from(text, 'base64url');
  // Other spellings of the same bytes are no cursors of this service.
  if (bytes.toString('base64url') !== text || bytes.length <= headBytes + fixedBytes + tagBytes) {
    throw refused('altered');
  }
  const [format] = bytes;
  if (format !== formats.withRow && format !== formats.withoutRow) throw refused('altered');
  const key = await keys.find(bytes[1] ?? 0);
  const plain = key === null ? null : decrypted(bytes, key.key);
  // A key is kept longer than any cursor, so an unknown one means that the byte was changed, or that it is long over.
  if (plain === null) throw refused('altered');
  const { place, bound } = read(plain, format === formats.withRow);
  if (nowMicros - place.issuedMicros > cursorLifeMicros) throw refused('expired');
  if (!bound.version.equals(binding.version)) throw refused('version');
  if (!bound.query.equals(binding.query) || !bound.form.equals(binding.form)) throw refused('query');
  if (!bound.policy.equals(binding.policy)) throw refused('policy');
  return place;
}

function decrypted(bytes: Buffer, key: Buffer): Buffer | null {
  const tagAt = bytes.length - tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(2, headBytes), { authTagLength: tagBytes });
  decipher.setAAD(bytes.subarray(0, 2)).setAuthTag(bytes.subarray(tagAt));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(headBytes, tagAt)), decipher.final()]);
  } catch {
    // The library has no other error for a wrong tag.
    return null;
  }
}

function written(place: PagePlace, { version, query, policy, form }: CursorBinding): Buffer {
  const numbers = Buffer.alloc(1 + 3 * 8);
  numbers.writeUInt8((place.direction === 'next' ? 0 : flags.back) | (place.isAgeTold ? flags.ageTold : 0));
  numbers.writeBigInt64BE(BigInt(place.nowMicros), 1);
  numbers.writeBigInt64BE(BigInt(place.arrivalMax), 9);
  numbers.writeBigInt64BE(BigInt(place.issuedMicros), 17);
  const counts = Buffer.alloc(8 + 4);
  counts.writeBigInt64BE(BigInt(place.position));
  counts.writeUInt32BE(place.pageSize, 8);
  return Buffer.concat([numbers, place.removals, version, query, policy, form, counts, padded(place.keys)]);
}

/** With spaces after the JSON object. */
function padded(keys: string): Buffer {
  const bytes = Buffer.from(keys);
  const padding = -bytes.length & (keyStepBytes - 1);
  return Buffer.concat([bytes, Buffer.alloc(padding, ' ')]);
}

function read(plain: Buffer, includesRow: boolean): { readonly place: PagePlace; readonly bound: CursorBinding } {
  const numberAt = (at: number): number => Number(plain.readBigInt64BE(at));
  const hashAt = (index: number): Buffer => plain.subarray(25 + index * hashBytes, 25 + (index + 1) * hashBytes);
  const countsAt = 25 + 5 * hashBytes;
  return {
    place: {
      direction: (plain.readUInt8(0) & flags.back) === 0 ? 'next' : 'prev',
      includesRow,
      isAgeTold: (plain.readUInt8(0) & flags.ageTold) !== 0,
      nowMicros: numberAt(1),
      arrivalMax: numberAt(9),
      issuedMicros: numberAt(17),
      removals: hashAt(0),
      position: numberAt(countsAt),
      pageSize: plain.readUInt32BE(countsAt + 8),
      keys: plain.toString('utf8', fixedBytes).trimEnd(),
    },
    bound: { version: hashAt(1), query: hashAt(2), policy: hashAt(3), form: hashAt(4) },
  };
}

const reasons = {
  altered: 'The cursor is not one of this service, or was changed.',
  expired: 'The cursor is older than 24 hours.',
  version: 'The cursor belongs to another endpoint, or to another version of this one.',
  query: 'The cursor belongs to a call with another query, other parameters, or another form of values or redaction.',
  policy: 'The cursor belongs to a token with other rights.',
} as const;

/** The error of a cursor that cannot be used. */
export function refused(reason: keyof typeof reasons): ServiceError {
  return new ServiceError('page.cursor', `${reasons[reason]} Read the first page again, without cursor.`, {
    errors: [{ parameter: 'cursor', rule: reason }],
  });
}
