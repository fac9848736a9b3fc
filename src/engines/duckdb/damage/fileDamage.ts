import { ServiceError } from '../../../core/errors.ts';
import { EngineFailure } from '../host/engineFailure.ts';

/**
 * What the engine says of a file whose bytes are not what was written: a block or a log entry against its checksum, an
 * end that came too early, no file at all. Each begins the text, so that no value that an error quotes passes for it;
 * whatever else may be wrong (memory, rights, limits, a newer format) is not the file's.
 */
const damage = [
  /^(?:IO|FATAL|INTERNAL) Error: (?:Failure while replaying WAL file "[^"]*": )?Corrupt (?:database|WAL) file/,
  /^(?:IO|FATAL|INTERNAL) Error: (?:Failure while replaying WAL file "[^"]*": )?Could not read enough bytes from file "/,
  /^IO Error: The file "[^"]*" exists, but it is not a valid DuckDB database file/,
  /^IO Error: Cannot open file "[^"]*": No such file or directory/,
  /^IO Error: Cannot open database "[^"]*" in read-only mode: database does not exist/,
  /^(?:IO Error: )?(?:Failure while replaying WAL file "[^"]*": )?Serialization Error:/,
];

/** Whether a call failed because an event file is damaged or gone. */
export function isDamage(error: unknown): boolean {
  return error instanceof EngineFailure && damage.some((form) => form.test(error.failure.detail));
}

/** Whether a statement failed because it read a damaged file, or one that was just taken out of the engine for that. */
export function isReadDamage(error: unknown): boolean {
  if (!(error instanceof ServiceError) || !(error.cause instanceof EngineFailure)) return false;
  return (
    isDamage(error.cause) || /^(?:Binder|Catalog) Error: Catalog "\w+" does not exist/.test(error.cause.failure.detail)
  );
}

/** What is wrong, for people who operate the service: the engine's own sentence, without what it was doing. */
export function damageReason(error: unknown): string {
  return error instanceof EngineFailure ? (error.failure.detail.split('\n', 1)[0] ?? '') : String(error);
}
