import { ServiceError } from '../../../core/errors.ts';
import type { RunCaller, RunTime } from '../../../ports/queryEngine.ts';
import { tooLong } from '../emit/emission.ts';
import { scriptedNames } from '../functions/scriptedNames.ts';
import { heldStatementCharsMax } from '../process/isolation/isolationCheck.ts';
import type { EngineCalls } from '../process/protocol.ts';
import type { Reads, TakeFrame } from '../query/statementRunner.ts';
import type { Involved } from './crashAttribution.ts';
import { FrameFeed } from './frameFeed.ts';

/** One statement in the engine, over all of its attempts. */
export interface Run extends Involved {
  readonly call: StatementCall;
  readonly reads: Reads;
  readonly caller: RunCaller;
  readonly signal: AbortSignal;
  readonly time: RunTime;
  isSuspect: boolean;
  isStuck: boolean;
  bytesBefore: number;
  processEnds: number;
  /** Whether another statement used the memory of the process at any time of this attempt. */
  hadNeighbours: boolean;
  /** Repetitions because of memory; limited separately. */
  memoryRepeats: number;
  neighbours: Neighbours;
  /** Takes the rows in frames; null if the reply has all rows. */
  readonly feed: FrameFeed | null;
}

/** What else used the memory of the process when a statement ran out of it. */
interface Neighbours {
  readonly ends: readonly Promise<void>[];
  /** How long the statement waits for them at most. */
  readonly waitMs: number;
}

/** Frames of one stream that are under way: enough to keep both processes busy, few enough to hold. */
export const creditFrames = 4;

export type StatementCall = EngineCalls['statement']['takes'];

export function newRun(
  call: StatementCall,
  signal: AbortSignal,
  given: Pick<Run, 'reads' | 'time' | 'caller'>,
  take: TakeFrame | null = null,
): Run {
  return {
    ...given,
    call,
    signal,
    feed: take === null ? null : new FrameFeed(take, given.time, creditFrames, call.hasColumns === true),
    isSuspect: false,
    isStuck: false,
    bytesBefore: 0,
    processEnds: 0,
    hadNeighbours: false,
    memoryRepeats: 0,
    neighbours: { ends: [], waitMs: 0 },
  };
}

export function refuseTooLong({ sql, cutoff, projects }: StatementCall): void {
  const chars = Math.max(sql.length, cutoff?.sql.length ?? 0);
  if (projects !== null && chars > heldStatementCharsMax) throw tooLong();
}

export const tenantOf = ({ caller }: Run): string => caller.tenant ?? '';

const scriptedCall = new RegExp(`\\b(?:${Object.values(scriptedNames).join('|')})\\(`);

/** Whether a statement may call a function written in JavaScript. A text that only looks like a call counts too. */
export function isScripted({
  sql,
  cutoff,
  redactionTag,
}: Pick<StatementCall, 'sql' | 'cutoff' | 'redactionTag'>): boolean {
  return redactionTag !== null || scriptedCall.test(sql) || (cutoff !== null && scriptedCall.test(cutoff.sql));
}

export function abortReason(signal: AbortSignal): ServiceError {
  if (signal.reason instanceof ServiceError) return signal.reason;
  return new ServiceError('query.cancelled', 'The query was ended before it finished.', { cause: signal.reason });
}

export const notStreamed = (): ServiceError =>
  new ServiceError(
    'stream.unsuitable',
    'The query cannot be streamed, because it calls functions that run outside the engine, such as FORMAT with a computed format, or because redaction must read its events first. Call it without stream.',
  );

export const interrupted = (): ServiceError =>
  new ServiceError('engine.restarting', 'The query engine ended while the query ran. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  });

export const overloaded = (retryAfterSeconds: number): ServiceError =>
  new ServiceError(
    'query.overloaded',
    'Too many queries are waiting for the engine. Try again after the time in Retry-After.',
    { retryAfterSeconds },
  );
