import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemTimer } from '../../../core/timer.ts';
import { ClickHouseServers } from './clickhouseServers.ts';

const never = new AbortController().signal;

describe('a server that vanishes from the network without a word', () => {
  let opened: Server[];
  let servers: ClickHouseServers[];
  beforeEach(() => {
    [opened, servers] = [[], []];
  });
  afterEach(async () => {
    await Promise.all(servers.map(async (each) => await each.close()));
    for (const server of opened) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function urlOf(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    opened.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const ask = async (patienceMs: number, ...urls: readonly string[]) => {
    const user = { name: 'x', password: '' };
    const watchTimes = { everyMs: 20, patienceMs };
    const known = new ClickHouseServers({ urls, user, timer: systemTimer, watchTimes });
    servers.push(known);
    return await known.ask(async (server) => await server.text({ statement: 'SELECT 1' }, never));
  };
  const silent: RequestListener = () => undefined;

  it('is replaced by another one, although its requests have no deadline', async () => {
    const works = await urlOf((_, response) => response.end('1\n'));
    expect(await ask(1_000, await urlOf(silent), works)).toBe('1\n');
  });

  it('fails its requests if there is no other one', async () => {
    await expect(ask(1_000, await urlOf(silent))).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('fails an answer that has begun', async () => {
    const url = await urlOf(({ url: path }, response) => {
      if (path !== '/ping') response.write('1');
    });
    await expect(ask(1_000, url)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('is not one that is busy with a long query, and says so', async () => {
    let pings = 0;
    const url = await urlOf(({ url: path }, response) => {
      if (path !== '/ping') {
        opened[0]?.once('answer', () => response.end('1\n'));
        return;
      }
      response.end('Ok.\n');
      pings += 1;
      if (pings === 2) opened[0]?.emit('answer');
    });
    expect(await ask(60_000, url)).toBe('1\n');
    expect(pings).toBe(2);
  });
});
