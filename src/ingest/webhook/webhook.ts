import type { ProjectField } from '../../sources/source.ts';

/** Names of members, outermost first. */
export type MemberPath = readonly string[];

/** A part of the text that the sender signs. */
export type SignedPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'timestamp' }
  | { readonly kind: 'delivery' }
  | { readonly kind: 'body' };

/** How deliveries are signed: an HMAC (RFC 2104) in a header. */
export interface WebhookSignature {
  /** In lower case. */
  readonly header: string;
  readonly algorithm: 'sha256' | 'sha1';
  readonly encoding: 'hex' | 'base64';
  /** What precedes each signature in the header, such as `sha256=`; empty for nothing. */
  readonly prefix: string;
  /** The keys of the HMAC; two while a secret is replaced. */
  readonly secrets: readonly Buffer[];
  readonly signed: readonly SignedPart[];
  /** Null if the sender signs no time. */
  readonly timestamp: SignatureTime | null;
}

/** Where the time of a signature is, in seconds since 1970, and how far it may be from ours. */
export interface SignatureTime {
  /** In lower case. */
  readonly header: string;
  /**
   * What precedes the time if the header has elements divided by commas or semicolons, as in `t=1492774577,v1=5257…`.
   * Then it is the header of the signature too. Null if the time is the whole header.
   */
  readonly prefix: string | null;
  readonly toleranceSeconds: number;
}

/** The project of the events: always the same, or a member of each event that names one of the allowed (null allows all). */
export type WebhookProject =
  | { readonly kind: 'fixed'; readonly project: string }
  | { readonly kind: 'member'; readonly path: MemberPath; readonly allowed: readonly string[] | null };

/** Where the parts of an event are. Paths begin at the event; if it lacks the member, at the body. */
export interface WebhookMapping {
  /** The array of events; null if the body is one event or an array of events. */
  readonly events: MemberPath | null;
  /** Null for the time of arrival. */
  readonly time: MemberPath | null;
  readonly message: MemberPath | null;
  readonly id: MemberPath | null;
}

/** A sender of JSON over HTTP that has no token: the declaration gives it its rights. */
export interface Webhook {
  readonly name: string;
  readonly source: string;
  /** Where events of the source have their project. */
  readonly projectField: ProjectField;
  readonly project: WebhookProject;
  readonly mapping: WebhookMapping;
  readonly signature: WebhookSignature;
  /** The header with the ID of a delivery, in lower case; a delivery with an ID that came before is stored once. */
  readonly deliveryHeader: string | null;
}

/** The headers that its deliveries have, in lower case. */
export function headersOf({ signature, deliveryHeader }: Webhook): readonly string[] {
  return [signature.header, signature.timestamp?.header ?? null, deliveryHeader].filter((name) => name !== null);
}
