import type { Socket } from 'node:net';
import { changeCount } from './changeCount.ts';
import type { Clock } from './clock.ts';
import { clientNetwork } from './network.ts';

/** A connection; over TLS, the encrypted one and its content are the same. */
type Connection = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/** The place of a connection. */
export interface Place {
  /** Notes that the connection was in use now. */
  heard(): void;
}

interface Held extends Place {
  readonly socket: Socket;
  /** `clientNetwork` of its address. */
  readonly network: string;
  readonly isBusy: () => boolean;
  /** When it was last in use. */
  heardMicros: number;
  /** Whether its messages are being stored. */
  isHeard: boolean;
}

/**
 * The places of connections, which are few. If all are taken, the connection that has been silent longest makes room for
 * a new one: any after `silentMsMax`, and at once one from a network that holds at least two more than the new one's.
 * So one client cannot keep the others out by sending a message now and then, whichever of its addresses it uses.
 */
export class ConnectionPlaces {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #silentMsMax: number;
  /** Those that were silent longest come first, so that room is found without looking at all. */
  readonly #held = new Map<string, Held>();
  /** Connections by network; never 0. */
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
    const network = clientNetwork(socket.remoteAddress ?? '');
    const isFull = this.#held.size >= this.#max;
    if (isFull && !this.#makeRoomFor(network)) return 'refused';
    const key = keyOf(socket);
    const held: Held = {
      socket,
      network,
      isBusy,
      heardMicros: this.#clock.nowMicros(),
      isHeard: false,
      heard: () => this.#heard(key, held),
    };
    this.#drop(key);
    this.#held.set(key, held);
    changeCount(this.#counts, network, 1);
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
    if (held !== undefined) held.isHeard = true;
    await work();
    if (held === undefined) return;
    held.isHeard = false;
    held.heard();
  }

  #heard(key: string, held: Held): void {
    held.heardMicros = this.#clock.nowMicros();
    // It may have lost its place meanwhile.
    if (this.#held.get(key) !== held) return;
    this.#held.delete(key);
    this.#held.set(key, held);
  }

  #drop(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    changeCount(this.#counts, held.network, -1);
  }

  #makeRoomFor(network: string): boolean {
    let most = 0;
    for (const count of this.#counts.values()) most = Math.max(most, count);
    const isShared = most < (this.#counts.get(network) ?? 0) + 2;
    const nowMicros = this.#clock.nowMicros();
    const beforeMicros = nowMicros - this.#silentMsMax * 1000;
    for (const held of this.#held.values()) {
      // If the clock was put back, nobody knows how long those before were silent.
      const isSilent = held.heardMicros <= beforeMicros || held.heardMicros > nowMicros;
      // Those after it were silent for less time.
      if (isShared && !isSilent) return false;
      if (!isSilent && this.#counts.get(held.network) !== most) continue;
      if (held.isHeard || held.isBusy()) continue;
      this.#drop(keyOf(held.socket));
      held.socket.destroy(new Error('the connection made room for another one'));
      return true;
    }
    return false;
  }
}

const keyOf = ({ remoteAddress, remotePort }: Connection): string => `${remoteAddress} ${remotePort}`;
