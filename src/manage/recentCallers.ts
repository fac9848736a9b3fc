import type { Clock } from '../core/clock.ts';
import type { Observe } from '../core/observation.ts';
import type { PlannedChange } from './plannedChange.ts';

/** A token that called an endpoint. */
export interface EndpointCaller {
  /** Public id. */
  readonly token: string;
  readonly calls: number;
  /** Microseconds since 1970. */
  readonly lastMicros: number;
}

/** The tokens that called an endpoint since then, those with most calls first. May reject, as the engine does. */
export type CallersOf = (endpointId: string, sinceMicros: number) => Promise<readonly EndpointCaller[]>;

export interface CallersServices {
  readonly callersOf: CallersOf;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** By id of those endpoints that lose something; null where it could not be found out. */
export type RecentCallers = ReadonlyMap<string, readonly EndpointCaller[] | null>;

const days = 30;

/**
 * Who called the endpoints that a change breaks in the last 30 days. A change must not hang on usage:
 * where it cannot be read, that is what is told.
 *
 * @param onlyToken public id of the only token whose calls are told; null for those of every token
 */
export async function recentCallers(
  plans: readonly PlannedChange[],
  onlyToken: string | null,
  { callersOf, clock, observe }: CallersServices,
): Promise<RecentCallers> {
  const sinceMicros = clock.nowMicros() - days * 24 * 3_600_000_000;
  const callers = new Map<string, readonly EndpointCaller[] | null>();
  for (const { id, diff } of plans) {
    if (diff === null || diff.breaking.length === 0) continue;
    const found = await callersOf(id, sinceMicros).catch((cause: unknown) => {
      observe({ kind: 'warning', message: 'the callers of an endpoint could not be read from usage', cause });
      return null;
    });
    callers.set(id, found?.filter(({ token }) => onlyToken === null || token === onlyToken) ?? null);
  }
  return callers;
}

/** A sentence for whoever is about to break them. `onlyToken` as for `recentCallers`. */
export function callersSentence(callers: readonly EndpointCaller[] | null, onlyToken: string | null): string {
  if (callers === null) return `Which tokens called it in the last ${days} days could not be read at present.`;
  if (onlyToken !== null) {
    const calls = callers.reduce((sum, caller) => sum + caller.calls, 0);
    return `This token called it ${calls === 1 ? 'once' : `${calls} times`} in the last ${days} days; which others did is not told to a token that is restricted to projects or to values of parameters.`;
  }
  if (callers.length === 0) return `No token called it in the last ${days} days.`;
  const shown = callers.slice(0, 10).map(({ token, calls }) => `${token} (${calls} ${calls === 1 ? 'call' : 'calls'})`);
  const more = callers.length > shown.length ? ` and ${callers.length - shown.length} more` : '';
  return `Tokens that called it in the last ${days} days: ${shown.join(', ')}${more}.`;
}
