import { ServiceError } from '../../../core/errors.ts';
import { ClickHouseFailure, type FailureKind } from './failure.ts';

/** Failures that may end by themselves. */
const passing: ReadonlySet<FailureKind> = new Set([
  'unreachable',
  'busy',
  'uncertain',
  'deadline',
  'cancelled',
  'damaged',
]);

/**
 * The error for an administrator whose request ClickHouse did not carry out. If a right is missing, it names the right
 * and the user who sent the request, `userName`. `passed` makes the error for a failure that may end by itself. Other
 * texts of ClickHouse stay in `cause`, for the log.
 */
export function refusedStatement(
  cause: unknown,
  userName: string,
  passed: (cause: unknown) => ServiceError,
): ServiceError {
  if (cause instanceof ServiceError) return cause;
  if (!(cause instanceof ClickHouseFailure) || passing.has(cause.kind)) return passed(cause);
  if (cause.kind !== 'denied') {
    return new ServiceError(
      'engine.failed',
      'ClickHouse refused the statement, so nothing was changed. The log holds the cause.',
      { cause },
    );
  }
  const right = missingRight(cause.message);
  const sentence =
    right === null
      ? `ClickHouse refused what its user ${userName} asked for. The log holds the cause.`
      : `The user ${userName} of ClickHouse lacks a right, so nothing was changed. Run there: GRANT ${right} TO ${userName}`;
  return new ServiceError('engine.denied', sentence, { cause });
}

/** The missing right that ClickHouse names, such as `CREATE VIEW ON logs.web`; null if it names none. */
export function missingRight(text: string): string | null {
  const [, rights, on] =
    /necessary to have (?:the )?grants? ([A-Z][A-Z ,]*?(?:\([^()]*\))?(?:, [A-Z][A-Z ,]*?(?:\([^()]*\))?)*) ON (\S+?)[.,;]?(?:\s|$)/.exec(
      text,
    ) ?? [];
  return rights === undefined || on === undefined ? null : `${rights} ON ${on}`;
}
