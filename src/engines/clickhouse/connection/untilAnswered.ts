import { setTimeout as delay } from 'node:timers/promises';
import type { Timer } from '../../../core/timer.ts';
import { ClickHouseFailure, type FailureKind } from './failure.ts';

export interface UntilAnsweredOptions {
  readonly timer: Timer;
  /** How long the work is repeated. Milliseconds. */
  readonly withinMs: number;
  /** Called with each failure after which the work is repeated. */
  readonly failed?: (failure: ClickHouseFailure) => void;
}

/** Failures that the same request may not meet again. */
const passing: ReadonlySet<FailureKind> = new Set([
  'unreachable',
  'uncertain',
  'damaged',
  'busy',
  'deadline',
  'cancelled',
  'memory',
]);

export function mayPass(error: unknown): error is ClickHouseFailure {
  return error instanceof ClickHouseFailure && passing.has(error.kind);
}

/** Pauses between two attempts: the first one, and the longest. Milliseconds. */
const pauseFirstMs = 50;
const pauseLastMs = 2_000;

/** The pause after another one. */
export function nextPause(pauseMs = pauseFirstMs / 2): number {
  return Math.min(pauseMs * 2, pauseLastMs);
}

/** Does work that can be repeated, again after failures that may pass. Rejects with the last failure. */
export async function untilAnswered<T>(
  work: () => Promise<T>,
  { timer, withinMs, failed = () => undefined }: UntilAnsweredOptions,
): Promise<T> {
  const untilMs = timer.nowMs() + withinMs;
  for (let pauseMs = nextPause(); ; pauseMs = nextPause(pauseMs)) {
    try {
      return await work();
    } catch (error) {
      const failure = error instanceof Error && !mayPass(error) ? error.cause : error;
      if (!mayPass(failure) || timer.nowMs() + pauseMs > untilMs) throw error;
      failed(failure);
    }
    await delay(pauseMs);
  }
}
