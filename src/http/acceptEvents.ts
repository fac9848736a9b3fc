/** A body of events with everything that decides what it means (streams.md, "Ingestion"). */
export interface EventsRequest {
  readonly tokenId: string;
  /** Each way of naming the source, where the call uses it; a body can name it as well. */
  readonly source: { readonly query: readonly string[]; readonly header: string | undefined };
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly body: Uint8Array;
  readonly idempotencyKey: string | undefined;
  readonly strict: boolean;
  /** Throws `auth.scope` where the token may not send to this source. */
  authorise(source: string): void;
}

/** Resolves with the acknowledgement once what was accepted is durable; throws ServiceError. */
export interface AcceptEvents {
  accept(request: EventsRequest): Promise<object>;
}
