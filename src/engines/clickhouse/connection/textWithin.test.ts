import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemTimer } from '../../../core/timer.ts';
import { ClickHouseServers } from './clickhouseServers.ts';
import { pingServers } from './pingServers.ts';
import { findShards } from './shards.ts';
import { textWithin } from './textWithin.ts';

describe('a request whose answer must come soon', () => {
  let opened: Server[];
  let servers: ClickHouseServers;
  beforeEach(() => {
    opened = [];
  });
  afterEach(async () => {
    await servers.close();
    for (const server of opened) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function open(...listeners: readonly RequestListener[]): Promise<void> {
    const urls: string[] = [];
    for (const listener of listeners) {
      const server = createServer(listener).listen(0, '127.0.0.1');
      opened.push(server);
      await once(server, 'listening');
      urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
    servers = new ClickHouseServers({ urls, user: { name: 'x', password: '' }, timer: systemTimer });
  }
  const ask = async (withinMs: number, signal?: AbortSignal) =>
    await servers.ask(async (server) => await textWithin(server, { statement: 'SELECT 1' }, withinMs, signal));
  const works: RequestListener = (_, response) => response.end('1\n');
  const silent: RequestListener = () => undefined;

  it('is answered by another server if the first one stays silent, which is then left out', async () => {
    await open(silent, works);
    expect(await ask(50)).toBe('1\n');
    expect(servers.failedCount).toBe(1);
  });

  it('fails as unreachable if there is no other server', async () => {
    await open(silent);
    await expect(ask(50)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('is no failure of a server if the one who asks gives up', async () => {
    await open(silent, works);
    const giveUp = new AbortController();
    const asked = ask(60_000, giveUp.signal);
    giveUp.abort(new Error('given up'));
    await expect(asked).rejects.toThrow('given up');
    expect(servers.failedCount).toBe(0);
  });

  it('shows within the time of a probe that a server answers, although the preferred one is silent', async () => {
    await open(silent, works);
    await pingServers(servers, AbortSignal.timeout(1_000));
    expect(servers.failedCount).toBe(1);
  });

  it('finds the shards of servers that answer, although others are silent', async () => {
    const one: RequestListener = (_, response) => response.end('{"data":[[1,[1],[1]]]}');
    await open(silent, silent, one);
    const shards = await findShards(servers, 'main', 200);
    expect([...shards.serversOf(0)]).toEqual([servers.all[2]]);
  });
});
