import { SqliteError } from 'libsql';
import { ServiceError } from '../../core/errors.ts';

const diskFullRetrySeconds = 10;
const busyRetrySeconds = 5;

/**
 * Converts an error to `service.disk_full` if the device has no space for a write, or to `service.store_busy` if
 * another process held the store for too long; returns other errors unchanged.
 */
export function storeError(error: unknown): unknown {
  if (isBusy(error)) {
    return new ServiceError(
      'service.store_busy',
      'Another process is still changing the store of the data folder, so nothing was changed. Try again later; "logmill doctor" names the service that uses the folder.',
      { retryAfterSeconds: busyRetrySeconds, cause: error },
    );
  }
  if (!isStoreFull(error)) return error;
  return new ServiceError(
    'service.disk_full',
    'The disk of the service is full, so nothing was changed. Try again after the operator of the service has freed some space.',
    { retryAfterSeconds: diskFullRetrySeconds, cause: error },
  );
}

/** Whether SQLite gave up because another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/**
 * Whether SQLite found no space on the device: for a page, or for the index of the write-ahead log, which it makes when it
 * opens a store that no process has open.
 */
export function isStoreFull(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  const code = String(error.code);
  return code.startsWith('SQLITE_FULL') || code === 'SQLITE_IOERR_SHMSIZE';
}
