import type { Clock } from '../core/clock.ts';
import type { Observe } from '../core/observation.ts';
import type { BreakingChange } from './breakingChanges.ts';

/** A token that called an endpoint. */
export interface EndpointCaller {
  /** Public id. */
  readonly token: string;
  readonly calls: number;
  /** Microseconds since 1970. */
  readonly lastMicros: number;
}

export interface CallersQuery {
  readonly endpointIds: readonly string[];
  readonly sinceMicros: number;
  /** Public id of the only token whose calls are told; null for those of every token. */
  readonly onlyToken: string | null;
  /** For whom the query waits and runs. */
  readonly runner: { readonly id: string; readonly concurrencyMax: number | null };
}

/** By endpoint the tokens that called it since then, those with most calls first. May reject, as the engine does. */
export type CallersOf = (query: CallersQuery) => Promise<ReadonlyMap<string, readonly EndpointCaller[]>>;

export interface CallersServices {
  readonly callersOf: CallersOf;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** By id of those endpoints that lose something; null where it could not be found out. */
export type RecentCallers = ReadonlyMap<string, readonly EndpointCaller[] | null>;

/** What a change takes away from the callers of one endpoint; nothing where the list is empty. */
export interface BrokenEndpoint {
  readonly id: string;
  readonly name: string;
  readonly breaking: readonly BreakingChange[];
}

const days = 30;

/**
 * Who called the endpoints that a change breaks in the last 30 days. A change must not hang on usage:
 * where it cannot be read, that is what is told.
 *
 * @param onlyToken public id of the only token whose calls are told; null for those of every token
 * @param author public id of the token that asks for the change
 */
export async function recentCallers(
  endpoints: readonly BrokenEndpoint[],
  { onlyToken, author }: { readonly onlyToken: string | null; readonly author: string },
  { callersOf, clock, observe }: CallersServices,
): Promise<RecentCallers> {
  const endpointIds = endpoints.filter(({ breaking }) => breaking.length > 0).map(({ id }) => id);
  if (endpointIds.length === 0) return new Map();
  const sinceMicros = clock.nowMicros() - days * 24 * 3_600_000_000;
  const runner = { id: author, concurrencyMax: null };
  try {
    const found = await callersOf({ endpointIds, sinceMicros, onlyToken, runner });
    return new Map(endpointIds.map((id) => [id, found.get(id) ?? []]));
  } catch (cause) {
    observe({ kind: 'warning', message: 'the callers of endpoints could not be read from usage', cause });
    return new Map(endpointIds.map((id) => [id, null]));
  }
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
