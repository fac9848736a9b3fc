/** How messages name what the senders of a protocol can change. */
export interface SenderTerms {
  /** The body without events that an empty body may have been meant to be; null if senders have no use for one. */
  readonly emptyBatch: string | null;
  /** Who sends: the subject of what it may not send. */
  readonly sender: string;
  /** What makes a repeated batch known. */
  readonly key: string;
  /** Where the sender writes the time and the ID of an event; null for the members of our own events. */
  readonly time: string | null;
  readonly id: string | null;
  /** What gives an event a project, as an order. */
  readonly giveProject: string;
}

/** Those of our own events in JSON. */
export const eventTerms: SenderTerms = {
  emptyBatch: '[]',
  sender: 'This token',
  key: 'The Idempotency-Key',
  time: null,
  id: null,
  giveProject: 'Give it a member "project"',
};
