import { hkdfSync } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Randomness } from '../../core/ids.ts';
import { type PageSecret, type PageSecretStore, pageMonthMicros } from '../../ports/pageSecrets.ts';

/** A key with the byte that names it in a cursor. */
export interface CursorKey {
  readonly id: number;
  /** 32 bytes, for AES-256-GCM. */
  readonly key: Buffer;
}

const secretBytes = 32;
/** Each purpose of the secrets has keys of its own (RFC 5869, section 3.2). */
const purposes = { pages: 'logmill page cursor 1', tails: 'logmill tail id 1' } as const;

/**
 * The keys of page cursors, or of places in tails: a new one each month, from a secret in the store, so that all nodes read the cursors of each
 * other. Those of the month before are still read.
 */
export class CursorKeys {
  readonly #store: PageSecretStore;
  readonly #clock: Clock;
  readonly #randomness: Randomness;
  readonly #purpose: string;
  #known = new Map<number, CursorKey>();

  constructor(store: PageSecretStore, clock: Clock, randomness: Randomness, purpose: keyof typeof purposes = 'pages') {
    this.#purpose = purposes[purpose];
    this.#store = store;
    this.#clock = clock;
    this.#randomness = randomness;
  }

  /** The key of new cursors. Rejects with `service.store_unavailable` if a new month has none yet. */
  async current(): Promise<CursorKey> {
    const month = this.#month();
    const known = this.#known.get(month);
    if (known !== undefined) return known;
    this.#keep(await this.#store.load());
    if (!this.#known.has(month)) {
      this.#keep(await this.#store.add({ month, secret: this.#randomness.bytes(secretBytes) }));
    }
    const made = this.#known.get(month);
    if (made === undefined) throw new Error('the store did not keep the secret of page cursors');
    return made;
  }

  /** The key that a cursor names; null if there is none, or it is too old. */
  async find(id: number): Promise<CursorKey | null> {
    const found = this.#among(id);
    if (found !== null) return found;
    this.#keep(await this.#store.load());
    return this.#among(id);
  }

  /** The keys that are still read, the current one first. */
  async all(): Promise<readonly CursorKey[]> {
    const current = await this.current();
    const before = this.#known.get(this.#month() - 1);
    return before === undefined ? [current] : [current, before];
  }

  /** The clock of another node may be in the next month already. */
  #among(id: number): CursorKey | null {
    const month = this.#month();
    for (const each of [month, month - 1, month + 1]) {
      const known = this.#known.get(each);
      if (known?.id === id) return known;
    }
    return null;
  }

  #keep(secrets: readonly PageSecret[]): void {
    this.#known = new Map(
      secrets.map(({ month, secret }) => {
        const key = Buffer.from(hkdfSync('sha256', secret, '', this.#purpose, 32));
        return [month, { id: month & 0xff, key }];
      }),
    );
  }

  #month(): number {
    return Math.floor(this.#clock.nowMicros() / pageMonthMicros);
  }
}
