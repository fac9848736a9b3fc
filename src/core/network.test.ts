import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { canonicalAddress, canonicalNetwork, clientNetwork, isInNetworks, isWithin } from './network.ts';

describe('a network', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['192.0.2.7', '192.0.2.7/32'],
    [' 0.0.0.0/0 ', '0.0.0.0/0'],
    ['2001:DB8:0::1/32', '2001:db8::/32'],
    ['::1', '::1/128'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['::ffff:10.1.2.3', '10.1.2.3/32'],
  ])('%s is %s', (text, canonical) => {
    expect(canonicalNetwork(text)).toBe(canonical);
    expect(canonicalNetwork(canonical)).toBe(canonical);
  });

  it.each([
    '',
    'a',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/0x8',
    '010.0.0.1',
    '10.1',
    '167772161',
    '0x0a.0.0.1',
    '::/129',
    '::ffff:10.0.0.0/95',
    'fe80::1%eth0/64',
    'localhost',
  ])('is not %j', (text) => {
    expect(canonicalNetwork(text)).toBeUndefined();
  });

  it.each<[string, string, boolean]>([
    ['10.200.0.1', '10.0.0.0/8', true],
    ['11.0.0.1', '10.0.0.0/8', false],
    ['::ffff:10.0.0.1', '10.0.0.0/8', true],
    ['10.0.0.1', '::/0', false],
    ['2001:db8::7', '2001:db8::/32', true],
    ['fe80::1%eth0', 'fe80::/10', true],
    ['2001:db9::7', '2001:db8::/32', false],
    ['unknown', '0.0.0.0/0', false],
    ['', '0.0.0.0/0', false],
  ])('%s in %s is %s', (address, network, expected) => {
    expect(isInNetworks(address, [network])).toBe(expected);
    expect(isInNetworks(address, ['203.0.113.0/24', network])).toBe(expected);
    expect(isInNetworks(address, [])).toBe(false);
  });

  it('is within another exactly if the other has all of its addresses', () => {
    const octet = fc.constantFrom(0, 1, 128, 255);
    const address = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));
    const network = fc.tuple(address, fc.integer({ min: 0, max: 32 })).map(([base, prefix]) => `${base}/${prefix}`);
    fc.assert(
      fc.property(network, network, address, (inner, outer, some) => {
        if (isWithin(inner, outer) && isInNetworks(some, [inner])) expect(isInNetworks(some, [outer])).toBe(true);
        const base = inner.split('/')[0] ?? '';
        if (!isInNetworks(base, [outer])) expect(isWithin(inner, outer)).toBe(false);
      }),
    );
    expect(isWithin('10.0.0.0/8', '10.0.0.0/8')).toBe(true);
    expect(isWithin('10.0.0.0/7', '10.0.0.0/8')).toBe(false);
    expect(isWithin('2001:db8::/48', '2001:db8::/32')).toBe(true);
    expect(isWithin('10.0.0.0/8', '::/0')).toBe(false);
  });

  it('normalises addresses and drops their zone', () => {
    expect(canonicalAddress('FE80::1%eth0')).toBe('fe80::1');
    expect(canonicalAddress('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(canonicalAddress('192.0.2.1:80')).toBeUndefined();
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::/64'],
  ['2001:db8::ffff:1:2:3', '2001:db8::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['', ''],
])('the client with the address %s is %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
