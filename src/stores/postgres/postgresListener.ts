import type { Client } from 'pg';
import { isDoneWithin } from '../../core/concurrency/isDoneWithin.ts';
import type { Timer } from '../../core/timer.ts';

/** What a listener reports about its connection. */
export interface ListenerEvents {
  /** Called after each connect. Notifications from before were missed, so read again what they would have said. */
  readonly connected: () => void;
  /** Called once for each loss of the connection, not for each failed attempt to connect again. */
  readonly lost: (cause: unknown) => void;
}

/** Delays before attempts to connect again: doubled after each failure. */
const retryMinMs = 100;
const retryMaxMs = 2_000;
/** How often an idle connection is tried, because a vanished server says nothing. */
const heartbeatMs = 2_000;
const endMs = 500;

/**
 * Receives notifications (LISTEN) on a connection of its own, and connects again by itself. Notifications that were sent
 * while there was no connection are lost, so every user must be able to read by polling what they say.
 */
export class PostgresListener {
  readonly #connect: () => Promise<Client>;
  readonly #timer: Timer;
  readonly #events: ListenerEvents;
  readonly #handlers = new Map<string, (payload: string) => void>();
  #client: Client | undefined;
  #cancelTimer: () => void = () => undefined;
  #failures = 0;
  #isClosed = false;
  #connecting: Promise<void> = Promise.resolve();

  /** `connect` resolves to a connected client, which the listener ends. Nothing happens before `start`. */
  constructor(connect: () => Promise<Client>, timer: Timer, events: ListenerEvents) {
    this.#connect = connect;
    this.#timer = timer;
    this.#events = events;
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /** Calls `handler` with the payload of each notification. Every channel must be given before `start`. */
  on(channel: string, handler: (payload: string) => void): void {
    if (this.#handlers.has(channel)) throw new Error(`the channel ${channel} has a handler already`);
    this.#handlers.set(channel, handler);
  }

  /** Resolves after the first attempt to connect, whether or not it succeeded. */
  start(): Promise<void> {
    this.#connecting = this.#tryConnect();
    return this.#connecting;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    await this.#connecting;
    await this.#drop();
  }

  async #tryConnect(): Promise<void> {
    let client: Client | undefined;
    try {
      client = await this.#connect();
      const connected = client;
      connected.on('notification', ({ channel, payload = '' }) => this.#handlers.get(channel)?.(payload));
      connected.on('error', (cause) => this.#lose(connected, cause));
      connected.on('end', () => this.#lose(connected, new Error('the connection was closed')));
      for (const channel of this.#handlers.keys())
        await connected.query(`listen ${connected.escapeIdentifier(channel)}`);
      if (this.#isClosed) return await endQuietly(connected);
      this.#client = connected;
      this.#failures = 0;
      this.#beatLater(connected);
      this.#events.connected();
    } catch (cause) {
      if (client !== undefined) await endQuietly(client);
      this.#retryLater(cause);
    }
  }

  #lose(client: Client, cause: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    void endQuietly(client);
    this.#retryLater(cause);
  }

  #retryLater(cause: unknown): void {
    if (this.#isClosed) return;
    if (this.#failures === 0) this.#events.lost(cause);
    const delayMs = Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    this.#cancelTimer();
    this.#cancelTimer = this.#timer.after(delayMs, () => {
      this.#connecting = this.#tryConnect();
    });
  }

  #beatLater(client: Client): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#timer.after(heartbeatMs, () => {
      client.query('select 1').then(
        () => {
          if (this.#client === client) this.#beatLater(client);
        },
        (cause: unknown) => this.#lose(client, cause),
      );
    });
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await endQuietly(client);
  }
}

/** The connection may be broken already, and a vanished server answers nothing. */
async function endQuietly(client: Client): Promise<void> {
  await isDoneWithin(
    endMs,
    client.end().catch(() => undefined),
  );
}
