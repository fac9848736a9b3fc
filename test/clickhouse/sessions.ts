import type { Engine } from './engine.ts';
import { refusal } from './exceptions.ts';

interface OpenSession {
  /** Start of the engine process that holds it; a session ends with its process. */
  readonly start: number;
  isBusy: boolean;
  expiry: NodeJS.Timeout | null;
}

export interface SessionRequest {
  readonly id: string;
  readonly mustExist: boolean;
  readonly timeoutMs: number;
}

/** Sessions of the HTTP interface (session_id): each is a connection that outlives requests, and expires. */
export class Sessions {
  readonly #engine: Engine;
  readonly #open = new Map<string, OpenSession>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Begins a request in a session and returns its key. Throws 372 if it must exist and does not, 373 if it is in use. */
  enter(user: string, { id, mustExist }: SessionRequest): string {
    const key = `${user}/${id}`;
    const known = this.#open.get(key);
    if (known !== undefined && known.start === this.#engine.starts) {
      if (known.isBusy) throw refusal(373, 'SESSION_IS_LOCKED', `Session ${id} is locked by a concurrent client`);
      if (known.expiry !== null) clearTimeout(known.expiry);
      known.isBusy = true;
      return key;
    }
    if (mustExist) throw refusal(372, 'SESSION_NOT_FOUND', `Session ${id} not found`);
    this.#open.set(key, { start: this.#engine.starts, isBusy: true, expiry: null });
    return key;
  }

  /** Ends a request in a session. */
  leave(key: string, { timeoutMs }: SessionRequest, closes: boolean): void {
    const session = this.#open.get(key);
    if (session === undefined) return;
    session.isBusy = false;
    if (closes) this.#close(key);
    else session.expiry = setTimeout(() => this.#close(key), timeoutMs).unref();
  }

  #close(key: string): void {
    const session = this.#open.get(key);
    this.#open.delete(key);
    if (session?.start === this.#engine.starts) this.#engine.closeSession(key);
  }
}
