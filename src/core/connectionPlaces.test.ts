import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from './clock.ts';
import { ConnectionPlaces } from './connectionPlaces.ts';

const silentMsMax = 300_000;

let clock: ManualClock;
let places: ConnectionPlaces;
let ports = 0;
/** The connections that lost their places. */
let closed: Socket[];

beforeEach(() => {
  clock = new ManualClock(0);
  places = new ConnectionPlaces(clock, 4, silentMsMax);
  closed = [];
});

function connection(remoteAddress: string): Socket {
  const socket = new EventEmitter() as unknown as Socket;
  const destroy = () => {
    closed.push(socket);
    socket.emit('close');
    return socket;
  };
  return Object.assign(socket, { remoteAddress, remotePort: ++ports, destroy });
}

/** A connection that was given a place. */
function taken(address: string): Socket {
  const socket = connection(address);
  expect(places.take(socket)).not.toBe('refused');
  clock.advanceMs(1);
  return socket;
}

describe('if all places are taken', () => {
  it('an address that holds most of them makes room for another, with the connection that was silent longest', async () => {
    const [first, second] = ['a', 'a', 'a', 'a'].map(taken);
    await places.hear(first as Socket, async () => {});
    clock.advanceMs(1);
    taken('b');
    expect(closed).toEqual([second]);
    taken('b');
    // Both hold two now.
    expect(places.take(connection('b'))).toBe('refused');
    expect(places.take(connection('a'))).toBe('refused');
    expect(places.take(connection('c'))).toBe('takenFromAnother');
    expect(closed).toHaveLength(3);
  });

  it('an address cannot take those of others, however many it asks for', () => {
    for (const address of ['a', 'b', 'c', 'd']) taken(address);
    for (let n = 0; n < 20; n++) expect(places.take(connection('a'))).toBe('refused');
    expect(closed).toEqual([]);
  });

  it('a client that has a network of IPv6 addresses counts as one', () => {
    for (let n = 1; n <= 4; n++) taken(`2001:db8::${n}`);
    expect(places.take(connection('2001:db8::5'))).toBe('refused');
    expect(places.take(connection('2001:db8:0:1::1'))).toBe('takenFromAnother');
    expect(closed).toHaveLength(1);
  });

  it('none loses its place while its messages are being stored', async () => {
    const all = ['a', 'a', 'a', 'a'].map(taken);
    let done = () => {};
    const work = new Promise<void>((resolve) => (done = resolve));
    const hearing = all.map((socket) => places.hear(socket, () => work));
    clock.advanceMs(2 * silentMsMax);
    expect(places.take(connection('b'))).toBe('refused');
    done();
    await Promise.all(hearing);
    expect(places.take(connection('b'))).toBe('takenFromAnother');
  });

  it('one that was silent for five minutes makes room, whoever holds how many', () => {
    const [longest] = ['a', 'b', 'c', 'd'].map(taken);
    expect(places.take(connection('a'))).toBe('refused');
    clock.advanceMs(silentMsMax);
    expect(places.take(connection('a'))).toBe('takenFromAnother');
    expect(closed).toEqual([longest]);
  });

  it('none loses its place while it is busy, or has just been in use', () => {
    const [busy, used, silent] = ['a', 'a', 'a'].map((address) => {
      const socket = connection(address);
      expect(places.take(socket, () => socket === busy)).toBe('taken');
      clock.advanceMs(1);
      return socket;
    });
    taken('a');
    places.find(used as Socket)?.heard();
    clock.advanceMs(silentMsMax - 1);
    taken('b');
    taken('b');
    expect(closed).toContain(silent);
    expect(closed).not.toContain(busy);
    expect(closed).not.toContain(used);
  });

  it('finds the one that was silent longest, although the clock was put back', () => {
    clock.advanceMs(2 * silentMsMax);
    const [longest, second] = ['a', 'b', 'c', 'd'].map(taken);
    clock.advanceMs(-silentMsMax);
    expect(places.take(connection('a'))).toBe('takenFromAnother');
    places.find(second as Socket)?.heard();
    expect(places.take(connection('a'))).toBe('takenFromAnother');
    expect(closed).toContain(longest);
    expect(closed).not.toContain(second);
  });

  it('the place of a connection that closed is free', () => {
    const [first] = ['a', 'b', 'c', 'd'].map(taken);
    first?.emit('close');
    expect(places.take(connection('a'))).toBe('taken');
  });
});
