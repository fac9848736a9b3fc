import type { RequestRate } from '../../../ports/requestCounter.ts';
import type { HeldShare, ShareReport } from './requestShares.ts';

/** What one node holds of a bucket of requests that nodes share (requestShares.ts). */
export class RequestShare {
  readonly rate: RequestRate;
  #share: number;
  #level: number;
  #atMicros: number;
  #reportedMicros: number;
  /** Level of all nodes at the last report, and what this node allowed since. */
  #total: number;
  #allowed = 0;
  #asked = 0;
  #lastAskedMicros: number;
  #isSettled = false;

  /** `level`: from `firstAllowance`. Until it has settled, the node refills `share` of the rate. */
  constructor(rate: RequestRate, share: number, level: number, nowMicros: number) {
    this.rate = rate;
    this.#share = share;
    this.#level = level;
    this.#total = rate.requests;
    this.#atMicros = nowMicros;
    this.#reportedMicros = nowMicros;
    this.#lastAskedMicros = nowMicros;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Whether it was asked for anything since the last report. */
  get isUsed(): boolean {
    return this.#asked > 0;
  }

  /** Counts a request, and returns whether one is left. A clock that was set back gives and takes nothing. */
  ask(nowMicros: number): boolean {
    this.refill(nowMicros);
    this.#asked += 1;
    this.#lastAskedMicros = nowMicros;
    return this.#level >= 1;
  }

  take(): void {
    this.#level -= 1;
    this.#total -= 1;
    this.#allowed += 1;
  }

  /** What all nodes have left, as far as this one knows; less than 1 if this node has none to allow. */
  get left(): number {
    const total = Math.max(0, this.#total);
    return this.#level < 1 && total >= 1 ? Math.max(0, this.#level) : total;
  }

  /** The same after a request was allowed, when the others may have more than this node. */
  get leftOfAll(): number {
    return Math.max(0, this.#total);
  }

  refill(nowMicros: number): void {
    const { requests, seconds } = this.rate;
    const elapsed = Math.max(0, nowMicros - this.#atMicros) / 1e6;
    const perSecond = requests / seconds;
    this.#level = Math.min(
      Math.max(this.#level, this.#share * requests),
      this.#level + elapsed * this.#share * perSecond,
    );
    this.#total = Math.min(requests, this.#total + elapsed * perSecond);
    this.#atMicros = nowMicros;
  }

  /** Whether it would be full again by now, had it allowed nothing since it was last asked. */
  isIdle(nowMicros: number): boolean {
    return nowMicros - this.#lastAskedMicros > this.rate.seconds * 1e6;
  }

  /** Begins a report. What is allowed from now on belongs to the next one. */
  report(nowMicros: number): Pick<ShareReport, 'level' | 'allowed' | 'asked'> {
    this.refill(nowMicros);
    this.#reportedMicros = nowMicros;
    const given = { level: this.#level, allowed: this.#allowed, asked: this.#asked };
    this.#allowed = 0;
    this.#asked = 0;
    return given;
  }

  /** Ends a report that was settled. */
  settled({ share, level, total }: HeldShare): void {
    this.#share = share;
    this.#level = level - this.#allowed;
    this.#total = total - this.#allowed;
    // What was refilled meanwhile went with the old level.
    this.#atMicros = this.#reportedMicros;
    this.#isSettled = true;
  }

  /** Ends a report that could not be settled; the node goes on with the share that it has. */
  failed({ allowed, asked }: Pick<ShareReport, 'allowed' | 'asked'>): void {
    this.#allowed += allowed;
    this.#asked += asked;
  }
}
