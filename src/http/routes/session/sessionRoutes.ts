import * as z from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { type Refusal, readMembers } from '../../../core/readMembers.ts';
import type { RequestRate } from '../../../ports/requestCounter.ts';
import type { LiveSession, SessionRequest, SessionToken } from '../../../sessions/sessions.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { hashToken } from '../../../tokens/tokenFormat.ts';
import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { jsonAnswer, type Route, type RouteAnswer, type RouteCall } from '../../route.ts';
import { isOverTls } from '../../session/ownPage.ts';
import { sessionSecretOf, setSessionCookie } from '../../session/sessionCookie.ts';
import { flagOf } from '../../urlOptions.ts';
import { sessionView } from './sessionView.ts';

/** A body holds one token or code. */
const signInBytesMax = 4096;

/** Sessions that may begin with one token: each one is in the audit trail, which forgets nothing. */
const signInRate: RequestRate = { requests: 20, seconds: 600 };

/** The body of a sign-in: one of the two. */
export const signInInput = z.strictObject(
  { token: z.string('must be text').optional(), code: z.string('must be text').optional() },
  'must be a JSON object',
);

const refusal: Refusal = { code: 'parameter.invalid', sentence: 'The sign-in is not valid' };

/** Begins a session for a token, or for the one-time code of the link that the service prints. */
const signIn: Route = {
  operation: 'session.create',
  methods: ['POST'],
  path: '/api/session',
  urlParameters: [],
  takesBody: true,
  summary:
    'Signs a browser in with a token or a one-time code, and sets the session cookie. The header `X-Logmill-Console: 1` is required.',
  credential: 'body',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: () => signInBytesMax,
  async handle(call) {
    const { token, code } = await presented(call);
    if (code === undefined) return await begin(call, await signedInToken(call, token));
    return await call.services.sessions.redeem(code, requestOf(call), (ofCode) => begin(call, ofCode));
  },
};

/** Says who is signed in. */
const readSession: Route = {
  operation: 'session.read',
  methods: ['GET'],
  path: '/api/session',
  urlParameters: [],
  summary: 'Returns the session of the cookie: when it ends, and what its token may do.',
  credential: 'session',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: ({ queryBodyBytesMax }) => queryBodyBytesMax,
  handle: async (_call, session) => jsonAnswer(sessionView(session), { 'cache-control': 'no-store' }),
};

/** Ends the session, or every session of its token. */
const signOut: Route = {
  operation: 'session.end',
  methods: ['DELETE'],
  path: '/api/session',
  urlParameters: ['everywhere'],
  summary: 'Signs out: ends the session of the cookie or, with `everywhere=true`, every session of its token.',
  credential: 'session',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: ({ queryBodyBytesMax }) => queryBodyBytesMax,
  async handle(call, session) {
    const { services, received, settings } = call;
    const isEverywhere = flagOf(call.options, 'everywhere');
    const ended = isEverywhere ? await services.sessions.endAllOf(session, requestOf(call)) : 1;
    if (!isEverywhere) await services.sessions.end(session, requestOf(call));
    const cookie = setSessionCookie('', 0, isOverTls(received, settings.trustedProxies));
    return jsonAnswer({ ended }, { 'cache-control': 'no-store', 'set-cookie': cookie });
  },
};

export const sessionRoutes: readonly Route[] = [signIn, readSession, signOut];

function requestOf({ services, requestId }: RouteCall): SessionRequest {
  return { nowMicros: services.clock.nowMicros(), requestId };
}

/** The body of a sign-in, which has either a token or a code. */
async function presented(call: RouteCall): Promise<z.output<typeof signInInput>> {
  const sent = readMembers(signInInput, plainJson(await readJsonBody(call)), refusal);
  if ((sent.token === undefined) !== (sent.code === undefined)) return sent;
  throw new ServiceError('parameter.invalid', 'The sign-in is not valid: send either token or code.', {
    errors: [{ parameter: 'token', allowed: ['token', 'code'] }],
  });
}

/** The token to begin a session with. Throws what a call with it would. */
async function signedInToken({ services, admit }: RouteCall, text = ''): Promise<SessionToken> {
  const token: AuthenticatedToken = await services.authenticate(text, services.clock.nowMicros());
  admit(token);
  return { ...token, secretHash: hashToken(text) };
}

async function begin(call: RouteCall, token: SessionToken): Promise<RouteAnswer> {
  const { services, received, settings } = call;
  limitSignIns(call, token);
  await endFormer(call);
  const request = requestOf(call);
  const { secret } = await services.sessions.begin(token, request);
  const session = await services.sessions.find(secret, request.nowMicros);
  const seconds = Math.floor((session.record.expiresAtMicros - request.nowMicros) / 1_000_000);
  return withCookie(session, setSessionCookie(secret, seconds, isOverTls(received, settings.trustedProxies)));
}

function limitSignIns({ services }: RouteCall, { publicId }: SessionToken): void {
  const bucket = { key: `sign-in ${publicId}`, rate: signInRate };
  const { isAllowed } = services.requestCounter.take([bucket], services.clock.nowMicros());
  if (isAllowed) return;
  throw new ServiceError(
    'request.rate_limited',
    `This token began ${signInRate.requests} sessions within ${signInRate.seconds} seconds. Try again after the time in Retry-After.`,
    { retryAfterSeconds: signInRate.seconds / signInRate.requests },
  );
}

/** Ends the session that the browser had, because nothing can use it any more. */
async function endFormer(call: RouteCall): Promise<void> {
  const { services, headers } = call;
  const request = requestOf(call);
  try {
    const secret = sessionSecretOf(headers.cookie);
    if (secret !== undefined)
      await services.sessions.end(await services.sessions.find(secret, request.nowMicros), request);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'session.invalid')) throw error;
  }
}

function withCookie(session: LiveSession, cookie: string): RouteAnswer {
  return jsonAnswer(sessionView(session), { 'cache-control': 'no-store', 'set-cookie': cookie });
}
