import type { Clock } from '../../core/clock.ts';
import { systemRandomness } from '../../core/ids.ts';
import { systemTimer } from '../../core/timer.ts';
import type { PageSecret, PageSecretStore } from '../../ports/pageSecrets.ts';
import { CursorKeys } from './cursorKeys.ts';
import type { PageServices } from './pages.ts';

/** Keeps the secrets of cursors in memory. */
export class MemoryPageSecrets implements PageSecretStore {
  secrets: readonly PageSecret[] = [];

  async load() {
    return this.secrets;
  }

  async add(secret: PageSecret) {
    if (!this.secrets.some(({ month }) => month === secret.month)) this.secrets = [...this.secrets, secret];
    return this.secrets;
  }
}

/** Pages over an engine whose last event has this arrival number; undefined if it has none. */
export function pagesOf(clock: Clock, lastArrival: number | undefined): PageServices {
  return {
    lastArrival: lastArrival === undefined ? undefined : () => lastArrival,
    keys: new CursorKeys(new MemoryPageSecrets(), clock, systemRandomness),
    clock,
    timer: systemTimer,
    randomness: systemRandomness,
  };
}
