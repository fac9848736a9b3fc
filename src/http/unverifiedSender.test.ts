import { expect, test } from 'vitest';
import { unverifiedSender } from './unverifiedSender.ts';

const requestOf = (remoteAddress: string) =>
  ({ headers: {}, socket: { remoteAddress } }) as unknown as Parameters<typeof unverifiedSender>[0];
const senderOf = (address: string) => unverifiedSender(requestOf(address), []);

test('a client has one sender, whichever of its addresses it uses', () => {
  expect(senderOf('::ffff:192.0.2.1')).toBe(senderOf('192.0.2.1'));
  expect(senderOf('192.0.2.2')).not.toBe(senderOf('192.0.2.1'));
  expect(senderOf('2001:db8::1')).toBe(senderOf('2001:db8::ffff:1:2:3'));
  expect(senderOf('2001:db8:0:1::1')).not.toBe(senderOf('2001:db8::1'));
});
