import { createServer, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { patientAnswerOf } from './patientAnswer.ts';
import { serviceAddress } from './serviceClient.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const problem = (status: number) => ({ status, code: 'ingest.overloaded', error: { message: 'Ask again.' } });

/** A service whose answers are these, in order; null breaks the connection. */
async function serviceWith(statuses: readonly (number | null)[]) {
  let calls = 0;
  const started = createServer((request, response) => {
    request.resume();
    const status = statuses[calls++];
    if (status === null || status === undefined) {
      response.destroy();
      return;
    }
    response.writeHead(status, {
      'content-type': status === 200 ? 'application/json' : 'application/problem+json',
      'retry-after': '3',
    });
    response.end(JSON.stringify(problem(status)));
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const { port } = started.address() as { readonly port: number };
  return { address: serviceAddress({ url: `http://127.0.0.1:${port}`, token: 't' }, {}), calls: () => calls };
}

const delays = () => {
  const waited: number[] = [];
  return { waited, delay: async (ms: number) => void waited.push(ms) };
};

it('makes a refused change again after the time that the service asks for', async () => {
  const { address, calls } = await serviceWith([503, 429, 200]);
  const { waited, delay } = delays();
  const answer = await patientAnswerOf(address, '/api/sources', { body: '{}' }, { delay } as never, { changes: true });
  expect(answer.kind).toBe('success');
  expect([calls(), waited]).toEqual([3, [3000, 3000]]);
});

it('does not make a change again if its answer is missing, nor one that is refused for good', async () => {
  for (const [statuses, changes] of [
    [[null, 200], true],
    [[400, 200], true],
    [[400, 200], false],
  ] as const) {
    const { address, calls } = await serviceWith(statuses);
    const { delay } = delays();
    await expect(patientAnswerOf(address, '/x', { body: '{}' }, { delay } as never, { changes })).rejects.toThrow(
      /Ask again|closed|answer/,
    );
    expect(calls()).toBe(1);
    server?.close();
  }
});

it('asks again if the answer to a question is missing', async () => {
  const { address, calls } = await serviceWith([null, 200]);
  const { delay } = delays();
  await patientAnswerOf(address, '/x', { body: '{}' }, { delay } as never);
  expect(calls()).toBe(2);
});
