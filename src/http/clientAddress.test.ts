import { describe, expect, it } from 'vitest';
import { requireNetwork } from '../tokens/requireNetwork.ts';
import { clientAddress } from './clientAddress.ts';

const trusted = ['10.0.0.0/8', '::1/128'];

describe('the address of a client', () => {
  it.each<[string, string | undefined, string | undefined, string | undefined]>([
    ['is that of its connection', '192.0.2.1', undefined, '192.0.2.1'],
    ['is IPv4 also where the socket speaks IPv6', '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    ['is not what an untrusted peer says', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['is what a trusted proxy says', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['is the right-most that is no proxy', '10.0.0.1', '127.0.0.1, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['is not what the client wrote before', '::1', '10.9.9.9, 203.0.113.9', '203.0.113.9'],
    ['may have a port', '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['may be IPv6 in brackets', '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['may be IPv6 in brackets without a port', '10.0.0.1', '[2001:DB8::1]', '2001:db8::1'],
    ['is unknown where the proxy names nobody', '10.0.0.1', undefined, undefined],
    ['is unknown where the proxy writes no address', '10.0.0.1', '203.0.113.9, unknown', undefined],
    ['is unknown behind an empty entry', '10.0.0.1', '203.0.113.9,', undefined],
    ['is unknown where only proxies are named', '10.0.0.1', '10.0.0.2', undefined],
    ['is unknown where the socket is closed', undefined, '203.0.113.9', undefined],
  ])('%s', (_, remoteAddress, forwarded, expected) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    expect(clientAddress({ socket: { remoteAddress }, headers }, trusted)).toBe(expected);
  });

  it('must be in a network of the token', () => {
    const restrictions = { projects: null, networks: ['192.0.2.0/24'] };
    requireNetwork(restrictions, '192.0.2.7');
    requireNetwork(null, undefined);
    requireNetwork({ projects: ['a'] }, undefined);
    for (const address of ['192.0.3.1', '2001:db8::1', undefined]) {
      expect(() => requireNetwork(restrictions, address)).toThrow(expect.objectContaining({ code: 'auth.network' }));
    }
  });
});
