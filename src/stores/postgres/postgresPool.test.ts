import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { parsePostgresAddress } from './postgresAddress.ts';
import { PostgresPool } from './postgresPool.ts';

/** A message of the protocol: its type, the length with itself, and the content. */
function message(type: string, content: string | Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + content.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content)]);
}

const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', 'I');
const stopping = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');

it('a connection that breaks as soon as it is open is an error of the call, and does not end the process', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // At once, so that the library reads all before anyone has the connection.
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, stopping])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const pool = await PostgresPool.open(parsePostgresAddress(`postgres://u:p@127.0.0.1:${port}/d?sslmode=disable`));
  try {
    await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'service.store_unavailable' });
  } finally {
    await pool.end();
    server.close();
  }
});
