import type { CallFailure } from './protocol.ts';
import { CutResult } from './read/wholeResult.ts';
import { faultOf } from './scripted/functionFault.ts';

/**
 * How the system reports a device that accepts no more writes. The engine puts a path before it, and a commit its
 * purpose; Node begins with the code.
 */
const refusedWrite =
  /^(?:(?:IO Error|TransactionContext Error: Failed to commit|Failed to \w+): (?:IO Error: )?(?:Could not|Cannot|Failed to) [^\n]*: (?:No space left on device|Disk quota exceeded|Read-only file system)|(?:ENOSPC|EDQUOT|EROFS): )/i;
/** The engine's limit for spilled data is reached. */
const spillBound = /^Out of Memory Error: failed to offload\b[^\n]*\n[^\n]*'max_temp_directory_size'/;

/** Raised by the process, not by the engine: it does not accept the frame. */
export class RefusedFrame extends Error {}

/** A statement would have to redact more than it may; the message is shown to the caller. */
export class RedactionRefusal extends Error {}

/** A call was cancelled before the engine had begun to run it. */
export class CancelledCall extends Error {}

// Anchored, so that a stored value that another error quotes never passes for a sentence of ours.
const raisedByUs = /^Invalid Input Error: logmill:(\d+):(\d+):([^\n]*)/;
/** The engine's error for a result that failed or was closed earlier; the reason follows if it is known. */
const failedBefore = /^Invalid Input Error: Attempting to \w+(?: from)? an unsuccessful or closed/;
/** Neither an appender, a commit nor a DETACH gives the kind of its failure. */
const noMemory = [
  /^Out of Memory Error:/i,
  /^(?:Failed to \w+|TransactionContext Error: Failed to commit): (?:failed to (?:allocate|pin|offload)|could not allocate)/i,
  /^IO Error: Detached database '[^']*', but CHECKPOINT during DETACH failed\.[^']*Original error: (?:failed to (?:allocate|pin|offload)|could not allocate)/i,
];
const isOfMemory = (text: string): boolean => noMemory.some((form) => form.test(text));
const dataErrors =
  /^(?:Conversion|Out of Range|Invalid Input|Invalid type|Mismatch Type|Decimal|Divide by Zero) Error:/i;

/**
 * Our sentences for errors of the engine, whose own may quote stored values. The position of these errors is unknown.
 */
const engineSentences: readonly (readonly [RegExp, string])[] = [
  [
    /^Invalid Input Error: (?:missing|bad|invalid|unexpected|trailing|no argument|pattern too large)\b/,
    'A regular expression is not valid (RE2 syntax).',
  ],
  [
    /^Invalid Input Error: Cannot \w+ bit strings of different sizes/,
    'Byte strings of BIT_AND, BIT_OR or BIT_XOR have different lengths.',
  ],
  [/^Out of Range Error: Overflow in \w+/, 'The result of an arithmetic operation is out of range.'],
  [/^Out of Range Error: Interval\b/, 'An INTERVAL is out of range.'],
  [
    /^Out of Range Error: (?:STDDEV|VAR|COVAR|CORR)\w*/,
    'A variance, deviation, covariance or correlation is beyond the range of FLOAT64.',
  ],
  [
    /^(?:Out of Range|Conversion) Error: .*\b(?:timestamp|date|time|interval)\b/i,
    'A date, time or INTERVAL is out of range.',
  ],
];

/**
 * Sorts an engine error by what the caller can do about it. Statements raise their own errors as
 * `error('logmill:<line>:<column>:<sentence>')`; only these sentences may be shown. `isSpillHeld`: whether the limit of
 * spilled data was lowered because the device has little space.
 */
export function callFailure(error: unknown, isSpillHeld = false): CallFailure {
  const detail = error instanceof Error ? error.message : String(error);
  const of = (kind: CallFailure['kind'], message: string | null = null, line = 0, column = 0): CallFailure => ({
    kind,
    message,
    line,
    column,
    detail,
  });
  if (error instanceof CancelledCall || /^INTERRUPT Error:/i.test(detail)) return of('interrupted');
  // The proof that a result is whole needs memory too.
  if (error instanceof CutResult && error.cause instanceof Error && isOfMemory(error.cause.message))
    return of('memory');
  if (error instanceof RefusedFrame || error instanceof CutResult) return of('engine');
  if (error instanceof RedactionRefusal) return of('redaction', detail);
  const raised = raisedByUs.exec(detail);
  if (raised !== null) return of('data', raised[3] ?? '', Number(raised[1]), Number(raised[2]));
  const fault = faultOf(detail);
  if (fault !== null) return of(fault);
  const reason = failedBefore.test(detail) ? (/\nError: (.*)/s.exec(detail)?.[1] ?? '') : detail;
  if (refusedWrite.test(reason) || (isSpillHeld && spillBound.test(reason))) return of('disk');
  if (isOfMemory(reason)) return of('memory');
  if (reason !== detail) return of('engine');
  if (/^Parser Error: Max expression depth/.test(detail)) return of('depth');
  // Raised during planning, not by a value: a defect of ours, which a caller cannot solve.
  if (/configuration has been locked/.test(detail)) return of('engine');
  if (dataErrors.test(detail)) return of('data', engineSentences.find(([form]) => form.test(detail))?.[1] ?? null);
  return of('engine');
}
