import type { ClickHouseServers } from './clickhouseServers.ts';
import { textWithin } from './textWithin.ts';

/** How long a server may take, if there is another one to ask. Milliseconds. */
const answerMs = 300;

/**
 * Resolves when a server has answered a small statement. A silent server is left out soon: a node that is not ready because of
 * it gets no queries that would find it out.
 */
export async function pingServers(servers: ClickHouseServers, signal: AbortSignal): Promise<void> {
  const request = { statement: 'SELECT 1' };
  const count = servers.all.length;
  await servers.ask(
    async (server) =>
      await (count === 1 ? server.text(request, signal) : textWithin(server, request, answerMs, signal)),
    { attemptsMax: count },
  );
}
