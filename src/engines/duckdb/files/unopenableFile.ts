import { basename } from 'node:path';
import { UnreadableStorage } from '../../../ports/storageEngine.ts';
import { damageReason } from '../damage/fileDamage.ts';
import { isNewerFile, NewerEventFile } from './newerEventFile.ts';

/** An event file cannot be opened, and not because its bytes are damaged: it is left alone, and the service does not start. */
export class UnopenableFile extends UnreadableStorage {
  constructor(path: string, cause: unknown) {
    super(
      `The event file ${path} cannot be opened, and it does not look damaged: ${damageReason(cause)}. Nothing was changed. ` +
        'Where memory, open files or rights are short, give more of them. ' +
        `To go without it, move ${basename(path)} and what begins with that name into the folder "damaged" beside it: the rest is served then, and answers say that events are missing.`,
      { cause },
    );
    this.name = 'UnopenableFile';
  }
}

/** What the start ends with where a file that is not damaged cannot be opened. */
export function unopenable(path: string, cause: unknown): Error {
  return isNewerFile(cause) ? new NewerEventFile(path, cause) : new UnopenableFile(path, cause);
}
