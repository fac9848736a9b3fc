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
  /** Of all that is remembered, estimated. */
  readonly bytesMax: number;
  /** Whether a token may stand in the URL. */
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

/** An answer that was given to a call, and that can be given again. */
export interface GivenAnswer {
  readonly status: 200 | 304;
  /** All headers but those that each answer says anew, and those of the connection. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its body in the coding that it has; null where it has none, or no body. */
  readonly open: OpenBody | null;
  readonly hit: RepeatableHit;
}

export interface RememberedAnswer extends Omit<GivenAnswer, 'headers'> {
  readonly token: AuthenticatedToken;
  readonly secretHash: string;
  /** From `acceptedCodings`. */
  readonly accepted: readonly string[];
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** An answer to be given again, now. It is counted already. */
export interface Repetition {
  readonly remembered: RememberedAnswer;
  readonly shown: RepeatedRows;
  readonly requestId: string;
  readonly rateHeaders: readonly (readonly [name: string, value: string])[];
  /** Of the body before any coding; 0 where there is none. */
  readonly bytes: number;
}

/** Where calls of endpoints are made (`routes/endpoints/query.ts`); all others are passed by at no cost. */
const callPath = '/api/endpoints/query/';
const entriesMax = 10_000;
/** What an entry takes beside its texts and bytes: an estimate, on the safe side. */
const entryBytes = 2048;

/**
 * Remembers how calls were answered from the cache, by the identity of their requests (decision 45). What is
 * remembered is what follows from the request alone. Whatever can change without it is looked at again for
 * each call: the token and its networks, its rates, the definitions, the result and its age.
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

  /** What a request is to be answered with; undefined where it must be handled as if nothing were remembered. */
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
    const bytes = status === 304 ? 0 : bodyBytes(shown.rows, hit.meta, requestId);
    // Ids are of different lengths, and so a body can become long enough to be coded, or too short.
    if (status === 200 && codingOf(bytes, accepted) !== (open?.coding ?? 'identity')) return undefined;
    // The last of all checks: a call is counted once, and the refusal is the server's.
    const rate = this.#services.rates.take(token, nowMicros);
    if (rate.refusal !== undefined) return undefined;
    hit.given(shown);
    const rateHeaders = rate.headers === noHeaders ? [] : Object.entries(rate.headers);
    // No object is spread here or below: that alone would take longer than all of the rest.
    return { remembered: known, shown, requestId, rateHeaders, bytes };
  }

  /** Remembers an answer of a call that this token made. */
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

  /** Forgets every answer, with the compressed bodies that are held of them. */
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
