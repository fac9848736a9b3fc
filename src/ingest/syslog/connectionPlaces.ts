import type { Socket } from 'node:net';
import type { Clock } from '../../core/clock.ts';

/** A connection that has sent no message for this long loses its place if another one needs it. */
export const silentMsMax = 5 * 60_000;

/** A connection; over TLS, the encrypted one and its content are the same. */
type Connection = Pick<Socket, 'remoteAddress' | 'remotePort'>;

interface Held {
  readonly socket: Socket;
  readonly address: string;
  /** When it last sent a whole message; infinite while its messages are being stored. */
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
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  /** Gives the connection a place until it closes, if there is one. Returns whether another one lost its place for it. */
  take(socket: Socket): 'taken' | 'takenFromAnother' | 'refused' {
    const address = socket.remoteAddress ?? '';
    const isFull = this.#held.size >= this.#max;
    if (isFull && !this.#makeRoomFor(address)) return 'refused';
    const key = keyOf(socket);
    const held = { socket, address, heardMicros: this.#clock.nowMicros() };
    this.#held.set(key, held);
    socket.once('close', () => {
      if (this.#held.get(key) === held) this.#held.delete(key);
    });
    return isFull ? 'takenFromAnother' : 'taken';
  }

  /** Runs the work on messages that the connection sent. It does not count as silent meanwhile. */
  async hear(connection: Connection, work: () => Promise<void>): Promise<void> {
    const held = this.#held.get(keyOf(connection));
    if (held !== undefined) held.heardMicros = Number.POSITIVE_INFINITY;
    await work();
    if (held !== undefined) held.heardMicros = this.#clock.nowMicros();
  }

  #makeRoomFor(address: string): boolean {
    const held = [...this.#held].sort(([, a], [, b]) => (a.heardMicros < b.heardMicros ? -1 : 1));
    const counts = new Map<string, number>();
    for (const [, each] of held) counts.set(each.address, (counts.get(each.address) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const ownMost = most >= (counts.get(address) ?? 0) + 2 ? most : Number.POSITIVE_INFINITY;
    const beforeMicros = this.#clock.nowMicros() - silentMsMax * 1000;
    const loser = held.find(
      ([, each]) =>
        each.heardMicros <= beforeMicros ||
        (counts.get(each.address) === ownMost && each.heardMicros < Number.POSITIVE_INFINITY),
    );
    if (loser === undefined) return false;
    const [key, { socket }] = loser;
    this.#held.delete(key);
    socket.destroy(new Error('the connection made room for another one'));
    return true;
  }
}

const keyOf = ({ remoteAddress, remotePort }: Connection): string => `${remoteAddress} ${remotePort}`;
