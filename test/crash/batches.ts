/**
 * How the service recognises a repeated batch (streams.md, "a retry of the same batch"): by its `Idempotency-Key`, by
 * its bytes, or not at all.
 */
export type Recognition = 'key' | 'bytes' | 'none';

const kinds: readonly [Recognition, Recognition, Recognition] = ['key', 'bytes', 'none'];

export const project = 'crashproject';
export const eventsPerBatch = 50;

export interface Batch {
  readonly name: string;
  readonly recognition: Recognition;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The `number`-th batch of a sender. The message of an event is `<name of its batch>/<its number>`. */
export function batchOf(sender: number, number: number): Batch {
  const name = `${sender}.${String(number).padStart(5, '0')}`;
  const recognition = kinds[number % kinds.length] ?? 'key';
  const events = Array.from({ length: eventsPerBatch }, (_, n) => ({
    event_message: `${name}/${n}`,
    project,
    metadata: { request: { method: 'GET', path: '/rest/v1/todos' }, response: { status_code: 200 } },
    // Unless every event has its own id and time, equal bytes may be two different batches.
    ...(recognition === 'bytes' ? { id: `${name}/${n}`, timestamp: 1_780_000_000_000_000 + n } : {}),
  }));
  return {
    name,
    recognition,
    headers: recognition === 'key' ? { 'idempotency-key': name } : {},
    body: JSON.stringify(events),
  };
}
