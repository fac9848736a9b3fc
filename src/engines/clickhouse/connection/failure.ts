import { withoutValues } from '../../../core/withoutValues.ts';

/**
 * What a failed request to ClickHouse means for us:
 * - `unreachable`: no server answered, or the connection broke; another server may answer.
 * - `busy`: the server refuses work for now.
 * - `uncertain`: an insert may or may not be stored.
 * - `deadline`, `memory`, `bound`: the query exceeded its time, its memory, or the rows or bytes of its bounds.
 * - `cancelled`: the query was killed.
 * - `disk`: the server has no space left.
 * - `denied`: rights or settings of our users are not as documented; an operator must look.
 * - `missing`: a table, column or database does not exist.
 * - `damaged`: the answer is not complete, or not what was asked for.
 * - `other`: anything else, such as a statement that failed on its data.
 */
export type FailureKind =
  | 'unreachable'
  | 'busy'
  | 'uncertain'
  | 'deadline'
  | 'memory'
  | 'bound'
  | 'cancelled'
  | 'disk'
  | 'denied'
  | 'missing'
  | 'damaged'
  | 'other';

/** A request to ClickHouse failed. The message may contain texts of ClickHouse, so it is for the log only. */
export class ClickHouseFailure extends Error {
  readonly kind: FailureKind;
  /** ClickHouse's number of the error; null if the server gave none. */
  readonly code: number | null;

  constructor(kind: FailureKind, message: string, code: number | null = null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ClickHouseFailure';
    this.kind = kind;
    this.code = code;
  }
}

/** The same failure for the log, without the values of rows and of callers that ClickHouse repeats. */
export function withoutRepeatedValues({ kind, message, code, cause }: ClickHouseFailure): ClickHouseFailure {
  return new ClickHouseFailure(kind, withoutValues(kind === 'other' ? withoutDetails(message) : message), code, cause);
}

/**
 * An error that is about neither the server nor a limit is about a statement or its data. Such a text repeats parts of these
 * after the colon behind its first words, also without quotes: `Cannot parse input: expected ',' before: …`. What remains is
 * these words, and the name that ClickHouse gives the error at the end.
 */
function withoutDetails(message: string): string {
  const [words] = /^.*?DB::Exception: [^:]*(?=:)/s.exec(message) ?? [];
  if (words === undefined) return message;
  const name = /\([A-Z][A-Z_]+\)(?=(?: \(version [^()]*\))?\s*$)/.exec(message)?.[0];
  return `${words}: …${name === undefined ? '' : ` ${name}`}`;
}

/** By ClickHouse's numbers (src/Common/ErrorCodes.cpp). */
const kinds: ReadonlyMap<number, FailureKind> = new Map([
  ...codes('bound', 158, 307, 396),
  ...codes('memory', 241, 173),
  ...codes('deadline', 159, 160),
  ...codes('cancelled', 394),
  // Too many parts, queries or connections; too few replicas; no Keeper; read-only replica; shutting down.
  ...codes('busy', 252, 202, 203, 285, 286, 225, 242, 236, 733, 745),
  ...codes('uncertain', 319),
  ...codes('unreachable', 209, 210, 198, 279, 999),
  ...codes('disk', 243),
  // Read-only settings, missing grant, authentication, unknown user, unknown or refused setting.
  ...codes('denied', 164, 497, 516, 192, 193, 194, 115, 452),
  ...codes('missing', 60, 81, 47, 16),
]);

function codes(kind: FailureKind, ...numbers: readonly number[]): readonly (readonly [number, FailureKind])[] {
  return numbers.map((number) => [number, kind] as const);
}

/** The failure that an answer with an error describes. `text` is its body: all of it, so that `withoutValues` finds the values. */
export function answeredFailure(status: number, code: number | null, text: string): ClickHouseFailure {
  const said = status === 200 ? exceptionAfterRows(text) : text;
  const known = code ?? codeIn(said);
  const kind = known === null ? kindOfProxy(status) : (kinds.get(known) ?? 'other');
  return new ClickHouseFailure(kind, `ClickHouse answered ${status}: ${said}`, known);
}

function exceptionAfterRows(text: string): string {
  const at = text.lastIndexOf('Code: ');
  return at < 0 ? '' : text.slice(at);
}

/** Too Early and Request Timeout too, because the same request may be answered later. */
const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

/** What an answer without a code of ClickHouse means, which comes from a proxy before it. */
function kindOfProxy(status: number): FailureKind {
  if (busyStatuses.has(status)) return 'busy';
  return status >= 500 ? 'unreachable' : 'other';
}

function codeIn(text: string): number | null {
  const found = /^Code: (\d+)\./m.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

/** The failure of a request that got no answer. */
export function unansweredFailure(cause: unknown): ClickHouseFailure {
  if (cause instanceof ClickHouseFailure) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ClickHouseFailure('unreachable', `ClickHouse did not answer: ${reason}`, null, cause);
}
