import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Turns } from '../core/concurrency/turns.ts';
import { errorCatalogue } from '../core/errorCatalogue.ts';
import { asServiceError, ServiceError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { resultFormat } from '../formats/resultFormat.ts';
import { StageTimes } from '../invoke/stageTimes.ts';
import { refuseUnacceptable } from './acceptable.ts';
import { Admission } from './admission.ts';
import { AnswerBudget, type AnswerShare } from './answerBudget.ts';
import { AwaitedBodies } from './awaitedBodies.ts';
import { BodyBudget } from './bodyBudget.ts';
import { hitAgeHeaders } from './cacheHeaders.ts';
import { Callers } from './callers.ts';
import { acceptedCodings, type CodedBody, encodeBody } from './contentCoding.ts';
import { Cors } from './cors.ts';
import { everyAnswer } from './everyAnswer.ts';
import { fastifyRefusal } from './fastifyRefusal.ts';
import { hideMalformedType } from './mediaTypeForm.ts';
import { openConnections } from './openConnections.ts';
import { renderProblem } from './problem.ts';
import { answerRawSocket, parserRefusal } from './rawSocketError.ts';
import { readBody } from './readBody.ts';
import { isRefusal } from './refusal.ts';
import { refuseBody } from './refuseBody.ts';
import { answerRepeated } from './repeatedAnswer.ts';
import { RepeatedCalls } from './repeatedCalls.ts';
import { refuseRepeatedHeaders, singularHeaders } from './repeatedHeaders.ts';
import { RequestHeads } from './requestHeads.ts';
import { requestIdOf } from './requestId.ts';
import { callReport, lifeOf, type RequestLife } from './requestLife.ts';
import { RequestRates } from './requestRates.ts';
import { RequestTurns } from './requestTurns.ts';
import type { HttpMethod, Route, RouteAnswer, RouteCall } from './route.ts';
import { allRoutes } from './routes/allRoutes.ts';
import type { HttpServices, HttpSettings } from './services.ts';
import { traceParent } from './traceParent.ts';
import { transferCodingRefusal } from './transferCoding.ts';
import { explainConnect, explainUnmatched, foreignMethodsOf, methodsOf } from './unknownRoute.ts';
import { unverifiedSender } from './unverifiedSender.ts';
import { requirePathParts, urlOptions } from './urlOptions.ts';
import { splitUrlToken } from './urlToken.ts';

/** Milliseconds for which an idle connection is kept open. */
const keepAliveMs = 72_000;
const headBytesMax = limits.requestHeadBytesMax;

export interface HttpServer {
  /** Starts to listen; port 0 picks a free port. Resolves with `http://host:port`. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>;
  /** From now on the service reports that it is not ready, and every answer closes its connection. Calls are still answered. */
  beginDrain(): void;
  /** Stops accepting connections. Resolves when the last call has been answered. */
  close(): Promise<void>;
  /** Destroys the connections that `close` still waits for. */
  destroyConnections(): void;
}

/** Creates the public listener. Every failed request, even a malformed one, gets a problem document (problem.ts). */
export function createHttpServer(services: HttpServices, settings: HttpSettings): HttpServer {
  let isDraining = false;
  const bodies = new BodyBudget(Math.max(settings.bodyBytesHeldMax, 4 * settings.ingestBodyBytesMax));
  const answers = new AnswerBudget(settings.answerBytesHeldMax);
  const awaitedBodies = new AwaitedBodies();
  const connections = openConnections(services, settings);
  const cors = new Cors(settings.corsOrigins, settings.headerPrefix);
  const fixedHeaders = everyAnswer(settings.headerPrefix);
  const sentOnce = singularHeaders(settings.headerPrefix);
  const { requestsPerMinute } = settings;
  const commonRate = requestsPerMinute === 0 ? null : { requests: requestsPerMinute, seconds: 60 };
  const rates = new RequestRates(commonRate, services.requestCounter);
  const callers = new Callers();
  const turns = new RequestTurns(services.turns, callers.of.bind(callers));
  const admission = new Admission(services, rates, callers, settings);
  const heads = new RequestHeads(settings.headerPrefix, services.webhooks.headers);
  const repeatedCalls = new RepeatedCalls(
    { ...settings, bytesMax: settings.repeatedBytesMax },
    {
      heads,
      rates,
      clock: services.clock,
      randomness: services.randomness,
      // Answers say when the store is away, so none is given again meanwhile.
      recognise: (hash, nowMicros) =>
        services.storeContact().isAway ? undefined : services.recognise(hash, nowMicros),
    },
  );
  services.whenResultsDropped(() => {
    repeatedCalls.forgetAll();
  });
  const repeatedAnswers = {
    calls: repeatedCalls,
    answers,
    observe: services.observe,
    answerIdleMsMax: settings.answerIdleMsMax,
  };
  const drainingServices: HttpServices = {
    ...services,
    checkReady: async () => {
      if (isDraining)
        throw new ServiceError(
          'service.draining',
          'The service is shutting down. Call another node, or call again later.',
        );
      await services.checkReady();
    },
  };
  const serverOptions = {
    maxHeaderSize: headBytesMax,
    // A missing Host is refused below, with a problem document.
    requireHostHeader: false,
    // Must not be larger than requestTimeout, because Node would swap the two.
    headersTimeout: Math.min(60_000, settings.requestTimeoutMs),
    requestTimeout: settings.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(30_000, settings.requestTimeoutMs),
  };
  const app = Fastify({
    // The router would take the target of `OPTIONS *` for the root.
    rewriteUrl: ({ url = '/' }) => (url === '*' ? '/*' : url),
    logger: false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id'], services.clock, services.randomness),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // The server that the framework would make, except that repeated calls are answered before the framework sees them.
    serverFactory: (handle) => {
      const answer = (request: IncomingMessage, response: ServerResponse) => {
        // The caller disconnected while the request waited for its turn.
        if (response.destroyed) return;
        heads.read(request);
        if (!isDraining && answerRepeated(request, response, repeatedAnswers)) return;
        handle(request, response);
      };
      const server = createServer(serverOptions, (request, response) => {
        connections.requestBegan(request, response);
        // A pipelined request waits until the answer before it was sent. Otherwise a client that does not read could
        // make the service hold one answer for each request in a packet.
        const begin = () => turns.take(request, () => answer(request, response));
        if (response.socket === null) response.once('socket', () => process.nextTick(begin));
        else begin();
      });
      // By default Node silently drops header lines above a limit. `RequestHeads` refuses such requests instead.
      server.maxHeadersCount = 0;
      server.keepAliveTimeout = keepAliveMs;
      return server;
    },
    // The request line already bounds path segments, and a name that is too long is an unknown endpoint.
    routerOptions: { maxParamLength: headBytesMax, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => {
      // No hooks run for these errors.
      begin(request, reply);
      if (isDraining) reply.header('connection', 'close');
      void refuse(error, request, reply);
    },
    clientErrorHandler: (error, socket) => {
      if ('code' in error && error.code === 'ECONNRESET') {
        socket.destroy();
        return;
      }
      const refusal = parserRefusal('code' in error ? error.code : undefined, headBytesMax);
      const graceMs = refusal.code === 'request.timeout' ? settings.requestTimeoutMs : null;
      connections.refuseInTurn(socket, graceMs, () => {
        const requestId = requestIdOf(undefined, services.clock, services.randomness);
        answerRawSocket(socket, refusal, requestId, fixedHeaders, settings.answerIdleMsMax);
      });
    },
  });
  // RFC 9110 lets a server ignore an unknown expectation. Node's own refusal has no body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('checkContinue', (request, response) => {
    awaitedBodies.add(request, response);
    app.server.emit('request', request, response);
  });
  // Without a listener, Node would close the connection of a CONNECT request without an answer.
  app.server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const { error, headers } = explainConnect(allRoutes);
    // Nothing else handles this socket's errors any more. Without reading, it would never notice that the client left.
    socket.on('error', () => socket.destroy());
    socket.resume();
    connections.refuseInTurn(socket, null, () => {
      const requestId = requestIdOf(request.headers['x-request-id'], services.clock, services.randomness);
      answerRawSocket(socket, error, requestId, { ...fixedHeaders, ...headers }, settings.answerIdleMsMax);
    });
  });

  app.server.on('connection', (socket) => connections.opened(socket));

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

  app.decorateRequest('life', null);
  // Hooks that await nothing use callbacks, because every call would pay for the promises (decision 33).
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    const refusal = heads.refusalOf(request.raw) ?? transferCodingRefusal(request.raw);
    // A proxy may see another end of this body, so nothing after it may be read as a request.
    if (refusal !== undefined) reply.header('connection', 'close');
    const wrong = refusal ?? malformation(request);
    hideMalformedType(request);
    // Must come before the framework checks the Content-Type, for which it has its own rules for some methods.
    if (wrong === undefined && request.routeOptions.config?.operation === undefined) answerUnmatched(request, reply);
    else done(wrong);
  });
  // In `onSend`, so that calls that began before the drain also close their connection.
  app.addHook('onSend', (request, reply, payload, done) => {
    const send = (encoded: unknown, coded: CodedBody | null = null) => {
      remember(request, coded);
      if (isDraining) reply.header('connection', 'close');
      // From here on only the client can be slow: end the connection if it stops reading.
      if (request.life?.answer?.isStream !== true)
        reply.raw.setTimeout(settings.answerIdleMsMax, () => reply.raw.destroy());
      done(null, encoded);
    };
    if (request.headers['accept-encoding'] === undefined) send(payload);
    else
      encode(request, reply, payload).then(
        (coded) => (coded === null ? send(payload) : send(coded.bytes, coded)),
        done,
      );
  });
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply));
  app.setNotFoundHandler(answerUnmatched);
  for (const route of allRoutes) register(app, route);
  for (const url of new Set(allRoutes.map(({ path }) => path))) {
    const method = url.includes(':') ? [] : [...foreignMethodsOf(url, allRoutes)];
    if (method.length > 0) app.route({ method, url, handler: answerUnmatched });
  }

  /** Answers a path or a method that no route has. */
  function answerUnmatched(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const [path = ''] = (request.raw.url ?? '').split('?');
    const methods = methodsOf(path, allRoutes);
    if (request.method === 'OPTIONS' && methods.length > 0) {
      const headers = { allow: methods.join(', '), ...cors.preflightHeaders(request.headers, methods) };
      return reply.code(204).headers(headers).send();
    }
    const { error, headers } = explainUnmatched(request.method, path, allRoutes);
    reply.headers(headers);
    return refuse(error, request, reply);
  }

  /** Sets what every answer has, and observes the end of the request. */
  function begin(request: FastifyRequest, reply: FastifyReply): void {
    const waitedMs = turns.waitedMs(request.raw);
    const startMs = performance.now() - waitedMs;
    reply.header('x-request-id', request.id);
    reply.headers({ ...fixedHeaders, ...cors.answerHeaders(request.headers) });
    const abort = new AbortController();
    const times = new StageTimes(() => performance.now());
    times.waitedForTurn(waitedMs);
    const trace = traceParent(request.headers.traceparent);
    const life: RequestLife = { abort, times, startMs, trace, token: null, rawQuery: '', answer: null };
    request.life = life;
    // 'finish' also fires if the connection breaks while the last write is still queued, so the socket is checked too.
    let isComplete = false;
    const { socket } = request.raw;
    reply.raw.once('finish', () => {
      isComplete = !socket.destroyed;
    });
    reply.raw.once('close', () => {
      life.bodyShare?.release();
      if (!isComplete) abort.abort(new ServiceError('query.cancelled', 'The caller closed the connection.'));
      // A stream that failed has the status of its beginning, and may have broken the connection itself.
      const failure = life.facts?.failure ?? null;
      const errorCode = failure?.code ?? (isComplete ? life.errorCode : 'query.cancelled');
      if (failure !== null && failure.cause !== undefined) observeFailure(request, failure);
      const call = callReport(life);
      services.observe({
        kind: 'request.completed',
        requestId: request.id,
        route: request.routeOptions?.config?.operation ?? 'unmatched',
        status: isComplete || failure !== null ? reply.raw.statusCode : errorCatalogue['query.cancelled'].status,
        elapsedMs: performance.now() - startMs,
        stages: times.since(startMs),
        ...(errorCode === undefined ? {} : { errorCode }),
        ...(trace === undefined ? {} : { trace }),
        ...(call === undefined ? {} : { call }),
      });
    });
  }

  /** The error of a request that is malformed for every route. */
  function malformation(request: FastifyRequest): Error | undefined {
    try {
      refuseRepeatedHeaders(request.raw.rawHeaders, sentOnce);
    } catch (error) {
      return asServiceError(error);
    }
    if (request.headers.host !== undefined || request.raw.httpVersion !== '1.1') return undefined;
    return new ServiceError('request.malformed', 'The request has no Host header, which HTTP/1.1 requires.');
  }

  function refuse(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const error = fastifyRefusal(thrown) ?? asServiceError(thrown);
    const { life } = request;
    if (life !== null) {
      life.errorCode = error.code;
      life.answer = null;
      life.answerShare?.hold(0);
      if (isRefusal(error, life.token)) {
        services.refusedCalls.add({
          atMicros: services.clock.nowMicros(),
          actor: life.token?.publicId ?? life.claimedId ?? null,
          operation: request.routeOptions.config?.operation ?? 'unmatched',
          code: error.code,
        });
      }
    }
    if (error.cause !== undefined || error.status === 500) observeFailure(request, error);
    const render = request.routeOptions.config?.renderError;
    const { status, headers, body } =
      render?.(error, request.id, request.raw.headers) ?? renderProblem(error, request.id);
    return reply
      .code(status)
      .headers({ ...headers, ...timing(request) })
      .send(Buffer.from(body));
  }

  function observeFailure({ id, life }: FastifyRequest, { code, cause }: ServiceError): void {
    const trace = life?.trace === undefined ? {} : { trace: life.trace };
    services.observe({ kind: 'request.failed', requestId: id, code, cause, ...trace });
  }

  /** The header `Server-Timing`, if the request went through any stage. */
  function timing(request: FastifyRequest): Readonly<Record<string, string>> {
    const stages = request.life?.times.toHeader() ?? '';
    return stages === '' ? {} : { 'server-timing': stages };
  }

  /**
   * Encodes the body in a coding that the client accepts; null without a body to encode. This includes HEAD, which
   * reports the length that a GET has.
   */
  async function encode(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<CodedBody | null> {
    if (!Buffer.isBuffer(payload) && typeof payload !== 'string') return null;
    const accepted = acceptedCodings(request.headers['accept-encoding']);
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const isCompressed = reply.getHeader('content-type') === resultFormat('parquet').mediaType;
    const coded = await encodeBody(body, accepted, request.life?.answer?.endBytes ?? 0, turnsOf(request), isCompressed);
    if (coded.coding !== 'identity') reply.header('content-encoding', coded.coding);
    return coded;
  }

  /** Remembers an answer that can be repeated, with its headers except those that depend on the time. */
  function remember({ raw, headers, life }: FastifyRequest, coded: CodedBody | null): void {
    const { token = null, answer = null } = life ?? {};
    if (token === null || answer?.repeatable === undefined || (answer.status !== 200 && answer.status !== 304)) return;
    const open = coded?.open ?? null;
    if (coded !== null && coded.coding !== 'identity' && open === null) return;
    const { repeatable: hit, status } = answer;
    const all = { ...fixedHeaders, ...cors.answerHeaders(headers), ...answer.headers };
    const steady = Object.fromEntries(Object.entries(all).filter(([name]) => !hitAgeHeaders.has(name)));
    const coding = open === null ? {} : { 'content-encoding': open.coding };
    repeatedCalls.remember(raw, token, { status, headers: { ...steady, ...coding }, open, hit });
  }

  function register(server: FastifyInstance, route: Route): void {
    server.route({
      method: route.methods.includes('GET') ? [...route.methods, 'HEAD'] : [...route.methods],
      url: route.path,
      config: {
        operation: route.operation,
        ...(route.renderError === undefined ? {} : { renderError: route.renderError }),
      },
      // Before the body is read, so that callers without a token cannot make the service hold one.
      onRequest: async (request, reply) => {
        const life = lifeOf(request);
        const { rawQuery, token } = splitUrlToken(request.raw.url ?? '', settings.tokenInUrl);
        life.rawQuery = rawQuery;
        if (route.credential === 'signature') {
          route.requireSigners(services);
          life.sender = unverifiedSender(request.raw, settings.trustedProxies);
        } else {
          await admission.admit(route, request.raw, life, token, (headers) => void reply.headers(headers));
        }
        refuseUnacceptable(route, request.headers);
      },
      handler: async (request, reply) => {
        const answer = await handle(route, request, reply).finally(() => {
          lifeOf(request).answeredMs = performance.now();
        });
        const life = lifeOf(request);
        shareOf(life, reply).hold(heldBytes(answer.body));
        life.answer = answer;
        // A browser must not show an answer again to whoever signs in next.
        const storing = life.session === undefined ? {} : unstored;
        return reply
          .code(answer.status)
          .headers({ ...answer.headers, ...storing, ...timing(request) })
          .send(answer.body);
      },
    });
  }

  function turnsOf({ life }: FastifyRequest): Turns {
    return services.turns.of(life?.token?.publicId ?? life?.sender ?? '');
  }

  function shareOf(life: RequestLife, reply: FastifyReply): AnswerShare {
    life.answerShare ??= answers.open(life.token?.publicId ?? '', reply.raw);
    return life.answerShare;
  }

  async function handle(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<RouteAnswer> {
    const life = lifeOf(request);
    const pathParts = request.params as Readonly<Record<string, string>>;
    if (route.takesBlankParts !== true) requirePathParts(pathParts);
    const options = urlOptions(life.rawQuery, route.urlParameters);
    const call: RouteCall = {
      requestId: request.id,
      method: request.method === 'HEAD' ? 'GET' : (request.method as HttpMethod),
      headers: request.raw.headers,
      rawQuery: life.rawQuery,
      options,
      pathParts,
      body: request.body === undefined ? Buffer.alloc(0) : await bodyOf(route, request, life),
      signal: life.abort.signal,
      times: life.times,
      tell: (facts) => {
        if (facts === null) delete life.facts;
        else life.facts = facts;
      },
      received: request.raw,
      hold: (bytes) => {
        shareOf(life, reply).hold(bytes);
      },
      turns: turnsOf(request),
      admit: (token) => {
        life.token = token;
        admission.use(token, request.raw, (headers) => void reply.headers(headers));
      },
      authenticateAgain: () => {
        const { token } = splitUrlToken(request.raw.url ?? '', settings.tokenInUrl);
        return admission.again(route, request.raw, token);
      },
      services: drainingServices,
      settings,
    };
    if (route.credential === 'none' || route.credential === 'body') return route.handle(call);
    if (route.credential === 'session') {
      if (life.session === undefined) throw new Error('a route that needs a session was reached without one');
      return route.handle(call, life.session);
    }
    if (route.credential === 'signature') {
      const { signer, signed } = await route.verify(call);
      life.token = signer;
      admission.use(life.token, request.raw, (headers) => void reply.headers(headers));
      return route.handle(call, life.token, signed);
    }
    if (life.token === null) throw new Error('a route that needs a token was reached without one');
    return route.handle(call, life.token);
  }

  async function bodyOf(route: Route, request: FastifyRequest, life: RequestLife): Promise<Buffer> {
    if (route.credential === 'none') throw new Error('a route without a credential has read a body');
    const share =
      life.token === null && life.sender !== undefined
        ? bodies.openUnverified(life.sender, route.codeWhenFull)
        : bodies.open(life.token?.publicId ?? '', route.codeWhenFull);
    life.bodyShare = share;
    const bytesMax = route.bodyBytesMax(settings);
    awaitedBodies.ask(request.raw, bytesMax);
    const body = await readBody(request.raw, bytesMax, share, turnsOf(request));
    if (route.takesBody !== true) refuseBody(body);
    return body;
  }

  return {
    listen: ({ host, port }) => app.listen({ host, port }),
    beginDrain: () => {
      isDraining = true;
    },
    close: () => {
      isDraining = true;
      const closed = app.close();
      connections.destroyIdle();
      return closed;
    },
    destroyConnections: () => app.server.closeAllConnections(),
  };
}

const unstored = { 'cache-control': 'no-store' } as const;

/** A stream is read as fast as the client takes it. */
function heldBytes(body: RouteAnswer['body']): number {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body.length : 0;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string;
    renderError?: NonNullable<Route['renderError']>;
  }
}
