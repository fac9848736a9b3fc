/** A generated event, as it is sent. `timestamp`: microseconds. */
export interface SentEvent {
  readonly id: string;
  readonly timestamp: number;
  readonly event_message: string;
  readonly project?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}
