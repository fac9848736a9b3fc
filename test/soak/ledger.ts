/** Counts of events. `amount`: the sum of the numbers in their messages; `requests`: events that have a url. */
export interface Totals {
  readonly events: number;
  readonly amount: number;
  readonly requests: number;
}

/** The events of a batch to be stored. */
export interface Expected extends Totals {
  readonly name: string;
  readonly tenant: string;
  readonly source: string;
}

/**
 * State of a batch.
 * - `sending`: no answer yet, or none that settles it.
 * - `acknowledged`: must be stored, exactly once.
 * - `refused`: the service promised that nothing was stored; must not be stored.
 * - `unsettled`: never answered, and a repetition would not be recognised; may be stored, whole and once.
 */
export type BatchState = 'sending' | 'acknowledged' | 'refused' | 'unsettled';

interface Account {
  acknowledged: Totals;
  /** Those of `acknowledged` that may be quarantined with damaged files. */
  excused: Totals;
  most: Totals;
  /** History of `acknowledged`, by time. */
  readonly history: { readonly atMs: number; readonly acknowledged: Totals }[];
}

const none: Totals = { events: 0, amount: 0, requests: 0 };

/** What the service must hold of each batch, and so of each tenant and source at any moment. */
export class Ledger {
  readonly states = new Map<string, { readonly expected: Expected; state: BatchState; isExcused: boolean }>();
  readonly #accounts = new Map<string, Account>();

  begin(expected: Expected): void {
    this.states.set(expected.name, { expected, state: 'sending', isExcused: false });
    const account = this.#account(expected.tenant, expected.source);
    account.most = plus(account.most, expected);
  }

  /** Settles a batch that was begun; may be called once. */
  settle(name: string, state: Exclude<BatchState, 'sending'>, nowMs: number): void {
    const known = this.states.get(name);
    if (known === undefined || known.state !== 'sending') throw new Error(`batch ${name} is settled a second time`);
    known.state = state;
    const { expected } = known;
    const account = this.#account(expected.tenant, expected.source);
    if (state === 'refused') account.most = plus(account.most, expected, -1);
    if (state !== 'acknowledged') return;
    account.acknowledged = plus(account.acknowledged, expected);
    account.history.push({ atMs: nowMs, acknowledged: account.acknowledged });
    if (known.isExcused) account.excused = plus(account.excused, expected);
  }

  /** The batch is in a file that was damaged on purpose, so it may be quarantined, as a whole. */
  excuse(name: string): void {
    const known = this.states.get(name);
    if (known === undefined || known.isExcused) return;
    known.isExcused = true;
    const account = this.#account(known.expected.tenant, known.expected.source);
    if (known.state === 'acknowledged') account.excused = plus(account.excused, known.expected);
  }

  /** The least that a result of that age must hold. `atMs` is from `performance.now()`. */
  least(tenant: string, source: string, atMs = Number.POSITIVE_INFINITY): Totals {
    return plus(this.acknowledged(tenant, source, atMs), this.#account(tenant, source).excused, -1);
  }

  /** What would be stored at that time if no file had been damaged. */
  acknowledged(tenant: string, source: string, atMs = Number.POSITIVE_INFINITY): Totals {
    const { history } = this.#account(tenant, source);
    return history.findLast((entry) => entry.atMs <= atMs)?.acknowledged ?? none;
  }

  /** The most that an ended query can have found. */
  most(tenant: string, source: string): Totals {
    return this.#account(tenant, source).most;
  }

  count(state: BatchState): { readonly batches: number; readonly events: number } {
    const found = [...this.states.values()].filter((each) => each.state === state);
    return { batches: found.length, events: found.reduce((sum, { expected }) => sum + expected.events, 0) };
  }

  #account(tenant: string, source: string): Account {
    const key = `${tenant} ${source}`;
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const account: Account = { acknowledged: none, excused: none, most: none, history: [] };
    this.#accounts.set(key, account);
    return account;
  }
}

function plus(a: Totals, b: Totals, times = 1): Totals {
  return {
    events: a.events + times * b.events,
    amount: a.amount + times * b.amount,
    requests: a.requests + times * b.requests,
  };
}
