import { basename } from 'node:path';
import { UnreadableStorage } from '../../../ports/storageEngine.ts';
import { EngineFailure } from '../host/engineFailure.ts';

/** An event file was written by a newer engine than this one. It is no damage: the file is left as it is. Shown as it is. */
export class NewerEventFile extends UnreadableStorage {
  constructor(path: string, cause: unknown) {
    super(
      `${basename(path)} was written by a newer version of Logmill, whose event files this one cannot read; start that version, or use another data folder.`,
      { cause },
    );
    this.name = 'NewerEventFile';
  }
}

/** Whether the engine refused a file, or its log, because it does not know that version of the format. */
export function isNewerFile(error: unknown): boolean {
  return (
    error instanceof EngineFailure &&
    /database file with version number|WAL of version .* can only read/i.test(error.failure.detail)
  );
}
