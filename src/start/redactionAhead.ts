import type { Clock } from '../core/clock.ts';
import { Pause, type Turns } from '../core/concurrency/turns.ts';
import { FailureReports } from '../core/failureReports.ts';
import type { Observe } from '../core/observation.ts';
import type { Timer } from '../core/timer.ts';
import type { EndpointStore, EndpointVersion } from '../endpoints/endpointStore.ts';
import type { TokenPosition, TokenStore } from '../tokens/tokenStore.ts';

export interface RedactionAheadInputs {
  readonly tokens: Pick<TokenStore, 'generation' | 'page'>;
  readonly endpoints: Pick<EndpointStore, 'generation' | 'listPage'>;
  /** Called once, if a live token or an endpoint redacts. Must not throw. */
  readonly prepare: () => void;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly turns: Turns;
  readonly observe: Observe;
}

/** How often to look whether tokens or endpoints have changed, which costs two small reads. */
const lookEveryMs = 1_000;
/** Few, because each page is parsed in one turn of the event loop. */
const pageRows = 50;

/**
 * Prepares redaction as soon as a live token or an endpoint redacts, whoever made it: this process, another node or the
 * command line. The first redacted query then need not start the processes that it runs in, and a service that redacts
 * nothing has no such processes.
 */
export class RedactionAhead {
  readonly #inputs: RedactionAheadInputs;
  readonly #reports: FailureReports;
  /** A store that answers at once would otherwise have all pages parsed in one turn. */
  readonly #pause: Pause;
  #seenTokens: number | undefined;
  #seenEndpoints: number | undefined;
  #isOver = false;
  #cancel = (): void => {};

  constructor(inputs: RedactionAheadInputs) {
    this.#inputs = inputs;
    this.#reports = new FailureReports(inputs.timer);
    this.#pause = new Pause(inputs.turns);
  }

  /** Looks now and then regularly, until redaction is prepared. */
  start(): void {
    void this.#lookAndReport();
  }

  stop(): void {
    this.#isOver = true;
    this.#cancel();
  }

  /** Prepares redaction if a token or an endpoint needs it. Rejects if a store cannot be read. */
  async look(): Promise<void> {
    if (!((await this.#hasRedactedToken()) || (await this.#hasRedactedEndpoint())) || this.#isOver) return;
    this.#isOver = true;
    this.#inputs.prepare();
  }

  async #lookAndReport(): Promise<void> {
    try {
      await this.look();
      this.#reports.succeeded();
    } catch (cause) {
      if (!this.#isOver && this.#reports.failed()) {
        const message = 'it is unknown whether a token or an endpoint redacts, so the first redacted query may be slow';
        this.#inputs.observe({ kind: 'warning', message, cause });
      }
    }
    if (this.#isOver) return;
    this.#cancel = this.#inputs.timer.after(lookEveryMs, () => void this.#lookAndReport());
  }

  async #hasRedactedToken(): Promise<boolean> {
    const { tokens, clock } = this.#inputs;
    // Read before the tokens, so that a change in between is seen by the next look.
    const generation = await tokens.generation();
    if (generation === this.#seenTokens) return false;
    for (let after: TokenPosition | null = null; !this.#isOver; ) {
      const page = await tokens.page({ limit: pageRows, after, state: 'live', nowMicros: clock.nowMicros() });
      if (page.some(({ restrictions }) => restrictions?.redact === true)) return true;
      const last = page.at(-1);
      if (page.length < pageRows || last === undefined) break;
      after = [last.createdAtMicros, last.publicId];
      await this.#pause.take();
    }
    this.#seenTokens = generation;
    return false;
  }

  async #hasRedactedEndpoint(): Promise<boolean> {
    const { endpoints } = this.#inputs;
    const generation = await endpoints.generation();
    if (generation === this.#seenEndpoints) return false;
    for (let after: EndpointVersion | null = null; !this.#isOver; ) {
      const page: readonly EndpointVersion[] = await endpoints.listPage({ limit: pageRows, after, name: null });
      if (page.some(({ redactPii }) => redactPii)) return true;
      const last = page.at(-1);
      if (page.length < pageRows || last === undefined) break;
      after = last;
      await this.#pause.take();
    }
    this.#seenEndpoints = generation;
    return false;
  }
}
