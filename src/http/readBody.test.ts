import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Turns } from '../core/concurrency/turns.ts';
import { BodyBudget } from './bodyBudget.ts';
import { readBody } from './readBody.ts';

const chunks = (...sizes: number[]) => Readable.from(sizes.map((size) => Buffer.alloc(size, 'x')));

describe('readBody', () => {
  it('reads a body of exactly the allowed size and holds its bytes until they are released', async () => {
    const budget = new BodyBudget(100);
    const share = budget.open('a', 'ingest.overloaded');
    expect((await readBody(chunks(4, 6), 10, share, new Turns())).length).toBe(10);
    expect(budget.heldBytes).toBe(10);
    share.release();
    share.release();
    expect(budget.heldBytes).toBe(0);
  });

  it('joins the chunks of a large body in their order', async () => {
    const sent = Buffer.from(Array.from({ length: 3 * 1024 * 1024 }, (_, i) => (i * 7) % 251));
    const parts = Array.from({ length: 50 }, (_, i) => sent.subarray(i * 65_000, (i + 1) * 65_000));
    const share = new BodyBudget(2 * sent.length).open('a', 'ingest.overloaded');
    expect((await readBody(Readable.from(parts), sent.length, share, new Turns())).equals(sent)).toBe(true);
  });

  it('refuses one byte more, and holds none of its bytes', async () => {
    const budget = new BodyBudget(100);
    await expect(readBody(chunks(4, 7), 10, budget.open('a', 'ingest.overloaded'), new Turns())).rejects.toMatchObject({
      code: 'request.too_large',
    });
    expect(budget.heldBytes).toBe(0);
  });

  it('refuses a body that exceeds the budget together with others, and reads it once they are released', async () => {
    const budget = new BodyBudget(25);
    const first = budget.open('a', 'query.overloaded');
    await readBody(chunks(10), 10, first, new Turns());
    await expect(readBody(chunks(3, 3), 10, budget.open('a', 'query.overloaded'), new Turns())).rejects.toMatchObject({
      code: 'query.overloaded',
    });
    expect(budget.heldBytes).toBe(10);
    first.release();
    expect((await readBody(chunks(10), 10, budget.open('a', 'query.overloaded'), new Turns())).length).toBe(10);
  });

  it('reads the body of another owner, however much of the budget one owner holds', async () => {
    const budget = new BodyBudget(100);
    const greedy = Array.from({ length: 10 }, () =>
      readBody(chunks(10), 10, budget.open('greedy', 'ingest.overloaded'), new Turns()),
    );
    const outcomes = await Promise.allSettled(greedy);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect((await readBody(chunks(10), 10, budget.open('other', 'ingest.overloaded'), new Turns())).length).toBe(10);
  });

  it('reads the body of another owner, however many unverified senders hold all that they may', async () => {
    const budget = new BodyBudget(100);
    const senders = Array.from({ length: 100 }, (_, n) =>
      readBody(chunks(1), 1, budget.openUnverified(`sender ${n}`, 'ingest.overloaded'), new Turns()),
    );
    const outcomes = await Promise.allSettled(senders);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(40);
    expect((await readBody(chunks(10), 10, budget.open('other', 'ingest.overloaded'), new Turns())).length).toBe(10);
  });

  it.each([1, 2, 3, 8])(
    'reads the body of another unverified sender, however much %s of them hold',
    async (networks) => {
      const budget = new BodyBudget(100_000);
      // A token holds a part of the whole, too.
      await readBody(chunks(20_000), 20_000, budget.open('token', 'ingest.overloaded'), new Turns());
      for (let network = 0; network < networks; network++) {
        const open = () => budget.openUnverified(`greedy ${network}`, 'ingest.overloaded');
        for (let bytes = 20_000; bytes >= 1; bytes = Math.floor(bytes / 2)) {
          await readBody(chunks(bytes), bytes, open(), new Turns()).catch(() => undefined);
        }
      }
      const share = budget.openUnverified('other', 'ingest.overloaded');
      expect((await readBody(chunks(50), 50, share, new Turns())).length).toBe(50);
    },
  );

  it('refuses a body that arrives in tiny chunks, and takes one in small chunks', async () => {
    const outcomes: Promise<string>[] = [];
    const server = createServer((request: IncomingMessage, response) => {
      const read = readBody(request, 1e6, new BodyBudget(1e7).open('a', 'ingest.overloaded'), new Turns());
      outcomes.push(
        read.then(
          () => 'read',
          ({ code }) => String(code),
        ),
      );
      void read.catch(() => {}).then(() => response.end());
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const send = async (chunk: string, count: number) => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
      const asked = outcomes.length;
      await expect.poll(() => outcomes.length).toBe(asked + 1);
      for (let sent = 0; sent < count; sent += 100) {
        socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(100));
        await new Promise((resolve) => setImmediate(resolve));
      }
      socket.write('0\r\n\r\n');
      const outcome = await outcomes[asked];
      socket.destroy();
      return outcome;
    };
    expect(await send('x', 10_000)).toBe('request.malformed');
    expect(await send('x'.repeat(40), 10_000)).toBe('read');
    server.close();
  });

  it('stops reading a body without end', async () => {
    let sent = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          sent += 100;
          yield Buffer.alloc(100);
        }
      })(),
    );
    await expect(
      readBody(endless, 10, new BodyBudget(1000).open('a', 'ingest.overloaded'), new Turns()),
    ).rejects.toMatchObject({
      code: 'request.too_large',
    });
    expect(sent).toBeLessThan(10_000);
  });
});
