import { basename } from 'node:path';
import { UnreadableStorage } from '../../../ports/storageEngine.ts';
import { damageReason } from '../damage/fileDamage.ts';
import { isNewerFile, NewerEventFile } from './newerEventFile.ts';

/** An event file cannot be opened, but is not damaged. It stays unchanged, and the service does not start. */
export class UnopenableFile extends UnreadableStorage {
  constructor(path: string, cause: unknown) {
    super(
      `The segment ${path} cannot be opened, although it does not seem damaged: ${damageReason(cause)}. Nothing was changed. ` +
        'If memory, the limit of open files or access rights are the reason, increase them. ' +
        `To start without it, move ${basename(path)} and all files that begin with this name into the folder "damaged" next to it. The other files are then served, and answers say that events are missing.`,
      { cause },
    );
    this.name = 'UnopenableFile';
  }
}

/** The start error for an undamaged file that cannot be opened. */
export function unopenable(path: string, cause: unknown): Error {
  return isNewerFile(cause) ? new NewerEventFile(path, cause) : new UnopenableFile(path, cause);
}
