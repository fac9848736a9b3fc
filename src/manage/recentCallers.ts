import type { Clock } from '../core/clock.ts';
import { counted } from '../core/counted.ts';
import type { Observe } from '../core/observation.ts';
import type { BreakingChange } from './breakingChanges.ts';

/** A token that called an endpoint. */
export interface EndpointCaller {
  /** Public ID. */
  readonly token: string;
  readonly calls: number;
  /** Microseconds since 1970. */
  readonly lastMicros: number;
}

/** A caller as people know it. */
export interface NamedCaller extends EndpointCaller {
  /** The token's description. Null if it has none, and for callers that are not among the first of their endpoint. */
  readonly description: string | null;
}

export interface CallersQuery {
  readonly endpointIds: readonly string[];
  readonly sinceMicros: number;
  /** Public ID of the only token whose calls are reported; null for all tokens. */
  readonly onlyToken: string | null;
  /** The token whose place in the queue the query takes. */
  readonly runner: { readonly id: string; readonly concurrencyMax: number | null };
}

/** Finds the tokens that called each endpoint since then, those with most calls first. Rejects if the engine fails. */
export type CallersOf = (query: CallersQuery) => Promise<ReadonlyMap<string, readonly EndpointCaller[]>>;

export interface CallersServices {
  readonly callersOf: CallersOf;
  /** The description of a token; undefined if there is no such token. */
  readonly descriptionOf: (publicId: string) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** By id of the endpoints that break; null if usage cannot be read. */
export type RecentCallers = ReadonlyMap<string, readonly NamedCaller[] | null>;

/** The breaking changes of one endpoint; an empty list if there are none. */
export interface BrokenEndpoint {
  readonly id: string;
  readonly name: string;
  readonly breaking: readonly BreakingChange[];
}

const days = 30;

/** Callers of one endpoint, and endpoints, that are named at most. */
const namedMax = 10;

/**
 * Finds who called the endpoints that a change breaks in the last 30 days. A change must not depend on usage, so if
 * usage cannot be read, the result is null.
 *
 * @param onlyToken public ID of the only token whose calls are reported; null for all tokens
 * @param author public ID of the token that asks for the change
 */
export async function recentCallers(
  endpoints: readonly BrokenEndpoint[],
  { onlyToken, author }: { readonly onlyToken: string | null; readonly author: string },
  { callersOf, descriptionOf, clock, observe }: CallersServices,
): Promise<RecentCallers> {
  const endpointIds = endpoints.filter(({ breaking }) => breaking.length > 0).map(({ id }) => id);
  if (endpointIds.length === 0) return new Map();
  const sinceMicros = clock.nowMicros() - days * 24 * 3_600_000_000;
  const runner = { id: author, concurrencyMax: null };
  try {
    const found = await callersOf({ endpointIds, sinceMicros, onlyToken, runner });
    const named = new Map<string, readonly NamedCaller[]>();
    for (const [index, id] of endpointIds.entries()) {
      const callers = found.get(id) ?? [];
      const first = index < namedMax ? callers.slice(0, namedMax) : [];
      const descriptions = await Promise.all(first.map(({ token }) => descriptionOf(token)));
      named.set(
        id,
        callers.map((caller, i) => ({ ...caller, description: descriptions[i] || null })),
      );
    }
    return named;
  } catch (cause) {
    observe({ kind: 'warning', message: 'the recent callers of endpoints could not be read from usage', cause });
    return new Map(endpointIds.map((id) => [id, null]));
  }
}

/** Names the recent callers in a sentence. `onlyToken` as for `recentCallers`. */
export function callersSentence(callers: readonly NamedCaller[] | null, onlyToken: string | null): string {
  if (callers === null) return `The tokens that called it in the last ${days} days cannot be read at the moment.`;
  if (onlyToken !== null) {
    const calls = callers.reduce((sum, caller) => sum + caller.calls, 0);
    return `This token called it ${calls === 1 ? 'once' : `${calls} times`} in the last ${days} days. Other callers are not shown to a token that is restricted to projects or parameter values.`;
  }
  if (callers.length === 0) return `No token called it in the last ${days} days.`;
  const shown = callers.slice(0, namedMax).map(({ token, description, calls }) => {
    const count = counted(calls, 'call');
    return description === null ? `${token} (${count})` : `${JSON.stringify(description)} (${token}, ${count})`;
  });
  const more = callers.length > shown.length ? ` and ${callers.length - shown.length} more` : '';
  return `Tokens that called it in the last ${days} days: ${shown.join(', ')}${more}.`;
}
