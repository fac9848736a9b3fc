import type { Pause } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import type { JsonValue } from '../core/jsonValue.ts';
import { BadRecord } from './badRecord.ts';
import { type SentEvent, tooManyEvents } from './decode.ts';
import type { DecodeLimits } from './protocol.ts';
import { rejected } from './rejection.ts';
import type { Step } from './step.ts';

/** How messages name the parts of a request. */
export interface GatheredNames {
  /** One event: `log record`. */
  readonly record: string;
  /** The parts that records share: `resource and scope`. */
  readonly shared: string;
}

/** The overhead of a record. In JSON, the body size already bounds it. */
export const recordBytes = 200;

/** The overhead in memory of a member that every record gets a copy of. */
const memberBytes = 32;

/** The events are counted again after this many bytes. */
const takenBytes = 64 * 1024;

/** The events of a request take more than its share of `expandedBytesMax`. */
export class ExpandedTooLarge extends ServiceError {}

/**
 * Collects the events of a request whose records share parts, within the limits. Every record is stored with its shared
 * parts, so that few bytes can become very many.
 */
export class Gathering {
  readonly events: SentEvent[] = [];
  readonly #limits: DecodeLimits;
  readonly #names: GatheredNames;
  readonly #pause: Pause;
  #sharedBytes = 0;
  #sharedMembers = 0;
  #takenBytes = 0;
  #sharedCount = 0;
  #bytes = 0;
  #work = 0;

  constructor(limits: DecodeLimits, names: GatheredNames, pause: Pause) {
    this.#limits = limits;
    this.#names = names;
    this.#pause = pause;
  }

  /** Begins the records that share parts of this many bytes, as stored, of which each copies this many members. */
  begin(sharedBytes: number, copiedMembers = 0): void {
    this.#sharedBytes = sharedBytes;
    this.#sharedMembers = copiedMembers;
    // Shared parts without records are valid, but this many of them are not a sensible request.
    if (++this.#sharedCount > 2 * this.#limits.eventsMax) throw tooManyEvents(this.#limits.eventsMax);
  }

  /** Adds the event of a record of this many bytes. Returns a promise if reading the record takes more than a turn. */
  add(bytes: number, read: () => Generator<Step, JsonValue>): Promise<void> | undefined {
    if (!this.#admits(bytes)) return undefined;
    try {
      const steps = read();
      const first = steps.next();
      if (first.done !== true) return this.#addInSteps(steps, first.value);
      this.events.push({ kind: 'value', value: first.value });
    } catch (error) {
      this.#reject(error);
    }
    this.#work += bytes;
    return undefined;
  }

  /** Like `add`, for a record that is read at once. */
  addAtOnce(bytes: number, read: () => JsonValue): void {
    if (!this.#admits(bytes)) return;
    try {
      this.events.push({ kind: 'value', value: read() });
    } catch (error) {
      this.#reject(error);
    }
    this.#work += bytes;
  }

  /** Whether there is room for the record and what it shares. A record that is too large is rejected unread. */
  #admits(bytes: number): boolean {
    const { eventsMax, eventBytesMax, expandedBytesMax, take } = this.#limits;
    if (this.events.length === eventsMax) throw tooManyEvents(eventsMax);
    const isSharedTooLarge = this.#sharedBytes > eventBytesMax;
    if (!isSharedTooLarge) this.#bytes += this.#sharedBytes + this.#sharedMembers * memberBytes + bytes;
    this.#work += recordBytes + (isSharedTooLarge ? 0 : this.#sharedBytes);
    if (this.#bytes > expandedBytesMax) throw this.#tooLarge(expandedBytesMax);
    if (this.#bytes > this.#takenBytes + takenBytes) {
      this.#takenBytes = this.#bytes;
      take?.(this.#bytes);
    }
    if (bytes <= eventBytesMax && !isSharedTooLarge) return true;
    const { record, shared } = this.#names;
    const what = isSharedTooLarge ? `The ${shared} of the ${record} have` : `The ${record} has`;
    // Names no size, because what is too large is not read to its end.
    this.events.push(rejected('event.too_large', `${what} more than ${eventBytesMax} bytes, the most allowed.`));
    return false;
  }

  async #addInSteps(steps: Generator<Step, JsonValue>, first: Step): Promise<void> {
    try {
      this.work(first.work);
      for (let next = steps.next(); ; next = steps.next()) {
        if (next.done === true) {
          this.events.push({ kind: 'value', value: next.value });
          return;
        }
        this.work(next.value.work);
        if (this.isPauseDue()) await this.pause();
      }
    } catch (error) {
      this.#reject(error);
    }
  }

  #reject(error: unknown): void {
    if (!(error instanceof BadRecord)) throw error;
    const { record } = this.#names;
    this.events.push(rejected(error.code, `The ${record} cannot be stored: ${error.message}.`));
  }

  /** Records work on this many bytes. */
  work(bytes: number): void {
    this.#work += bytes;
  }

  isPauseDue(): boolean {
    const work = this.#work;
    this.#work = 0;
    return this.#pause.isDue(work);
  }

  /** Lets other work run. */
  pause(): Promise<void> {
    return this.#pause.take();
  }

  #tooLarge(bytesMax: number): ExpandedTooLarge {
    const { record, shared } = this.#names;
    return new ExpandedTooLarge(
      'request.too_large',
      `Each ${record} is stored with its ${shared}, so this request exceeds the limit of ${bytesMax} bytes; nothing was stored. Send fewer ${record}s per request.`,
    );
  }
}
