import type { Socket } from 'node:net';
import { changeCount } from './changeCount.ts';
import type { Clock } from './clock.ts';

/** A connection; over TLS, the encrypted one and its content are the same. */
type Connection = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/** The place of a connection. */
export interface Place {
  /** Notes that the connection was in use now. */
  heard(): void;
}

interface Held extends Place {
  readonly socket: Socket;
  readonly address: string;
  readonly isBusy: () => boolean;
  /** When it was last in use; infinite while its messages are being stored. */
  heardMicros: number;
}

/**
 * The places of connections, which are few. If all are taken, the connection that has been silent longest makes room for
 * a new one: any after `silentMsMax`, and at once one from an address that holds at least two more than the new one's.
 * So one address cannot keep the others out by sending a message now and then.
 */
export class ConnectionPlaces {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #silentMsMax: number;
  readonly #held = new Map<string, Held>();
  /** Connections by address; never 0. */
  readonly #counts = new Map<string, number>();

  /** `silentMsMax`: a connection that was not in use for this long loses its place if another one needs it. */
  constructor(clock: Clock, max: number, silentMsMax: number) {
    this.#clock = clock;
    this.#max = max;
    this.#silentMsMax = silentMsMax;
  }

  /**
   * Gives the connection a place until it closes, if there is one. Returns whether another one lost its place for it. A
   * connection does not lose its place while `isBusy`.
   */
  take(socket: Socket, isBusy = () => false): 'taken' | 'takenFromAnother' | 'refused' {
    const address = socket.remoteAddress ?? '';
    const isFull = this.#held.size >= this.#max;
    if (isFull && !this.#makeRoomFor(address)) return 'refused';
    const key = keyOf(socket);
    const held: Held = {
      socket,
      address,
      isBusy,
      heardMicros: this.#clock.nowMicros(),
      heard: () => {
        held.heardMicros = this.#clock.nowMicros();
      },
    };
    this.#drop(key);
    this.#held.set(key, held);
    changeCount(this.#counts, address, 1);
    socket.once('close', () => {
      if (this.#held.get(key) === held) this.#drop(key);
    });
    return isFull ? 'takenFromAnother' : 'taken';
  }

  /** The place of a connection; undefined if it has none. */
  find(connection: Connection): Place | undefined {
    return this.#held.get(keyOf(connection));
  }

  /** Runs the work on messages that the connection sent. It does not count as silent meanwhile. */
  async hear(connection: Connection, work: () => Promise<void>): Promise<void> {
    const held = this.#held.get(keyOf(connection));
    if (held !== undefined) held.heardMicros = Number.POSITIVE_INFINITY;
    await work();
    held?.heard();
  }

  #drop(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    changeCount(this.#counts, held.address, -1);
  }

  #makeRoomFor(address: string): boolean {
    let most = 0;
    for (const count of this.#counts.values()) most = Math.max(most, count);
    const ownMost = most >= (this.#counts.get(address) ?? 0) + 2 ? most : Number.POSITIVE_INFINITY;
    const beforeMicros = this.#clock.nowMicros() - this.#silentMsMax * 1000;
    let loser: Held | undefined;
    for (const each of this.#held.values()) {
      if (each.heardMicros >= (loser?.heardMicros ?? Number.POSITIVE_INFINITY)) continue;
      const mayLose = each.heardMicros <= beforeMicros || this.#counts.get(each.address) === ownMost;
      if (mayLose && !each.isBusy()) loser = each;
    }
    if (loser === undefined) return false;
    this.#drop(keyOf(loser.socket));
    loser.socket.destroy(new Error('the connection made room for another one'));
    return true;
  }
}

const keyOf = ({ remoteAddress, remotePort }: Connection): string => `${remoteAddress} ${remotePort}`;
