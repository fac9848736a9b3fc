import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { clientNetwork } from '../core/network.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { hashToken } from '../tokens/tokenFormat.ts';
import { sessionPairs } from './session/sessionCookie.ts';

/** Most credentials that are known. */
const knownMax = 10_000;

type Received = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** Tells callers apart before their tokens and sessions are checked. */
export class Callers {
  /** The public ID of the token, by the hash of a credential that was valid. */
  readonly #known = new LRUCache<string, string>({ max: knownMax });

  /**
   * The same text for the requests of one token and its sessions. Anyone can invent credentials, so one that was not valid
   * before, like none, counts for its network.
   */
  of(request: Received): string {
    const credential = credentialOf(request);
    const publicId = credential === undefined ? undefined : this.#known.get(credential);
    if (publicId !== undefined) return `token ${publicId}`;
    return `network ${clientNetwork(request.socket.remoteAddress ?? '')}`;
  }

  /** Notes whose credential a request has. A token can have many forms, such as one in the URL beside any header. */
  admitted(request: Received, { publicId }: Pick<AuthenticatedToken, 'publicId'>): void {
    const credential = credentialOf(request);
    if (credential !== undefined) this.#known.set(credential, publicId);
  }
}

/** A hash of the token or session as the headers have it. */
function credentialOf({ headers }: Received): string | undefined {
  const text = headers['x-api-key'] ?? headers.authorization ?? sessionPairs(headers.cookie ?? '');
  return text === '' ? undefined : hashToken(String(text));
}
