import type { Observation } from '../../../core/observation.ts';
import type { UsageCounter } from '../../../ports/usageCounter.ts';
import type { AsksNodes } from './nodeMessages.ts';

/** How long others have to store what they counted; a query of usage waits for it. */
const flushMs = 2_000;

/** Usage of all nodes: each stores what it counted. */
export class SharedUsage implements UsageCounter {
  readonly #local: UsageCounter;
  readonly #messages: AsksNodes;

  constructor(local: UsageCounter, messages: AsksNodes) {
    this.#local = local;
    this.#messages = messages;
    messages.on('usage.flush', async () => {
      await local.flush();
      return true;
    });
  }

  record(observation: Observation): void {
    this.#local.record(observation);
  }

  async flush(): Promise<void> {
    await Promise.all([this.#local.flush(), this.#messages.ask('usage.flush', null, flushMs)]);
  }
}
