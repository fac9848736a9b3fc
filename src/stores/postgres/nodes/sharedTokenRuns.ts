import type { TokenRuns } from '../../../ports/tokenRuns.ts';
import { Exchange } from './exchange.ts';
import type { SharedCounterServices } from './sharedRequestCounter.ts';
import { type SettledSlots, type SlotShares, settleSlots } from './slotShares.ts';

interface TokenSlots {
  /** Null for a token that was never asked about, because it has no limit. */
  limit: number | null;
  slots: number;
  running: number;
  /** Queries that were refused since the last settlement and are likely to wait. */
  refused: number;
  isContested: boolean;
  /** Queries that may run while the node settles, because it may hold fewer slots afterwards. */
  ceiling: number;
  /** Whether the others may not know what this node needs. */
  isDirty: boolean;
  usedMs: number;
}

/** Unused slots are given up after this time, even if no other node wants them. */
const idleMs = 10_000;

/**
 * Holds tokens to their concurrent queries over all nodes. Each node runs as many as it holds slots (slotShares.ts); the
 * first query of a token waits until the node has settled. Without the database, a node keeps its slots, and has its
 * part of the limit of tokens that it did not know.
 */
export class SharedTokenRuns implements TokenRuns {
  readonly #services: SharedCounterServices;
  readonly #exchange: Exchange;
  readonly #tokens = new Map<string, TokenSlots>();
  readonly #listeners: (() => void)[] = [];
  /** Whether waiting queries ask again although no slot was added for them. */
  #isAskedAgain = false;

  constructor(services: SharedCounterServices) {
    this.#services = services;
    this.#exchange = new Exchange(
      services.timer,
      () => this.#settle(),
      (cause) => {
        services.failed(cause);
        this.#freed();
      },
    );
    services.messages.on('slots', (_, tokens) => this.#askedFor(tokens as readonly string[]));
  }

  start(): void {
    this.#exchange.start();
  }

  /** Exchanges counts now. Never rejects. */
  async exchange(): Promise<void> {
    await this.#exchange.now();
  }

  async close(): Promise<void> {
    await this.#exchange.close();
  }

  mayBegin(tokenId: string, concurrencyMax: number): boolean {
    const token = this.#tokenOf(tokenId);
    token.limit = concurrencyMax;
    token.usedMs = this.#services.timer.nowMs();
    if (token.running < Math.min(this.#slotsOf(token), token.ceiling)) return true;
    token.refused += 1;
    token.isDirty = true;
    if (!this.#isAskedAgain) this.#exchange.soon();
    return false;
  }

  begin(tokenId: string): () => void {
    const token = this.#tokenOf(tokenId);
    token.running += 1;
    token.isDirty = true;
    token.usedMs = this.#services.timer.nowMs();
    return () => {
      token.running -= 1;
      token.isDirty = true;
      token.usedMs = this.#services.timer.nowMs();
      if (token.limit === null && token.running === 0) this.#tokens.delete(tokenId);
      if (token.isContested) {
        // The next query that begins may be another node's.
        token.slots = Math.min(token.slots, token.running);
        this.#exchange.soon();
      }
      this.#freed();
    };
  }

  whenFreed(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #tokenOf(tokenId: string): TokenSlots {
    const known = this.#tokens.get(tokenId);
    if (known !== undefined) return known;
    const { timer } = this.#services;
    const token: TokenSlots = {
      limit: null,
      slots: 0,
      running: 0,
      refused: 0,
      isContested: false,
      ceiling: Number.POSITIVE_INFINITY,
      isDirty: false,
      usedMs: timer.nowMs(),
    };
    this.#tokens.set(tokenId, token);
    return token;
  }

  #slotsOf({ slots, limit }: TokenSlots): number {
    if (!this.#exchange.isFailing || limit === null) return slots;
    const nodes = Math.max(1, this.#services.nodeCount());
    return Math.max(slots, 1, Math.floor(limit / nodes));
  }

  #askedFor(tokens: readonly string[]): void {
    for (const id of tokens) {
      const token = this.#tokens.get(id);
      if (token === undefined || token.limit === null) continue;
      token.isDirty = true;
      this.#exchange.soon();
    }
  }

  async #settle(): Promise<void> {
    const { timer, clock, nodeId, states, messages, clockOffsetMicros } = this.#services;
    const nowMs = timer.nowMs();
    const due = [...this.#tokens].filter(([, token]) => token.limit !== null && this.#isDue(token, nowMs));
    if (due.length === 0) return;
    const nowMicros = clock.nowMicros() + clockOffsetMicros();
    const reports = new Map(
      due.map(([id, { limit, running, refused, usedMs, slots }]) => {
        const isLeaving = nowMs - usedMs > idleMs && slots >= running;
        return [
          id,
          { node: nodeId, nowMicros, limit: limit ?? 1, running, wanted: running + refused, isLeaving },
        ] as const;
      }),
    );
    for (const [, token] of due) {
      token.isDirty = false;
      token.ceiling = token.running;
    }
    const settled = new Map<string, SettledSlots>();
    try {
      await states.settle<SlotShares>('slots', [...reports.keys()], (id, state, { alive }) => {
        const report = reports.get(id);
        if (report === undefined) return state;
        const result = settleSlots(state, report, alive);
        settled.set(id, result);
        return result.shares;
      });
    } catch (error) {
      for (const [, token] of due) token.isDirty = true;
      throw error;
    } finally {
      for (const [, token] of due) token.ceiling = Number.POSITIVE_INFINITY;
    }
    const concerned: string[] = [];
    let hasAdded = false;
    for (const [id, token] of due) {
      const result = settled.get(id);
      const report = reports.get(id);
      if (result === undefined || report === undefined) continue;
      token.slots = result.slots;
      hasAdded ||= result.slots > token.running;
      // Whoever still waits asks again below; if nobody does, the next settlement says so.
      if (report.wanted > report.running) token.isDirty = true;
      token.refused = 0;
      token.isContested = result.isContested;
      if (result.isShort || result.hasFreed) concerned.push(id);
      if (result.slots === 0 && token.running === 0 && report.wanted === 0) this.#tokens.delete(id);
    }
    if (concerned.length > 0) messages.tell('slots', concerned);
    this.#isAskedAgain = !hasAdded;
    this.#freed();
    this.#isAskedAgain = false;
  }

  #isDue({ isDirty, isContested, slots, running, usedMs }: TokenSlots, nowMs: number): boolean {
    return isDirty || (isContested && slots > running) || (slots > running && nowMs - usedMs > idleMs);
  }

  #freed(): void {
    for (const listener of this.#listeners) listener();
  }
}
