import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface BatchPlace {
  readonly source: string;
  readonly offset: number;
  readonly bytes: number;
  readonly events: number;
}

/** Batches of events on disk, each the body of one request, so that creating them is not measured. */
export class EventFile {
  readonly batches: BatchPlace[] = [];
  readonly #descriptor: number;
  #bytes = 0;

  constructor(folder: string) {
    this.#descriptor = openSync(join(folder, 'events.json'), 'w+');
  }

  get bytes(): number {
    return this.#bytes;
  }

  get events(): number {
    return this.batches.reduce((sum, { events }) => sum + events, 0);
  }

  add(source: string, events: readonly string[]): void {
    const body = Buffer.from(`[${events.join(',')}]`);
    writeSync(this.#descriptor, body, 0, body.length, this.#bytes);
    this.batches.push({ source, offset: this.#bytes, bytes: body.length, events: events.length });
    this.#bytes += body.length;
  }

  read({ offset, bytes }: BatchPlace): Buffer {
    const body = Buffer.allocUnsafe(bytes);
    readSync(this.#descriptor, body, 0, bytes, offset);
    return body;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
