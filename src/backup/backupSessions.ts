import type { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { counted } from '../core/counted.ts';
import { ServiceError } from '../core/errors.ts';
import { type Randomness, uuidV7 } from '../core/ids.ts';
import type { Timer } from '../core/timer.ts';
import type { BackupContents, BackupFile, BackupReader } from './backupContents.ts';

export interface BackupSessionsOptions {
  /** Takes a state of the running service. */
  readonly take: () => Promise<BackupReader>;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly randomness: Randomness;
}

/** Time after which a state that is not read is released. */
export const backupIdleMsMax = 10 * 60_000;
/** A state that is not read for this long is also released if another one is taken and there are too many. */
export const backupSilentMsMax = 60_000;
/** States that may exist at the same time. Each keeps segments on disk that compaction has replaced. */
export const backupsMax = 2;

interface Session {
  readonly reader: BackupReader;
  readonly tokenId: string;
  reading: number;
  /** Since when nothing is read. */
  idleSinceMs: number;
  /** Whether its reader left in the middle of a file. */
  wasLeft: boolean;
  stopIdling: () => void;
}

/**
 * States of the running service that are being read as backups. Only the token that started one can read it. A state
 * that is no longer read is released.
 */
export class BackupSessions {
  readonly #options: BackupSessionsOptions;
  readonly #sessions = new Map<string, Session>();
  #taking = 0;

  constructor(options: BackupSessionsOptions) {
    this.#options = options;
  }

  /** Takes a state, if need be in place of an abandoned one. Throws `backup.overloaded` if too many others are being read. */
  async begin(tokenId: string): Promise<{ readonly id: string; readonly contents: BackupContents }> {
    const { clock, randomness, take } = this.#options;
    const isFull = this.#sessions.size + this.#taking >= backupsMax;
    const abandoned = isFull ? this.#abandoned() : undefined;
    if (isFull && abandoned === undefined) {
      throw new ServiceError(
        'backup.overloaded',
        `At most ${counted(backupsMax, 'backup')} can run at the same time. Wait for one to end; one that nobody reads for ${backupSilentMsMax / 1000} seconds makes room.`,
        { retryAfterSeconds: backupSilentMsMax / 1000 },
      );
    }
    this.#taking++;
    try {
      if (abandoned !== undefined) await this.#release(abandoned);
      const reader = await take();
      const id = uuidV7(clock.nowMicros() / 1000, randomness);
      const session: Session = { reader, tokenId, reading: 0, idleSinceMs: 0, wasLeft: false, stopIdling: () => {} };
      this.#sessions.set(id, session);
      this.#idle(id, session);
      return { id, contents: reader.contents };
    } finally {
      this.#taking--;
    }
  }

  /** Opens a file of a state. Throws `backup.unknown` if there is no such file or the state is another token's. */
  async open(
    id: string,
    name: string,
    tokenId: string,
  ): Promise<{ readonly file: BackupFile; readonly bytes: Readable }> {
    const session = this.#find(id, tokenId);
    const file = session.reader.contents.files.find((each) => each.name === name);
    if (file === undefined) throw new ServiceError('backup.unknown', `The backup ${id} has no file with this name.`);
    session.stopIdling();
    session.reading++;
    const ended = () => {
      session.reading--;
      if (session.reading === 0 && this.#sessions.get(id) === session) this.#idle(id, session);
    };
    try {
      const bytes = await session.reader.open(file);
      session.wasLeft = false;
      bytes.once('close', () => {
        session.wasLeft ||= !bytes.readableEnded;
        ended();
      });
      return { file, bytes };
    } catch (error) {
      ended();
      throw error;
    }
  }

  /** Releases a state. Throws `backup.unknown`. */
  async end(id: string, tokenId: string): Promise<void> {
    this.#find(id, tokenId);
    await this.#release(id);
  }

  /** Releases all states. */
  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const { stopIdling } of sessions) stopIdling();
    await Promise.all(sessions.map(({ reader }) => reader.close()));
  }

  /** The state that has been unread longest, if its reader seems to be gone. */
  #abandoned(): string | undefined {
    const nowMs = this.#options.timer.nowMs();
    const [longest] = [...this.#sessions]
      .filter(
        ([, { reading, wasLeft, idleSinceMs }]) =>
          reading === 0 && (wasLeft || nowMs - idleSinceMs >= backupSilentMsMax),
      )
      .sort(([, a], [, b]) => a.idleSinceMs - b.idleSinceMs);
    return longest?.[0];
  }

  async #release(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.stopIdling();
    await session?.reader.close();
  }

  #find(id: string, tokenId: string): Session {
    const session = this.#sessions.get(id);
    if (session !== undefined && session.tokenId === tokenId) return session;
    throw new ServiceError(
      'backup.unknown',
      `This token has no backup with this ID. A backup that is not read for ${backupIdleMsMax / 60_000} minutes is released.`,
    );
  }

  #idle(id: string, session: Session): void {
    session.stopIdling();
    session.idleSinceMs = this.#options.timer.nowMs();
    session.stopIdling = this.#options.timer.after(backupIdleMsMax, () => {
      if (this.#sessions.delete(id)) void session.reader.close();
    });
  }
}
