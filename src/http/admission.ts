import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import type { LiveSession } from '../sessions/sessions.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { requireNetwork } from '../tokens/requireNetwork.ts';
import { parseToken } from '../tokens/tokenFormat.ts';
import type { Callers } from './callers.ts';
import { clientAddress } from './clientAddress.ts';
import { presentedToken } from './credential.ts';
import type { RequestLife } from './requestLife.ts';
import type { RequestRates } from './requestRates.ts';
import type { Route } from './route.ts';
import type { HttpServices, HttpSettings } from './services.ts';
import { requireOwnPage } from './session/ownPage.ts';
import { sessionSecretOf } from './session/sessionCookie.ts';

type SetHeaders = (headers: Readonly<Record<string, string>>) => void;

/** Decides whether a request may be handled: who calls, from where, and how often. */
export class Admission {
  readonly #services: Pick<HttpServices, 'authenticate' | 'sessions' | 'clock'>;
  readonly #rates: Pick<RequestRates, 'take'>;
  readonly #callers: Pick<Callers, 'admitted'>;
  readonly #trustedProxies: readonly string[];

  constructor(
    services: Pick<HttpServices, 'authenticate' | 'sessions' | 'clock'>,
    rates: Pick<RequestRates, 'take'>,
    callers: Pick<Callers, 'admitted'>,
    { trustedProxies }: Pick<HttpSettings, 'trustedProxies'>,
  ) {
    this.#services = services;
    this.#rates = rates;
    this.#callers = callers;
    this.#trustedProxies = trustedProxies;
  }

  /**
   * Finds the caller of the route and notes it in `life`. A token in the request comes first; without one, the session
   * of the cookie has the rights of its token. Throws errors of `auth`, `session` and rates.
   */
  async admit(
    route: Exclude<Route, { readonly credential: 'signature' }>,
    request: IncomingMessage,
    life: RequestLife,
    urlToken: string | undefined,
    setHeaders: SetHeaders,
  ): Promise<void> {
    if (route.credential === 'none') return;
    if (route.credential === 'body') {
      // Or another site could sign its visitors in with a token of its own.
      requireOwnPage(request, this.#trustedProxies);
      return;
    }
    const presented = presentedIn(route, request, urlToken);
    if (route.credential === 'session' && presented !== undefined) {
      throw new ServiceError(
        'session.missing',
        'This call is about a session, but it is made with a token. Send the session cookie and no token.',
      );
    }
    const session = presented === undefined ? await this.#session(request) : undefined;
    if (session !== undefined) {
      life.session = session;
      life.token = session.token;
    } else if (route.credential === 'session') {
      throw new ServiceError('session.missing', 'This call needs a session. Sign in with POST /api/session.');
    } else {
      life.token = await this.#token(presented, life);
    }
    this.#callers.admitted(request, life.token);
    this.use(life.token, request, setHeaders);
    if (route.credential === 'token') route.authorise?.(life.token);
  }

  /** The caller of a request that was admitted, if it would be admitted now whatever its rates. Throws like `admit`. */
  async again(route: Route, request: IncomingMessage, urlToken: string | undefined): Promise<AuthenticatedToken> {
    const presented = presentedIn(route, request, urlToken);
    const session = presented === undefined ? await this.#session(request) : undefined;
    const token = session?.token ?? (await this.#services.authenticate(presented, this.#services.clock.nowMicros()));
    this.#requireNetwork(token, request);
    return token;
  }

  /** Checks the networks and the rates of a token. Throws `auth.network` and `request.rate_limited`. */
  use(token: AuthenticatedToken, request: IncomingMessage, setHeaders: SetHeaders): void {
    // Before the rate is counted: someone with a stolen token must not use up its rate from another network.
    this.#requireNetwork(token, request);
    const { headers, refusal } = this.#rates.take(token, this.#services.clock.nowMicros());
    setHeaders(headers);
    if (refusal !== undefined) throw refusal;
  }

  #requireNetwork({ restrictions }: AuthenticatedToken, request: IncomingMessage): void {
    if (restrictions?.networks === undefined) return;
    requireNetwork(restrictions, clientAddress(request, this.#trustedProxies));
  }

  async #token(presented: string | undefined, life: RequestLife): Promise<AuthenticatedToken> {
    try {
      return await this.#services.authenticate(presented, this.#services.clock.nowMicros());
    } catch (error) {
      life.claimedId = parseToken(presented ?? '')?.publicId;
      throw error;
    }
  }

  async #session(request: IncomingMessage): Promise<LiveSession | undefined> {
    const secret = sessionSecretOf(request.headers.cookie);
    if (secret === undefined) return undefined;
    requireOwnPage(request, this.#trustedProxies);
    return await this.#services.sessions.find(secret, this.#services.clock.nowMicros());
  }
}

function presentedIn(route: Route, { headers }: IncomingMessage, urlToken: string | undefined): string | undefined {
  return presentedToken(headers, urlToken, route.credential === 'token' && route.takesPassword === true);
}
