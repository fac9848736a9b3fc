import { basename } from 'node:path';
import { UnreadableStorage } from '../../../ports/storageEngine.ts';
import { EngineFailure } from '../host/engineFailure.ts';

/** A newer engine wrote the file. It is not damaged and stays unchanged. The message is shown as it is. */
export class NewerEventFile extends UnreadableStorage {
  constructor(path: string, cause: unknown) {
    super(
      `${basename(path)} was written by a newer version of Logmill, whose segments this one cannot read; start that version, or use another data folder.`,
      { cause },
    );
    this.name = 'NewerEventFile';
  }
}

/** Whether the engine rejected a file or its log because of a newer format version. */
export function isNewerFile(error: unknown): boolean {
  return (
    error instanceof EngineFailure &&
    /database file with version number|WAL of version .* can only read/i.test(error.failure.detail)
  );
}
