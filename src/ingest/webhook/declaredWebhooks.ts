import { createHmac } from 'node:crypto';
import type { Randomness } from '../../core/ids.ts';
import { headersOf, type Webhook } from './webhook.ts';

/** The webhook that a request names. */
export interface NamedWebhook {
  /** If none is declared, a copy of another one with secrets that nobody has. */
  readonly webhook: Webhook;
  readonly isDeclared: boolean;
}

/**
 * The declared webhooks. A request to another name is verified like one to some declared webhook, so that callers without
 * a secret cannot learn from text, time or limits which names exist.
 */
export class DeclaredWebhooks {
  readonly #byName: ReadonlyMap<string, Webhook>;
  /** Copies of the declared webhooks, whose secrets are random. */
  readonly #copies: readonly Webhook[];
  readonly #key: Uint8Array;
  readonly #signatureHeaders: ReadonlySet<string>;

  constructor(byName: ReadonlyMap<string, Webhook>, randomness: Randomness) {
    this.#byName = byName;
    this.#copies = [...byName.values()].map((webhook) => copyOf(webhook, randomness));
    this.#key = randomness.bytes(32);
    this.#signatureHeaders = new Set([...byName.values()].map(({ signature }) => signature.header));
  }

  /** The headers that deliveries have, in lower case. */
  get headers(): readonly string[] {
    return [...this.#byName.values()].flatMap(headersOf);
  }

  /** Whether a request has the header of a signature, whatever webhook it names. */
  isSigned(header: (name: string) => string | undefined): boolean {
    return [...this.#signatureHeaders].some((name) => (header(name)?.trim() ?? '') !== '');
  }

  /** Undefined if no webhooks are declared. */
  find(name: string): NamedWebhook | undefined {
    const declared = this.#byName.get(name);
    const copy = this.#copyFor(name);
    if (declared !== undefined) return { webhook: declared, isDeclared: true };
    return copy === undefined ? undefined : { webhook: copy, isDeclared: false };
  }

  /** The same one for the same name, and nobody can tell which. */
  #copyFor(name: string): Webhook | undefined {
    const digest = createHmac('sha256', this.#key).update(name).digest();
    return this.#copies[digest.readUInt32BE() % this.#copies.length];
  }
}

function copyOf(webhook: Webhook, randomness: Randomness): Webhook {
  const secrets = webhook.signature.secrets.map(({ length }) => Buffer.from(randomness.bytes(length)));
  return { ...webhook, signature: { ...webhook.signature, secrets } };
}
