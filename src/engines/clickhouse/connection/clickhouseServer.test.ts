import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ClickHouseServer } from './clickhouseServer.ts';

it('does not take a compressed answer for rows, and asks for none', async () => {
  const asked: (string | undefined)[] = [];
  const listener = createServer(({ headers }, response) => {
    asked.push(headers['accept-encoding']);
    // As a proxy that compresses whatever it passes on.
    response.setHeader('Content-Encoding', asked.length === 1 ? 'gzip' : 'identity');
    response.end(asked.length === 1 ? gzipSync('1\n') : '1\n');
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const server = new ClickHouseServer(url, { name: 'x', password: '' });
  try {
    const ask = async () => await server.text({ statement: 'SELECT 1' }, new AbortController().signal);
    await expect(ask()).rejects.toMatchObject({ kind: 'damaged', message: expect.stringContaining('gzip') as string });
    expect(await ask()).toBe('1\n');
    expect(asked).toEqual(['identity', 'identity']);
  } finally {
    await server.close();
    listener.close();
  }
});
