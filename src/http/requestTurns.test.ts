import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Turns } from '../core/concurrency/turns.ts';
import { RequestTurns } from './requestTurns.ts';

const callerOf = ({ caller }: { readonly caller: string }) => caller;

const round = () => new Promise((resolve) => setImmediate(resolve));

it('begins requests at once while there is time, and all others in their order, some in each round', async () => {
  let nowMs = 0;
  const turns = new RequestTurns(new Turns(() => nowMs), callerOf);
  const begun: number[] = [];
  const take = (number: number) =>
    turns.take({ caller: 'one' }, () => {
      begun.push(number);
      nowMs += 2;
    });
  for (let i = 0; i < 10; i++) take(i);
  expect(begun).toEqual([0, 1, 2]);
  const sizes: number[] = [];
  for (let i = 0; i < 6; i++) {
    await round();
    if (i === 0) take(10);
    sizes.push(begun.length);
  }
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(sizes).toEqual([3, 6, 9, 11, 11, 11]);
  take(11);
  expect(begun).toHaveLength(12);
});

it('gives each caller a turn, however many requests of another wait', async () => {
  let nowMs = 0;
  const turns = new RequestTurns(new Turns(() => nowMs), callerOf);
  const begun: string[] = [];
  const take = (caller: string, name: string) =>
    turns.take({ caller }, () => {
      begun.push(name);
      nowMs += 5;
    });
  for (let i = 0; i < 6; i++) take('busy', `busy ${i}`);
  for (const name of ['light 0', 'light 1']) take('light', name);
  take('other', 'other 0');
  await expect.poll(() => begun.length).toBe(9);
  expect(begun).toEqual([
    ...['busy 0', 'busy 1', 'light 0', 'other 0'],
    ...['busy 2', 'light 1', 'busy 3', 'busy 4', 'busy 5'],
  ]);
});

it('tells how long a request waited for its turn', async () => {
  let nowMs = 0;
  const turns = new RequestTurns(new Turns(() => nowMs), callerOf);
  const requests = [1, 2, 3].map(() => ({ caller: 'one' }));
  let begun = 0;
  for (const request of requests) {
    turns.take(request, () => {
      begun++;
      nowMs += 5;
    });
  }
  await expect.poll(() => begun).toBe(3);
  expect(requests.map((request) => turns.waitedMs(request))).toEqual([0, 0, 5]);
});

it('takes a new connection after a few requests of each that came before', async () => {
  let requests = 0;
  let nowMs = 0;
  const turns = new RequestTurns(new Turns(() => nowMs), callerOf);
  const server = createServer((_request, response) => {
    turns.take({ caller: 'all' }, () => {
      requests++;
      nowMs += 5;
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = (agent: Agent) =>
    new Promise<void>((resolve, reject) => {
      get({ port, host: '127.0.0.1', agent }, (response) => response.resume().once('end', resolve)).once(
        'error',
        reject,
      );
    });
  const connections = 60;
  const flooding = new Agent({ keepAlive: true });
  let isOver = false;
  const flood = Array.from({ length: connections }, async () => {
    while (!isOver) await ask(flooding);
  });
  await ask(new Agent());
  isOver = true;
  await Promise.all(flood);
  flooding.destroy();
  server.close();
  // Without turns each is answered in each round: n(n + 1)/2.
  expect(requests).toBeLessThan(connections * 5);
});
