import { ServiceError } from '../../core/errors.ts';

const retrySeconds = 2;

/** The five-character code of an error that the server sent (SQLSTATE); undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The server starts, stops, accepts no more connections, refuses this user, or has become a standby. */
const unavailableStates = /^(?:08|28|53|57P|58|25006|3D000)/;
/** A lock was not free in time, or a deadlock was ended: nothing was changed. */
const busyStates = /^(?:55P03|40P01|40001|57014)$/;
/** PostgreSQL keeps every character but NUL. */
const nulState = '22021';
/** Errors of the library about its connection have only a message. */
const connectionMessages =
  /^(?:connection terminated|timeout ex|query read timeout|client (?:has|was)|the server does not support ssl|sasl)/i;

/** Whether the server cannot be used now, or its connection is of unknown state. */
export function breaksConnection(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return unavailableStates.test(state);
  if (!(error instanceof Error)) return false;
  // Errors of sockets, of names and of TLS have a code.
  return ('code' in error && typeof error.code === 'string') || connectionMessages.test(error.message);
}

/**
 * Converts an error to `service.store_unavailable` if the server cannot be used now, to `service.store_busy` if a lock
 * was not free in time, or to `request.malformed` if a text has a NUL. Returns other errors unchanged.
 */
export function postgresError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const state = sqlState(error);
  if (state !== undefined && busyStates.test(state)) {
    return new ServiceError(
      'service.store_busy',
      'Another node is still changing the store, so nothing was changed. Try again later.',
      { retryAfterSeconds: retrySeconds, cause: error },
    );
  }
  if (state === nulState) {
    return new ServiceError('request.malformed', 'A text contains the character NUL, which cannot be stored.', {
      cause: error,
    });
  }
  return breaksConnection(error) ? storeUnavailable(error) : error;
}

/** Throws the conversion of an error. */
export function rethrow(error: unknown): never {
  throw postgresError(error);
}

/** If the connection broke during a commit, no one can know whether the server has made the change. */
export function storeUnavailable(cause: unknown): ServiceError {
  return new ServiceError(
    'service.store_unavailable',
    'The database of definitions and tokens does not answer. A change may not have been made; check before you repeat it.',
    { retryAfterSeconds: retrySeconds, cause },
  );
}
