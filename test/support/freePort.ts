import { createServer } from 'node:http';
import { listenLocally } from './listenLocally.ts';

/** A port of this machine that was free a moment ago, for servers that cannot pick one. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listenLocally(server));
  await new Promise((resolve) => server.close(resolve));
  return Number(port);
}
