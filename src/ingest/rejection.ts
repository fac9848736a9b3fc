/** Why one event of a batch was rejected, and what the docs say about it (streams.md, "Ingestion"). */
export const rejectionCatalogue = {
  'event.malformed': 'A line of an NDJSON body is not JSON, is not UTF-8, or is nested too deeply.',
  'event.not_object': 'An event is not a JSON object.',
  'event.id_invalid': 'The id is not a string of 1 to 128 characters.',
  'event.timestamp_invalid': 'The timestamp is neither RFC 3339 nor an integer of 10, 13, 16 or 19 digits.',
  'event.too_far_ahead': 'The timestamp is more than 24 hours ahead of the clock of the service.',
  'event.too_old': 'The timestamp is older than the retention keeps.',
  'event.metadata_invalid': 'The metadata is neither an object nor a list with one object.',
  'event.project_missing':
    'The event has no project, or the project is not non-empty text, and no default project is configured.',
  'event.project_too_long': 'The project is longer than a query parameter can be.',
  'event.project_forbidden': 'The token may not send events for this project.',
  'event.number_out_of_range': 'A number is larger than a 64-bit float can hold.',
  'event.too_large': 'The event exceeds its size limit.',
  'event.action_unsupported': 'The action of an Elasticsearch `_bulk` request is neither index nor create.',
} as const satisfies Record<string, string>;

export type RejectionCode = keyof typeof rejectionCatalogue;

/** One rejected event. */
export interface Rejection {
  /** Index in the body, from 0; NDJSON counts only lines that are not blank. */
  readonly index: number;
  readonly code: RejectionCode;
  /** A sentence that tells the sender what to do. */
  readonly message: string;
}

export interface RejectedEvent {
  readonly kind: 'rejected';
  readonly code: RejectionCode;
  readonly message: string;
}

export function rejected(code: RejectionCode, message: string): RejectedEvent {
  return { kind: 'rejected', code, message };
}
