import type { Clock } from '../../../core/clock.ts';
import type { Timer } from '../../../core/timer.ts';
import type { RequestBucket, RequestCounter, RequestRate, TakenRequest } from '../../../ports/requestCounter.ts';
import { Exchange } from './exchange.ts';
import type { AsksNodes } from './nodeMessages.ts';
import { RequestShare } from './requestShare.ts';
import { firstAllowance, type HeldShare, type RequestShares, settleShares } from './requestShares.ts';
import type { SharedStates } from './sharedStates.ts';

export interface SharedCounterServices {
  readonly nodeId: string;
  readonly states: SharedStates;
  readonly messages: AsksNodes;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Microseconds to add to this node's clock for the clock that nodes share. */
  readonly clockOffsetMicros: () => number;
  /** The nodes that are alive, this one included. */
  readonly nodeCount: () => number;
  readonly failed: (cause: unknown) => void;
}

/** Keys that are settled in one transaction. */
const keysMax = 500;
/** A share that was not asked for anything is settled less often. */
const unusedSettleMs = 500;
/** How often the keys that other nodes use are read, because messages can be lost. */
const readKeysMs = 2_000;

interface Held {
  readonly key: string;
  readonly share: RequestShare;
  settledMs: number;
}

/**
 * Counts requests against rates that all nodes share. Each node decides with the share of the rate that it holds and
 * settles with the others ten times a second (requestShares.ts). Without the database, it keeps the share that it has.
 */
export class SharedRequestCounter implements RequestCounter {
  readonly #services: SharedCounterServices;
  readonly #exchange: Exchange;
  readonly #held = new Map<string, Held>();
  /** Keys that any node uses. */
  #used = new Set<string>();
  #readKeysAtMs = Number.NEGATIVE_INFINITY;

  constructor(services: SharedCounterServices) {
    this.#services = services;
    this.#exchange = new Exchange(services.timer, () => this.#settle(), services.failed);
    services.messages.on('requests', (_, keys) => {
      for (const key of keys as readonly string[]) this.#used.add(key);
    });
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

  take(buckets: readonly RequestBucket[], nowMicros: number): TakenRequest {
    const shares = buckets.map((bucket) => this.#shareOf(bucket, nowMicros));
    const allowed = shares.map((share) => share.ask(nowMicros));
    const isAllowed = allowed.every(Boolean);
    if (isAllowed) for (const share of shares) share.take();
    else this.#exchange.soon();
    return { isAllowed, levels: shares.map((share) => (isAllowed ? share.leftOfAll : share.left)) };
  }

  #shareOf({ key, rate }: RequestBucket, nowMicros: number): RequestShare {
    // Another rate is another bucket.
    const ofRate = `${key} ${rate.requests}/${rate.seconds}`;
    const known = this.#held.get(ofRate);
    if (known !== undefined) return known.share;
    const nodes = Math.max(1, this.#services.nodeCount());
    const isUsed = this.#used.has(ofRate) && !this.#exchange.isFailing;
    const share = new RequestShare(rate, 1 / nodes, firstAllowance(rate, nodes, isUsed), nowMicros);
    this.#held.set(ofRate, { key: ofRate, share, settledMs: Number.NEGATIVE_INFINITY });
    this.#exchange.soon();
    return share;
  }

  async #settle(): Promise<void> {
    const { timer, states } = this.#services;
    const nowMs = timer.nowMs();
    const due = [...this.#held.values()].filter(
      ({ share, settledMs }) => share.isUsed || !share.isSettled || nowMs - settledMs >= unusedSettleMs,
    );
    for (let from = 0; from < due.length; from += keysMax)
      await this.#settleSome(due.slice(from, from + keysMax), nowMs);
    if (nowMs - this.#readKeysAtMs < readKeysMs) return;
    this.#readKeysAtMs = nowMs;
    this.#used = new Set(await states.keys('requests'));
    await states.clean();
  }

  async #settleSome(due: readonly Held[], nowMs: number): Promise<void> {
    const { nodeId, states, messages, clock, clockOffsetMicros } = this.#services;
    const nowMicros = clock.nowMicros();
    const reports = new Map(
      due.map(({ key, share }) => {
        const isLeaving = share.isIdle(nowMicros);
        const report = {
          node: nodeId,
          nowMicros: nowMicros + clockOffsetMicros(),
          isLeaving,
          ...share.report(nowMicros),
        };
        return [key, report] as const;
      }),
    );
    const rates = new Map<string, RequestRate>(due.map(({ key, share }) => [key, share.rate]));
    const settled = new Map<string, HeldShare>();
    try {
      const { begun } = await states.settle<RequestShares>('requests', [...reports.keys()], (key, state, { alive }) => {
        const report = reports.get(key);
        const rate = rates.get(key);
        if (report === undefined || rate === undefined) return state;
        const { shares, held } = settleShares(state, rate, report, alive);
        settled.set(key, held);
        return shares;
      });
      if (begun.length > 0) messages.tell('requests', begun);
    } catch (error) {
      for (const { key, share } of due) share.failed(reports.get(key) ?? { allowed: 0, asked: 0 });
      throw error;
    }
    for (const entry of due) {
      const { key, share } = entry;
      const held = settled.get(key);
      if (held === undefined) continue;
      share.settled(held);
      entry.settledMs = nowMs;
      this.#used.add(key);
      if (reports.get(key)?.isLeaving === true && !share.isUsed) this.#held.delete(key);
    }
  }
}
