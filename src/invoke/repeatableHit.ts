import type { RepeatedHit, ResultCache } from '../cache/resultCache.ts';
import type { Clock } from '../core/clock.ts';
import type { Observe } from '../core/observation.ts';
import type { CallFacts } from './callFacts.ts';
import type { EndpointFinder } from './findEndpoint.ts';

export interface RepeatServices {
  readonly endpoints: Pick<EndpointFinder, 'revision'>;
  readonly cache: ResultCache;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** What is true of every repetition of a hit. */
export interface HitParts {
  /** What `EndpointFinder.revision` gave before the endpoint was looked up. */
  readonly revision: object;
  readonly hit: RepeatedHit;
  readonly isRedacted: boolean;
  /** From `shapeMeta`. */
  readonly meta: Buffer;
  readonly entityTag: string;
  readonly freshSeconds: number;
  readonly facts: CallFacts;
}

/** A hit at one moment. */
export interface RepeatedRows {
  /** As they may be shown to this call. */
  readonly rows: Uint8Array;
  readonly ageSeconds: number;
  /** Engine time that the result took, milliseconds. */
  readonly savedMs: number;
}

/**
 * A call that was answered from the cache and can be answered so again without being checked, bound and
 * compiled anew (decision 45): as long as the definitions are what they were and its result is in the cache
 * still, everything else follows from its parameters, its headers and its token, which who asks must have
 * compared. Holds no rows.
 */
export class RepeatableHit {
  readonly #parts: HitParts;
  readonly #services: RepeatServices;

  constructor(parts: HitParts, services: RepeatServices) {
    this.#parts = parts;
    this.#services = services;
  }

  get meta(): Buffer {
    return this.#parts.meta;
  }

  get entityTag(): string {
    return this.#parts.entityTag;
  }

  /** How long the result is fresh since it was made. */
  get freshSeconds(): number {
    return this.#parts.freshSeconds;
  }

  get facts(): CallFacts {
    return this.#parts.facts;
  }

  /** What the call would be answered with at this moment; undefined where it has to be made anew. Changes nothing. */
  at(nowMicros: number): RepeatedRows | undefined {
    const { revision, hit, isRedacted } = this.#parts;
    const { endpoints, cache } = this.#services;
    if (endpoints.revision(nowMicros) !== revision) return undefined;
    const answer = cache.hitAgain(hit, nowMicros);
    if (answer === undefined) return undefined;
    const { result } = answer.run;
    const rows = isRedacted ? cache.redactedForm(hit.entry)?.rows : result.rows;
    if (rows === undefined) return undefined;
    return { rows, ageSeconds: answer.ageSeconds, savedMs: result.elapsedMs };
  }

  /** Whether it can never be answered with that again. */
  isOver(nowMicros: number): boolean {
    const { revision, hit, isRedacted } = this.#parts;
    const { endpoints, cache } = this.#services;
    const current = endpoints.revision(nowMicros);
    if (current !== undefined && current !== revision) return true;
    return !cache.holds(hit) || (isRedacted && cache.redactedForm(hit.entry) === undefined);
  }

  /** Whether the other one stands for the same result under the same definitions. */
  isLike(other: RepeatableHit): boolean {
    return this.#parts.revision === other.#parts.revision && this.#parts.hit.entry === other.#parts.hit.entry;
  }

  /** To be called when it was answered with that. */
  given({ savedMs }: RepeatedRows): void {
    const { hit, facts } = this.#parts;
    this.#services.cache.wasRead(hit.key);
    const endpointId = facts.endpoint?.id ?? '';
    this.#services.observe({ kind: 'cache.answered', endpointId, outcome: 'hit', savedMs });
  }
}
