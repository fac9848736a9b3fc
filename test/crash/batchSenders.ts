import { setTimeout as delay } from 'node:timers/promises';
import { type Batch, batchOf } from './batches.ts';

const sendersCount = 6;
const pauseMs = 20;

/** Outcome of a batch: acknowledged, or given up because a second attempt could store it twice. */
export interface SentBatches {
  readonly acknowledged: ReadonlySet<string>;
  readonly unsettled: ReadonlySet<string>;
}

/**
 * Sends batches from several clients at a time until it is stopped. A batch without an answer is sent again, with the
 * same key and bytes, unless the service could not recognise it.
 */
export class BatchSenders implements SentBatches {
  readonly acknowledged = new Set<string>();
  readonly unsettled = new Set<string>();
  /** Answers to batches that were sent before without an answer. */
  retried = 0;
  readonly #url: () => Promise<string>;
  readonly #done: Promise<unknown>;
  #isStopped = false;

  /** `url` returns the address of the service that runs now, or will run next. */
  constructor(url: () => Promise<string>) {
    this.#url = url;
    this.#done = Promise.all(Array.from({ length: sendersCount }, (_, sender) => this.#send(sender)));
    // `stop` reports the error.
    this.#done.catch(() => undefined);
  }

  /** Resolves when `count` more batches were acknowledged. Rejects if an answer was wrong. */
  async acknowledgeMore(count: number): Promise<void> {
    const wanted = this.acknowledged.size + count;
    while (this.acknowledged.size < wanted) await Promise.race([this.#done, delay(5)]);
  }

  /** Begins no more batches; resolves when those begun are settled. Rejects if an answer was wrong. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
  }

  async #send(sender: number): Promise<void> {
    for (let number = 0; !this.#isStopped; number++) await this.#settle(batchOf(sender, number));
  }

  async #settle(batch: Batch): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(batch);
      if (outcome === 'acknowledged') {
        this.acknowledged.add(batch.name);
        if (attempt > 0) this.retried++;
        return;
      }
      if (outcome === 'lost' && batch.recognition === 'none') {
        this.unsettled.add(batch.name);
        return;
      }
      await delay(pauseMs);
    }
  }

  /** `lost`: no answer, so the batch may be stored. `refused`: the service promised that nothing was stored. */
  async #attempt(batch: Batch): Promise<'acknowledged' | 'refused' | 'lost'> {
    let status: number;
    let text: string;
    try {
      const url = await this.#url();
      const response = await fetch(`${url}${batch.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...batch.headers },
        body: batch.body,
      });
      status = response.status;
      text = await response.text();
    } catch {
      return 'lost';
    }
    if (status === 200 || status === 204) return 'acknowledged';
    if (status === 503 && /\b(?:ingest\.overloaded|service\.draining)\b/.test(text)) return 'refused';
    throw new Error(`batch ${batch.name} was answered with ${status}: ${text}`);
  }
}
