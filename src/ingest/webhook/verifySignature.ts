import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Pause, type Turns } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import type { RareReports } from '../../core/rareReports.ts';
import type { NamedWebhook } from './declaredWebhooks.ts';
import type { SignatureTime, SignedPart, Webhook } from './webhook.ts';

/** One delivery as it was sent. */
export interface Delivery {
  /** The value of a header by its name in lower case; undefined if it is missing. */
  header(name: string): string | undefined;
  /** The bytes of the body, before any decompression. */
  readonly body: Buffer;
}

/** Signatures in one header, with its time; a sender that replaces its secret sends two. */
const elementsMax = 8;
/** Bytes that are hashed between two looks at the clock. */
const sliceBytes = 256 * 1024;

export interface Verification {
  readonly nowMicros: number;
  readonly turns: Turns;
  /** About the reasons of refusals, which are few. */
  readonly reports: Pick<RareReports, 'isDue'>;
}

/**
 * Checks who sent a delivery. Returns a digest of the signed bytes, which is the same whatever secrets the webhook has;
 * undefined if no time is signed, because equal bytes may then be different deliveries. Throws `auth.invalid`, whose
 * cause is the reason if it is to be logged. Callers are told no reason, and all refusals cost the same, because they must not learn which webhooks exist.
 */
export async function verifySignature(
  { webhook, isDeclared }: NamedWebhook,
  delivery: Delivery,
  { nowMicros, turns, reports }: Verification,
): Promise<string | undefined> {
  const { signature } = webhook;
  const value = delivery.header(signature.header)?.trim() ?? '';
  const given = signaturesOf(webhook, value);
  const pause = new Pause(turns);
  let isSigned = false;
  const signed = signature.timestamp === null ? undefined : createHash('sha256');
  for (const [n, secret] of signature.secrets.entries()) {
    const hmac = createHmac(signature.algorithm, secret);
    for (const part of signature.signed) {
      const bytes = bytesOf(part, webhook, delivery);
      for (let at = 0; at < bytes.length; at += sliceBytes) {
        const slice = bytes.subarray(at, at + sliceBytes);
        hmac.update(slice);
        if (n === 0) signed?.update(slice);
        if (pause.isDue(sliceBytes)) await pause.take();
      }
    }
    const expected = hmac.digest();
    // Every signature is compared with every secret, so that the time tells nothing.
    for (const each of given) {
      if (each.length === expected.length && timingSafeEqual(each, expected)) isSigned = true;
    }
  }
  if (!isDeclared) throw refused('no webhook has the name in the URL', reports);
  if (value === '') throw refused(`the header ${signature.header}, with the signature, is missing`, reports);
  const staleness = stalenessOf(webhook, delivery, nowMicros);
  if (staleness !== null) throw refused(staleness, reports);
  if (isSigned) return signed?.digest('base64url');
  throw refused(
    `no signature in the header ${signature.header} is that of this body with a secret of the webhook ${webhook.name}`,
    reports,
  );
}

/** The refusal of a delivery. Only the log says why, and once in a while, because anyone can send deliveries. */
export function refused(reason: string, reports: Verification['reports']): ServiceError {
  return new ServiceError(
    'auth.invalid',
    'This is not a signed delivery of a declared webhook. The log of the service says why it was refused.',
    reports.isDue(reason) ? { cause: new Error(reason) } : {},
  );
}

function signaturesOf({ signature: { prefix, encoding, timestamp } }: Webhook, value: string): readonly Buffer[] {
  const form = encoding === 'hex' ? /^(?:[0-9a-f]{2})+$/i : /^[A-Za-z0-9+/]+={0,2}$/;
  return elementsOf(value, timestamp)
    .filter((each) => each.startsWith(prefix))
    .map((each) => each.slice(prefix.length))
    .filter((each) => form.test(each))
    .map((each) => Buffer.from(each, encoding));
}

/** The parts of a header with several. Space divides them unless the time is one, because some prefixes have a comma (`v1,`). */
function elementsOf(value: string, timestamp: SignatureTime | null): readonly string[] {
  if ((timestamp?.prefix ?? null) === null) return value.split(/\s+/, elementsMax);
  return value.split(/[,;]/, elementsMax).map((each) => each.trim());
}

/** The time as it is signed; empty if there is none. */
function timeOf(timestamp: SignatureTime, delivery: Delivery): string {
  const value = delivery.header(timestamp.header)?.trim() ?? '';
  const { prefix } = timestamp;
  if (prefix === null) return value;
  const element = elementsOf(value, timestamp).find((each) => each.startsWith(prefix));
  return element?.slice(prefix.length) ?? '';
}

/** Why the time of the signature is not accepted; null if it is, or none is signed. */
function stalenessOf({ signature: { timestamp } }: Webhook, delivery: Delivery, nowMicros: number): string | null {
  if (timestamp === null) return null;
  const value = timeOf(timestamp, delivery);
  const place = timestamp.prefix === null ? timestamp.header : `${timestamp.header} (${timestamp.prefix}…)`;
  const apart = /^\d{1,12}$/.test(value) ? Math.abs(Number(value) - nowMicros / 1e6) : Number.POSITIVE_INFINITY;
  if (apart <= timestamp.toleranceSeconds) return null;
  return `the header ${place} must have the time of the signature in seconds since 1970, at most ${timestamp.toleranceSeconds} seconds from the time of this service`;
}

function bytesOf(part: SignedPart, { signature, deliveryHeader }: Webhook, delivery: Delivery): Buffer {
  switch (part.kind) {
    case 'body':
      return delivery.body;
    case 'text':
      return Buffer.from(part.text);
    case 'timestamp':
      return Buffer.from(signature.timestamp === null ? '' : timeOf(signature.timestamp, delivery));
    default:
      return Buffer.from(delivery.header(deliveryHeader ?? '')?.trim() ?? '');
  }
}
