import type { IncomingMessage } from 'node:http';
import { canonicalAddress, isInNetworks } from '../core/network.ts';

type Received = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** Whether the peer of the connection is a trusted proxy, so that what it says of its client may be believed. */
export function isFromProxy({ socket }: Pick<Received, 'socket'>, trustedProxies: readonly string[]): boolean {
  const peer = canonicalAddress(socket.remoteAddress ?? '');
  return peer !== undefined && isInNetworks(peer, trustedProxies);
}

/**
 * The address that a request comes from: the peer of its connection or, if that is a trusted proxy, the rightmost
 * entry of `X-Forwarded-For` that is not a trusted proxy (contract, section 4). Entries to the left of it can be forged
 * by the client. Undefined if a trusted proxy names no client, or writes something that is not an address.
 */
export function clientAddress({ socket, headers }: Received, trustedProxies: readonly string[]): string | undefined {
  const peer = canonicalAddress(socket.remoteAddress ?? '');
  if (peer === undefined || !isInNetworks(peer, trustedProxies)) return peer;
  const given = headers['x-forwarded-for'];
  const entries = (typeof given === 'object' ? given.join(',') : (given ?? '')).split(',').reverse();
  for (const entry of entries) {
    const address = canonicalAddress(withoutPort(entry.trim()));
    if (address === undefined || !isInNetworks(address, trustedProxies)) return address;
  }
  return undefined;
}

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/.exec(entry) ?? [];
  return bracketed ?? plain ?? entry;
}
