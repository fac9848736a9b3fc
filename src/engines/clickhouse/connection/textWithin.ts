import type { ClickHouseServer, ServerRequest } from './clickhouseServer.ts';
import { ClickHouseFailure } from './failure.ts';

/**
 * Sends a request whose answer must come within this time. If it does not, that is a failure of the server, so that another one
 * is asked: a server that takes connections and stays silent would otherwise use up the time of all. Milliseconds.
 */
export async function textWithin(
  server: ClickHouseServer,
  request: ServerRequest,
  withinMs: number,
  signal?: AbortSignal,
): Promise<string> {
  const limit = AbortSignal.timeout(withinMs);
  try {
    return await server.text(request, signal === undefined ? limit : AbortSignal.any([signal, limit]));
  } catch (error) {
    signal?.throwIfAborted();
    if (!limit.aborted || error instanceof ClickHouseFailure) throw error;
    throw new ClickHouseFailure('unreachable', `ClickHouse did not answer in ${withinMs / 1000} seconds`, null, error);
  }
}
