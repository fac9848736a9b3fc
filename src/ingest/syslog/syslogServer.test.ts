import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Observation } from '../../core/observation.ts';
import type { IngestCall } from '../ingest.ts';
import type { EventOutcomes } from '../storeBatch.ts';
import { createSyslogServer, type SyslogServices, silentMsMax } from './syslogServer.ts';

const tls = null;
const settings = { source: 's', project: 'p', connectionsMax: 10, batchMax: 10, tls };
const stored: EventOutcomes = { eventCount: 1, rejections: [], failures: new Map() };
const later = new ServiceError('ingest.overloaded', 'the disk is full', { retryAfterSeconds: 7 });

/** Ends what a test started, also one that failed. */
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Stubs {
  /** Stores the messages, or throws why not. */
  store(messages: string): void;
  readonly wait?: SyslogServices['wait'];
}

/** A server whose store and wait are those of the test. */
async function serve({ store, wait = () => nextTurn() }: Stubs, changes: Partial<typeof settings> = {}) {
  const observations: Observation[] = [];
  const acceptEach = async ({ body }: IngestCall) => {
    store(Buffer.from(body).toString().trim());
    return stored;
  };
  const observe = (observation: Observation) => observations.push(observation);
  const clock = new ManualClock(0);
  const services = { ingest: { acceptEach }, clock, observe, wait };
  const server = createSyslogServer(services, { ...settings, ...changes });
  ends.push(() => server.close());
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const warnings = () => observations.map((each) => (each.kind === 'warning' ? each.message : each.kind));
  return { server, port, warnings, clock };
}

async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
  ends.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

describe('while messages cannot be stored', () => {
  it('their connection is not read on, and none is lost or stored twice', async () => {
    const attempts: string[] = [];
    const kept: string[] = [];
    const waits: number[] = [];
    let next: Promise<unknown> | undefined;
    const { port, warnings } = await serve({
      store(messages) {
        attempts.push(messages);
        if (attempts.length < 100) throw later;
        kept.push(messages);
      },
      async wait(ms) {
        waits.push(ms);
        // What comes next is sent in the meantime, and many turns let it arrive.
        next ??= new Promise((resolve) => socket.write('<13>b\n<13>c\n', resolve));
        await next;
        await nextTurn();
      },
    });
    const socket = await connected(port);
    socket.write('<13>a\n');
    await expect.poll(() => kept).toEqual(['<13>a', '<13>b\n<13>c']);
    expect(new Set(attempts.slice(0, 100))).toEqual(new Set(['<13>a']));
    expect(waits.slice(0, 6)).toEqual([7000, 7000, 7000, 8000, 16_000, 30_000]);
    expect(Math.max(...waits)).toBe(30_000);
    expect(warnings()).toEqual([expect.stringMatching(/^syslog senders wait.*the disk is full/)]);
  });

  it('the server stops without storing them', async () => {
    const attempts: string[] = [];
    const { server, port, warnings } = await serve({
      store(messages) {
        attempts.push(messages);
        throw later;
      },
      wait: (_ms, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
    });
    (await connected(port)).write('<13>a\n<13>b');
    await expect.poll(warnings).toHaveLength(1);
    await server.close();
    expect(attempts).toEqual(['<13>a']);
    expect(warnings()).toHaveLength(1);
  });
});

it('messages that can never be stored are dropped with a warning, and the next ones are read', async () => {
  const kept: string[] = [];
  const { port, warnings } = await serve(
    {
      store(messages) {
        if (messages === '<13>a') throw new ServiceError('source.read_only', 'others fill its table');
        kept.push(messages);
      },
    },
    { batchMax: 1 },
  );
  (await connected(port)).write('<13>a\n<13>b\n');
  await expect.poll(() => kept).toEqual(['<13>b']);
  expect(warnings()).toEqual(['1 syslog message could not be stored: others fill its table']);
});

describe('a connection that ends by an error', () => {
  it('of the sender is no reason for a warning', async () => {
    const kept: string[] = [];
    const { port, warnings } = await serve({ store: (messages) => kept.push(messages) }, { connectionsMax: 1 });
    const first = await connected(port);
    first.write('<13>a\n');
    await expect.poll(() => kept).toEqual(['<13>a']);
    first.resetAndDestroy();
    // There is only room for it once the first one has ended.
    await expect
      .poll(async () => {
        (await connected(port)).end('<13>b\n');
        return kept;
      })
      .toContain('<13>b');
    expect(warnings().filter((warning) => !warning.includes('syslog_connections_max'))).toEqual([]);
  });

  it('of the service is reported, also if the error has a code', async () => {
    const { port, warnings } = await serve({
      store() {
        throw later;
      },
      wait: () => Promise.reject(new ServiceError('internal', 'a defect')),
    });
    (await connected(port)).write('<13>a\n');
    await expect.poll(warnings).toContain('a syslog connection failed');
  });
});

describe('if there are as many connections as allowed', () => {
  it('one that sent nothing for five minutes makes room for another', async () => {
    const kept: string[] = [];
    const { port, warnings, clock } = await serve({ store: (messages) => kept.push(messages) }, { connectionsMax: 2 });
    const busy = await connected(port);
    const idle = await connected(port);
    const isClosed = (socket: Socket) => socket.closed;
    idle.resume();
    busy.resume();
    for (const [n, socket] of [idle, busy].entries()) {
      socket.write(`<13>${n}\n`);
      await expect.poll(() => kept).toHaveLength(n + 1);
      // The first one has been silent for five minutes when the last one comes, the second one has not.
      clock.advanceMs(silentMsMax / 2 + n);
    }
    (await connected(port)).write('<13>new\n');
    await expect.poll(() => kept).toContain('<13>new');
    await expect.poll(() => isClosed(idle)).toBe(true);
    expect(isClosed(busy)).toBe(false);
    expect(warnings()).toEqual([
      expect.stringMatching(/^the longest silent syslog connection was closed: 2 is the limit/),
    ]);
  });

  it('none is closed while its messages wait to be stored', async () => {
    const { port, warnings, clock } = await serve(
      {
        store() {
          throw later;
        },
        wait: (_ms, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
      },
      { connectionsMax: 1 },
    );
    const waiting = (await connected(port)).resume();
    waiting.write('<13>a\n');
    await expect.poll(warnings).toHaveLength(1);
    clock.advanceMs(2 * silentMsMax);
    const dropped = (await connected(port)).resume();
    await expect.poll(() => dropped.closed).toBe(true);
    expect(waiting.closed).toBe(false);
    expect(warnings()[1]).toMatch(/^a new syslog connection was closed: 1 is the limit/);
  });
});
