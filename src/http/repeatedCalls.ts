import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import type { Randomness } from '../core/ids.ts';
import { bodyBytes } from '../invoke/answerBody.ts';
import type { RepeatableHit, RepeatedRows } from '../invoke/repeatableHit.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { mayComeFrom } from '../tokens/requireNetwork.ts';
import { hashToken } from '../tokens/tokenFormat.ts';
import { clientAddress } from './clientAddress.ts';
import { acceptedCodings, codingOf } from './contentCoding.ts';
import { presentedToken } from './credential.ts';
import type { OpenBody } from './openBody.ts';
import type { RequestHeads } from './requestHeads.ts';
import { requestIdOf } from './requestId.ts';
import { noHeaders, type RequestRates } from './requestRates.ts';
import { splitUrlToken } from './urlToken.ts';

export interface RepeatedCallsSettings {
  /** Limit for everything remembered, estimated. */
  readonly bytesMax: number;
  /** Whether the URL may contain a token. */
  readonly tokenInUrl: boolean;
  readonly trustedProxies: readonly string[];
}

export interface RepeatedCallsServices {
  /** `Authenticator.recognise`. */
  recognise(secretHash: string, nowMicros: number): AuthenticatedToken | undefined;
  readonly heads: RequestHeads;
  readonly rates: Pick<RequestRates, 'take'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** An answer to a call that can be repeated. */
export interface GivenAnswer {
  readonly status: 200 | 304;
  /** All headers except those that differ for each answer, and those of the connection. */
  readonly headers: Readonly<Record<string, string>>;
  /** The encoded body without its end; null without a coding or without a body. */
  readonly open: OpenBody | null;
  readonly hit: RepeatableHit;
}

export interface RememberedAnswer extends Omit<GivenAnswer, 'headers'> {
  readonly token: AuthenticatedToken;
  readonly secretHash: string;
  /** From `acceptedCodings`. */
  readonly accepted: readonly string[];
  /** Alternating names and values. */
  readonly headers: readonly string[];
}

/** An answer to repeat now. The request is already counted against the token's rate. */
export interface Repetition {
  readonly remembered: RememberedAnswer;
  readonly shown: RepeatedRows;
  readonly requestId: string;
  /** The end of the body (`RepeatableHit.endOf`). */
  readonly end: string;
  readonly rateHeaders: readonly (readonly [name: string, value: string])[];
  /** Bytes of the body before any coding; 0 without a body. */
  readonly bytes: number;
}

/** The path of calls (`routes/endpoints/query.ts`). Other requests skip the look-up. */
const callPath = '/api/endpoints/query/';
const entriesMax = 10_000;
/** Overhead of an entry beyond its texts and bytes; a generous estimate. */
const entryBytes = 2048;

/**
 * Remembers answers of cache hits by the identity of the request (decision 45). It keeps only what follows from the
 * request itself. Each call checks again whatever else can change: the token and its networks, its rates, the
 * definitions, the result and its age.
 */
export class RepeatedCalls {
  readonly #settings: RepeatedCallsSettings;
  readonly #services: RepeatedCallsServices;
  readonly #known: LRUCache<string, RememberedAnswer>;

  constructor(settings: RepeatedCallsSettings, services: RepeatedCallsServices) {
    this.#settings = settings;
    this.#services = services;
    this.#known = new LRUCache({ max: entriesMax, maxSize: Math.max(1, settings.bytesMax) });
  }

  /** The answer to a repeated request; undefined if the request must be handled normally. */
  find(request: IncomingMessage): Repetition | undefined {
    if (request.url?.startsWith(callPath) !== true) return undefined;
    const { heads, clock, randomness } = this.#services;
    const identity = heads.identityOf(request);
    const known = identity === undefined ? undefined : this.#known.get(identity);
    if (identity === undefined || known === undefined) return undefined;
    const nowMicros = clock.nowMicros();
    const shown = this.#shownBy(known, request, nowMicros);
    if (shown === undefined) {
      if (this.#isOver(known, nowMicros)) this.#known.delete(identity);
      return undefined;
    }
    const { token, status, open, hit, accepted } = known;
    const requestId = requestIdOf(request.headers['x-request-id'], clock, randomness);
    const end = hit.endOf(shown, requestId);
    const bytes = status === 304 ? 0 : bodyBytes(shown.rows, hit.meta, end);
    // Request IDs differ in length, so the body can cross the limit above which bodies are encoded.
    if (status === 200 && codingOf(bytes, accepted) !== (open?.coding ?? 'identity')) return undefined;
    // Must be the last check, so that a call is counted once. The server itself answers a refusal.
    const rate = this.#services.rates.take(token, nowMicros);
    if (rate.refusal !== undefined) return undefined;
    hit.given(shown);
    const rateHeaders = rate.headers === noHeaders ? [] : Object.entries(rate.headers);
    // Do not spread objects here or below: it would take longer than everything else.
    return { remembered: known, shown, requestId, end, rateHeaders, bytes };
  }

  /** Remembers the answer to a call of this token. */
  remember(request: IncomingMessage, token: AuthenticatedToken, answer: GivenAnswer): void {
    const identity = this.#services.heads.identityOf(request);
    if (identity === undefined || splitUrlToken(request.url ?? '', this.#settings.tokenInUrl).token !== undefined) {
      return;
    }
    const { status, hit, open } = answer;
    const held = this.#known.peek(identity);
    if (held?.token === token && held.hit.isLike(hit)) return;
    const accepted = acceptedCodings(request.headers['accept-encoding']);
    const secretHash = hashToken(presentedToken(request.headers, undefined) ?? '');
    const headers = Object.entries(answer.headers).flat();
    const size = 2 * identity.length + hit.meta.byteLength + (open?.coded.byteLength ?? 0) + entryBytes;
    this.#known.set(identity, { token, secretHash, accepted, status, headers, open, hit }, { size });
  }

  /** Forgets every answer and its compressed body. */
  forgetAll(): void {
    this.#known.clear();
  }

  #shownBy(
    { token, secretHash, hit }: RememberedAnswer,
    request: IncomingMessage,
    nowMicros: number,
  ): RepeatedRows | undefined {
    if (this.#services.recognise(secretHash, nowMicros) !== token) return undefined;
    const { restrictions } = token;
    if (restrictions?.networks !== undefined) {
      const address = clientAddress(request, this.#settings.trustedProxies);
      if (!mayComeFrom(restrictions, address)) return undefined;
    }
    return hit.at(nowMicros);
  }

  #isOver({ token, secretHash, hit }: RememberedAnswer, nowMicros: number): boolean {
    const current = this.#services.recognise(secretHash, nowMicros);
    return (current !== undefined && current !== token) || hit.isOver(nowMicros);
  }
}
