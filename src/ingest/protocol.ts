import type { Turns } from '../core/concurrency/turns.ts';
import type { DecodedBody } from './decode.ts';
import type { SenderTerms } from './senderTerms.ts';

export interface DecodeLimits {
  readonly eventsMax: number;
  /** Maximum bytes of one event, as sent. */
  readonly eventBytesMax: number;
  /** Maximum bytes of all events, counting what they share for each. */
  readonly expandedBytesMax: number;
  /**
   * Told again and again how many bytes the events take so far, counting what they share for each.
   *
   * @throws ServiceError `ingest.overloaded` if there is no room for them.
   */
  readonly take?: (expandedBytes: number) => void;
}

export interface OpenedBody {
  /** Whether the body is a block of Snappy, whatever its Content-Encoding. */
  readonly isSnappy?: boolean;
  /** Parts of the request besides the body that events are made from. Bodies are equal only if these are. */
  readonly besides?: string;
  /** How messages name what its senders can change. Default: `eventTerms`. */
  readonly terms?: SenderTerms;
  /**
   * Reads the events of the decompressed body.
   *
   * @throws ServiceError `request.malformed` with the place, `ingest.too_many_events`, `request.too_large`.
   */
  decode(body: Uint8Array, limits: DecodeLimits, turns: Turns): Promise<DecodedBody>;
}

/**
 * The form in which a sender writes events: it decodes bodies, and nothing after that knows it.
 *
 * @throws ServiceError `request.unsupported_media_type`, before the body is decompressed.
 */
export type Protocol = (contentType: string | undefined) => OpenedBody;
