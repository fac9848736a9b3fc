import { SqliteError } from 'libsql';
import { ServiceError } from '../../core/errors.ts';

const diskFullRetrySeconds = 10;
const busyRetrySeconds = 5;

/**
 * The error, or `service.disk_full` where the device has no room for a write, and `service.store_busy` where another process
 * has the store for longer than is waited.
 */
export function storeError(error: unknown): unknown {
  if (isBusy(error)) {
    return new ServiceError(
      'service.store_busy',
      'Another process is changing the store of the data folder and has not ended, so nothing was changed. Call again later; "logmill doctor" names the service that has the folder.',
      { retryAfterSeconds: busyRetrySeconds, cause: error },
    );
  }
  if (!(error instanceof SqliteError) || !error.code.startsWith('SQLITE_FULL')) return error;
  return new ServiceError(
    'service.disk_full',
    'The disk of the service is full, so nothing was changed. Call again later; whoever operates the service must make room.',
    { retryAfterSeconds: diskFullRetrySeconds, cause: error },
  );
}

/** Whether SQLite gave up because another connection has the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY');
}
