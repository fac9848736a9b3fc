import type { CallFailure } from './protocol.ts';
import { CutResult } from './read/wholeResult.ts';
import { faultOf } from './scripted/functionFault.ts';

/**
 * What the system says of a device that takes no more. The engine names a path before it, and a commit what it was about;
 * Node begins with the code.
 */
const refusedWrite =
  /^(?:(?:IO Error|TransactionContext Error: Failed to commit|Failed to \w+): (?:IO Error: )?(?:Could not|Cannot|Failed to) [^\n]*: (?:No space left on device|Disk quota exceeded|Read-only file system)|(?:ENOSPC|EDQUOT|EROFS): )/i;
/** The engine's bound for what is spilled is reached. */
const spillBound = /^Out of Memory Error: failed to offload\b[^\n]*\n[^\n]*'max_temp_directory_size'/;

/** Raised by the process itself, not by the engine: a frame that it does not accept. */
export class RefusedFrame extends Error {}

/** A statement that would have to redact more than it may; the message is shown to the caller. */
export class RedactionRefusal extends Error {}

/** Set when a call was cancelled before the engine had begun to run it. */
export class CancelledCall extends Error {}

// Anchored: a stored value that another error quotes must never pass as a sentence of ours.
const raisedByUs = /^Invalid Input Error: logmill:(\d+):(\d+):([^\n]*)/;
/** The engine's word for a result that failed or was closed before it was asked for; the reason follows where it is known. */
const failedBefore = /^Invalid Input Error: Attempting to \w+(?: from)? an unsuccessful or closed/;
/** Neither an appender nor a commit says of what sort its failure is. */
const noMemory =
  /^(?:Out of Memory Error:|(?:Failed to \w+|TransactionContext Error: Failed to commit): (?:failed to (?:allocate|pin|offload)|could not allocate))/i;
const dataErrors =
  /^(?:Conversion|Out of Range|Invalid Input|Invalid type|Mismatch Type|Decimal|Divide by Zero) Error:/i;

/**
 * Errors that the engine raises itself, told in our words: its own may quote stored values. Where they
 * arose is not known.
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
 * `error('logmill:<line>:<column>:<sentence>')`; only those sentences may be shown. `isSpillHeld`: whether less may be spilled
 * than elsewhere because the device has little room.
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
  if (error instanceof RefusedFrame || error instanceof CutResult) return of('engine');
  if (error instanceof RedactionRefusal) return of('redaction', detail);
  const raised = raisedByUs.exec(detail);
  if (raised !== null) return of('data', raised[3] ?? '', Number(raised[1]), Number(raised[2]));
  const fault = faultOf(detail);
  if (fault !== null) return of(fault);
  const reason = failedBefore.test(detail) ? (/\nError: (.*)/s.exec(detail)?.[1] ?? '') : detail;
  if (refusedWrite.test(reason) || (isSpillHeld && spillBound.test(reason))) return of('disk');
  if (noMemory.test(reason)) return of('memory');
  if (reason !== detail) return of('engine');
  if (/^Parser Error: Max expression depth/.test(detail)) return of('depth');
  // Raised while planning, not by a value: ours to mend, and nothing that a caller could act on.
  if (/configuration has been locked/.test(detail)) return of('engine');
  if (dataErrors.test(detail)) return of('data', engineSentences.find(([form]) => form.test(detail))?.[1] ?? null);
  return of('engine');
}
