import { createHmac } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Randomness } from '../../core/ids.ts';
import { RareReports } from '../../core/rareReports.ts';
import { headersOf, type Webhook } from './webhook.ts';

/** The webhook that a request names. */
export interface NamedWebhook {
  /** If none is declared, a copy of another one with secrets that nobody has. */
  readonly webhook: Webhook;
  readonly isDeclared: boolean;
}

/**
 * The declared webhooks. A request to another name is verified like one to some declared webhook, so that callers without
 * a secret cannot learn from text, time or limits which names exist, nor which headers senders sign with.
 */
export class DeclaredWebhooks {
  readonly #byName: ReadonlyMap<string, Webhook>;
  /** Copies of the declared webhooks, whose secrets are random. */
  readonly #copies: readonly Webhook[];
  readonly #key: Uint8Array;
  /** About the reasons for which deliveries are refused. */
  readonly reports: RareReports;

  constructor(byName: ReadonlyMap<string, Webhook>, randomness: Randomness, clock: Clock) {
    this.#byName = byName;
    this.#copies = [...byName.values()].map((webhook) => copyOf(webhook, randomness));
    this.#key = randomness.bytes(32);
    this.reports = new RareReports(clock);
  }

  /** The headers that deliveries have, in lower case. */
  get headers(): readonly string[] {
    return [...this.#byName.values()].flatMap(headersOf);
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
