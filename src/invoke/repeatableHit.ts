import type { RepeatedHit, ResultCache } from '../cache/resultCache.ts';
import type { Clock } from '../core/clock.ts';
import type { Observe } from '../core/observation.ts';
import { bodyEnd, type MetaAroundTime } from './answerBody.ts';
import type { CallFacts } from './callFacts.ts';
import type { EndpointFinder } from './findEndpoint.ts';
import { formatMicros } from './formatMicros.ts';

export interface RepeatServices {
  readonly endpoints: Pick<EndpointFinder, 'revision'>;
  readonly cache: ResultCache;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** The parts that every repetition of a hit shares. */
export interface HitParts {
  /** The `EndpointFinder.revision` from before the endpoint lookup. */
  readonly revision: object;
  readonly hit: RepeatedHit;
  readonly isRedacted: boolean;
  /** From `shapeMeta`; from `metaAroundTime` for an unchanged answer, whose time differs at each repetition. */
  readonly meta: Buffer | MetaAroundTime;
  readonly entityTag: string;
  readonly freshSeconds: number;
  readonly facts: CallFacts;
}

/** A hit at one point in time. */
export interface RepeatedRows {
  /** The rows that this call may see. */
  readonly rows: Uint8Array;
  readonly ageSeconds: number;
  /** For `meta.cache`. */
  readonly asOfMicros: number;
  /** Engine time of the original run, in milliseconds. */
  readonly savedMs: number;
}

/**
 * A cache hit that can be repeated without checking, binding and compiling the call again (decision 45). It is valid
 * while the definitions are unchanged and the result is cached. Everything else follows from the parameters, headers
 * and token, which the caller of this class must have compared. Holds no rows.
 */
export class RepeatableHit {
  readonly #parts: HitParts;
  readonly #services: RepeatServices;

  constructor(parts: HitParts, services: RepeatServices) {
    this.#parts = parts;
    this.#services = services;
  }

  /** The JSON after the rows that every answer of this hit has. `endOf` follows. */
  get meta(): Buffer {
    const { meta } = this.#parts;
    return 'before' in meta ? meta.before : meta;
  }

  /** The end of an answer, in ASCII: everything that differs between repetitions. */
  endOf({ asOfMicros }: Pick<RepeatedRows, 'asOfMicros'>, requestId: string): string {
    const { meta } = this.#parts;
    const end = bodyEnd(requestId);
    return 'before' in meta ? `${formatMicros(asOfMicros)}${meta.after}${end}` : end;
  }

  /** Whether it is valid until something that the query reads changes, and not for a fixed time. */
  get isExact(): boolean {
    return this.#parts.hit.stateAt !== null;
  }

  get entityTag(): string {
    return this.#parts.entityTag;
  }

  /** How long the result is fresh after its run, in seconds. */
  get freshSeconds(): number {
    return this.#parts.freshSeconds;
  }

  get facts(): CallFacts {
    return this.#parts.facts;
  }

  /** The answer to the call at this time; undefined if the call must run in full. Has no side effects. */
  at(nowMicros: number): RepeatedRows | undefined {
    const { revision, hit, isRedacted } = this.#parts;
    const { endpoints, cache } = this.#services;
    if (endpoints.revision(nowMicros) !== revision) return undefined;
    const answer = cache.hitAgain(hit, nowMicros);
    if (answer === undefined) return undefined;
    const { result } = answer.run;
    const rows = isRedacted ? cache.redactedForm(hit.entry)?.rows : result.rows;
    if (rows === undefined) return undefined;
    const { asOfMicros } = answer.run;
    return { rows, ageSeconds: answer.ageSeconds, asOfMicros, savedMs: result.elapsedMs };
  }

  /** Whether this hit can never be repeated again. */
  isOver(nowMicros: number): boolean {
    const { revision, hit, isRedacted } = this.#parts;
    const { endpoints, cache } = this.#services;
    const current = endpoints.revision(nowMicros);
    if (current !== undefined && current !== revision) return true;
    return !cache.holds(hit) || (isRedacted && cache.redactedForm(hit.entry) === undefined);
  }

  /** Whether the other hit has the same result under the same definitions. */
  isLike(other: RepeatableHit): boolean {
    return this.#parts.revision === other.#parts.revision && this.#parts.hit.entry === other.#parts.hit.entry;
  }

  /** Records that the call was answered with these rows. */
  given({ savedMs }: RepeatedRows): void {
    const { hit, facts } = this.#parts;
    this.#services.cache.wasRead(hit.key);
    const endpointId = facts.endpoint?.id ?? '';
    const outcome = this.isExact ? 'unchanged' : 'hit';
    this.#services.observe({ kind: 'cache.answered', endpointId, outcome, savedMs });
  }
}
