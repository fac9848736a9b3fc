import type { IncomingMessage } from 'node:http';
import { clientNetwork } from '../core/network.ts';
import { clientAddress } from './clientAddress.ts';

/** Who has the work on a request until its signature is verified: its network, because anyone can claim to be a signer. */
export function unverifiedSender(
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: readonly string[],
): string {
  return `unverified ${clientNetwork(clientAddress(request, trustedProxies) ?? '')}`;
}
