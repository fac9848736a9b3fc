import type { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
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

/** How long a state is kept of which nothing is read. */
export const backupIdleMsMax = 10 * 60_000;
/** States that are kept at the same time: each holds files on the device that merging has replaced. */
export const backupsMax = 2;

interface Session {
  readonly reader: BackupReader;
  readonly tokenId: string;
  reading: number;
  stopIdling: () => void;
}

/**
 * States of the running service that are being read as backups, each by the token that asked for it. One that is not
 * read any more is let go by itself.
 */
export class BackupSessions {
  readonly #options: BackupSessionsOptions;
  readonly #sessions = new Map<string, Session>();
  #taking = 0;

  constructor(options: BackupSessionsOptions) {
    this.#options = options;
  }

  /** Takes a state. Throws `backup.overloaded` where others are still being read. */
  async begin(tokenId: string): Promise<{ readonly id: string; readonly contents: BackupContents }> {
    const { clock, randomness, take } = this.#options;
    if (this.#sessions.size + this.#taking >= backupsMax) {
      throw new ServiceError(
        'backup.overloaded',
        `Other backups are being made, at most ${backupsMax} at a time. Wait for one to end; one that was broken off is given up after ${backupIdleMsMax / 60_000} minutes.`,
        { retryAfterSeconds: 60 },
      );
    }
    this.#taking++;
    try {
      const reader = await take();
      const id = uuidV7(clock.nowMicros() / 1000, randomness);
      const session: Session = { reader, tokenId, reading: 0, stopIdling: () => {} };
      this.#sessions.set(id, session);
      this.#idle(id, session);
      return { id, contents: reader.contents };
    } finally {
      this.#taking--;
    }
  }

  /** A file of a state. Throws `backup.unknown` for what is not there, or is another token's. */
  async open(
    id: string,
    name: string,
    tokenId: string,
  ): Promise<{ readonly file: BackupFile; readonly bytes: Readable }> {
    const session = this.#find(id, tokenId);
    const file = session.reader.contents.files.find((each) => each.name === name);
    if (file === undefined) throw new ServiceError('backup.unknown', `The backup ${id} has no file of this name.`);
    session.stopIdling();
    session.reading++;
    const ended = () => {
      session.reading--;
      if (session.reading === 0 && this.#sessions.get(id) === session) this.#idle(id, session);
    };
    try {
      const bytes = await session.reader.open(file);
      bytes.once('close', ended);
      return { file, bytes };
    } catch (error) {
      ended();
      throw error;
    }
  }

  /** Lets go of a state. Throws `backup.unknown`. */
  async end(id: string, tokenId: string): Promise<void> {
    const session = this.#find(id, tokenId);
    this.#sessions.delete(id);
    session.stopIdling();
    await session.reader.close();
  }

  /** Lets go of everything. */
  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const { stopIdling } of sessions) stopIdling();
    await Promise.all(sessions.map(({ reader }) => reader.close()));
  }

  #find(id: string, tokenId: string): Session {
    const session = this.#sessions.get(id);
    if (session !== undefined && session.tokenId === tokenId) return session;
    throw new ServiceError(
      'backup.unknown',
      'There is no backup of this id that the token began; one that is not read is given up after some minutes.',
    );
  }

  #idle(id: string, session: Session): void {
    session.stopIdling();
    session.stopIdling = this.#options.timer.after(backupIdleMsMax, () => {
      if (this.#sessions.delete(id)) void session.reader.close();
    });
  }
}
