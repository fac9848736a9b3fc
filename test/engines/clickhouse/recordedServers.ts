import type { ClickHouseServer, ServerRequest } from '../../../src/engines/clickhouse/connection/clickhouseServer.ts';
import type { ClickHouseServers } from '../../../src/engines/clickhouse/connection/clickhouseServers.ts';

/** The same servers. `sent` is told each request. */
export function recorded(servers: ClickHouseServers, sent: (request: ServerRequest) => void): ClickHouseServers {
  const recording = (server: ClickHouseServer) => ({
    send: async (request: ServerRequest, signal: AbortSignal) => {
      sent(request);
      return await server.send(request, signal);
    },
    text: async (request: ServerRequest, signal: AbortSignal) => {
      sent(request);
      return await server.text(request, signal);
    },
  });
  const ask: ClickHouseServers['ask'] = async (work, options) =>
    await servers.ask(async (server) => await work(recording(server) as ClickHouseServer), options);
  return { ask } as ClickHouseServers;
}
