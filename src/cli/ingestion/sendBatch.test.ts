import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CliError } from '../cliError.ts';
import { sendBatch } from './sendBatch.ts';

interface Scripted {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const servers: Server[] = [];

/** A service that gives scripted answers in turn, and what was asked of it. */
async function scriptedService(answers: readonly Scripted[]) {
  const asked: { readonly key: string; readonly body: string; readonly url: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = answers[asked.length];
      const key = String(request.headers['idempotency-key']);
      asked.push({ key, body: Buffer.concat(chunks).toString('utf8'), url: request.url ?? '' });
      response.writeHead(answer?.status ?? 599, { 'content-type': 'application/json', ...answer?.headers });
      response.end(JSON.stringify(answer?.body ?? {}));
    });
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { asked, address: { url: `http://127.0.0.1:${port}`, token: 't' } };
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const batch = { body: Buffer.from('{}\n{}\n{}\n'), lineNumbers: [4, 6, 9] };
const logged = { message: 'Logged!', accepted: 3, rejected: [] };
const problem = (status: number, code: string, more: object = {}) => ({
  status,
  body: { status, code, error: { message: `said ${code}` }, ...more },
});

function waits() {
  const taken: number[] = [];
  const reasons: string[] = [];
  return {
    taken,
    reasons,
    context: {
      delay: async (ms: number) => void taken.push(ms),
      waits: (reason: string) => void reasons.push(reason),
    },
  };
}

describe('sendBatch', () => {
  it('repeats with the same key after an overload, no sooner than it is asked to', async () => {
    const { asked, address } = await scriptedService([
      { ...problem(429, 'ingest.overloaded'), headers: { 'retry-after': '3' } },
      problem(503, 'service.draining'),
      { status: 200, body: logged },
    ]);
    const { taken, reasons, context } = waits();
    expect(await sendBatch(address, 'edge logs', batch, 'key-1', context)).toEqual({
      accepted: 3,
      rejected: [],
      rejectedCount: 0,
    });
    expect(asked.map(({ key }) => key)).toEqual(['key-1', 'key-1', 'key-1']);
    expect(new Set(asked.map(({ body }) => body)).size).toBe(1);
    expect(asked[0]?.url).toBe('/api/logs?source=edge%20logs');
    expect(taken).toEqual([3000, 500]);
    expect(reasons).toEqual(['said ingest.overloaded', 'said service.draining']);
  });

  it('names rejected events by their line in the file', async () => {
    const rejected = [{ index: 1, code: 'event.timestamp_invalid', message: 'no time' }];
    const { address } = await scriptedService([{ status: 200, body: { message: 'Logged!', accepted: 2, rejected } }]);
    expect(await sendBatch(address, 's', batch, 'k', waits().context)).toEqual({
      accepted: 2,
      rejected: [{ lineNumber: 6, code: 'event.timestamp_invalid', message: 'no time' }],
      rejectedCount: 1,
    });
  });

  it('goes on after a batch of bad events only', async () => {
    const errors = [0, 1, 2].map((index) => ({ index, code: 'event.not_object', message: 'no object' }));
    const { address } = await scriptedService([problem(422, 'ingest.batch_invalid', { errors })]);
    const outcome = await sendBatch(address, 's', batch, 'k', waits().context);
    expect(outcome.rejectedCount).toBe(3);
    expect(outcome.rejected.map(({ lineNumber }) => lineNumber)).toEqual([4, 6, 9]);
  });

  it.each([
    [401, 'auth.invalid'],
    [404, 'source.unknown'],
    [500, 'internal'],
  ])('stops at once on %d with the sentence of the service', async (status, code) => {
    const { asked, address } = await scriptedService([problem(status, code)]);
    await expect(sendBatch(address, 's', batch, 'k', waits().context)).rejects.toThrow(`said ${code} [${code}]`);
    expect(asked).toHaveLength(1);
  });

  it('gives up after eight attempts at a service that cannot be reached', async () => {
    const { address } = await scriptedService([]);
    for (const server of servers.splice(0)) server.close();
    const { taken, context } = waits();
    await expect(sendBatch(address, 's', batch, 'k', context)).rejects.toThrow(
      /^Gave up after 8 attempts: .*ECONNREFUSED/,
    );
    expect(taken).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000]);
  });

  it('says that an answer is not from Logmill', async () => {
    const { address } = await scriptedService([{ status: 502, body: 'gateway' }]);
    await expect(sendBatch(address, 's', batch, 'k', waits().context)).rejects.toThrow(CliError);
  });
});
