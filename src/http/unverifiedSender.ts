import type { IncomingMessage } from 'node:http';
import { canonicalNetwork } from '../tokens/network.ts';
import { clientAddress } from './clientAddress.ts';

/**
 * Who has the work on a request until its signature is verified: its network, because anyone can claim to be a signer. Of
 * IPv6, that is a /64, because one client may have all of its addresses.
 */
export function unverifiedSender(
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: readonly string[],
): string {
  const address = clientAddress(request, trustedProxies) ?? '';
  return `unverified ${address.includes(':') ? canonicalNetwork(`${address}/64`) : address}`;
}
