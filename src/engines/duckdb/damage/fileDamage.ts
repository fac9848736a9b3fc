import { ServiceError } from '../../../core/errors.ts';
import { EngineFailure } from '../host/engineFailure.ts';

/**
 * How the engine reports a file with wrong bytes: a block or a log entry with a wrong checksum, a truncated file, or no
 * file at all. The patterns match the beginning of the text, so a value that an error quotes cannot match. Other
 * problems (memory, rights, limits, a newer format) are not damage.
 */
const damage = [
  /^(?:IO|FATAL|INTERNAL) Error: (?:Failure while replaying WAL file "[^"]*": )?Corrupt (?:database|WAL) file/,
  /^(?:IO|FATAL|INTERNAL) Error: (?:Failure while replaying WAL file "[^"]*": )?Could not read enough bytes from file "/,
  /^IO Error: The file "[^"]*" exists, but it is not a valid DuckDB database file/,
  /^IO Error: Cannot open file "[^"]*": No such file or directory/,
  /^IO Error: Cannot open database "[^"]*" in read-only mode: database does not exist/,
  /^(?:IO Error: )?(?:Failure while replaying WAL file "[^"]*": )?Serialization Error:/,
];

/** How the engine reports a table of a segment that is not attached, by the parts of the name in the statement. */
const detached = [
  /^(?:Binder|Catalog) Error: Catalog "\w+" does not exist/,
  /^Catalog Error: Table with name "[^"]*" does not exist because schema "\w+" does not exist/,
];

/** Whether a call failed because a segment is damaged or missing. */
export function isDamage(error: unknown): boolean {
  return error instanceof EngineFailure && damage.some((form) => form.test(error.failure.detail));
}

/**
 * Whether a statement failed because it read a damaged segment, or one that was detached for damage during the
 * statement.
 */
export function isReadDamage(error: unknown): boolean {
  if (!(error instanceof ServiceError) || !(error.cause instanceof EngineFailure)) return false;
  const { detail } = error.cause.failure;
  return isDamage(error.cause) || detached.some((form) => form.test(detail));
}

/** Describes the damage for operators: the engine's own sentence, without its context. */
export function damageReason(error: unknown): string {
  return error instanceof EngineFailure ? (error.failure.detail.split('\n', 1)[0] ?? '') : String(error);
}
