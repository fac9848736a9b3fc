import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Answer } from './answer.ts';
import { decode } from './compression.ts';
import type { Engine, EngineAnswer } from './engine.ts';
import { asClickHouseError, refusal } from './exceptions.ts';
import { type Fault, Faults } from './faults.ts';
import { killQueries, type RunningQuery } from './killQuery.ts';
import { authenticate, isOn, type RequestParameters, readParameters } from './requestParameters.ts';
import { Sessions } from './sessions.ts';
import { prepareRun, type StatementRun, textOf } from './statementRun.ts';
import { readStatement } from './statementText.ts';
import type { User } from './users.ts';
import { Wire } from './wire.ts';

/** How often a result file is looked at for more bytes. */
const pollMs = 5;
/** Bytes of a statement that are kept for messages and KILL. */
const shownBytesMax = 100_000;

const cancelled = refusal(394, 'QUERY_WAS_CANCELLED', 'Query was cancelled');

/** ClickHouse's HTTP interface (port 8123) in front of an engine. */
export class HttpInterface {
  readonly #engine: Engine;
  readonly #running = new Map<string, RunningQuery>();
  readonly #sessions: Sessions;
  readonly faults = new Faults();
  /** Requests that were answered or broken off so far. */
  served = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#sessions = new Sessions(engine);
  }

  get running(): readonly RunningQuery[] {
    return [...this.#running.values()];
  }

  /** Answers one request; never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await wholeBody(request);
    // The client has gone before its request was complete.
    if (body === null) return;
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (answerSimple(url, request, body, response)) return;
    const answer = new Answer(new Wire(response), {
      engine: this.#engine,
      queryId: url.searchParams.get('query_id') ?? randomUUID(),
      accepted: isOn(url.searchParams.get('enable_http_compression'))
        ? request.headers['accept-encoding']?.toString()
        : undefined,
    });
    try {
      const user = authenticate(request, this.#engine.users);
      const parameters = readParameters(request);
      const decoded = await decode(this.#engine, randomUUID(), body, request.headers['content-encoding']);
      await this.#answer(answer, response, parameters, user, textOf(parameters.query, decoded));
    } catch (error) {
      // Without a way to say it, the client sees a connection that ends.
      await answer.sendError(asClickHouseError(error)).catch(() => response.socket?.resetAndDestroy());
    } finally {
      this.served += 1;
    }
  }

  async #answer(
    answer: Answer,
    response: ServerResponse,
    parameters: RequestParameters,
    user: User,
    text: Buffer,
  ): Promise<void> {
    const shown = text.toString('utf8', 0, shownBytesMax);
    const fault = this.faults.take(shown);
    if (await meetsBefore(fault, this.faults, response)) return;
    const beginning = readStatement(text.toString('latin1', 0, shownBytesMax));
    if (beginning.kind === 'kill') {
      const kill = ({ runId }: RunningQuery) => void this.#engine.kill(runId, cancelled);
      response.end(killQueries(beginning.text, user.name, this.running, kill));
      return;
    }
    const { session } = parameters;
    const key = session === null ? null : this.#sessions.enter(user.name, session);
    try {
      await this.#runStatement(answer, response, parameters, user, text, key, fault);
    } finally {
      if (session !== null && key !== null) this.#sessions.leave(key, session, parameters.closesSession);
    }
  }

  async #runStatement(
    answer: Answer,
    response: ServerResponse,
    parameters: RequestParameters,
    user: User,
    text: Buffer,
    sessionKey: string | null,
    fault: Fault | null,
  ): Promise<void> {
    const run = prepareRun(this.#engine, parameters, user, text, sessionKey);
    const queryId = parameters.queryId ?? run.id;
    if (this.running.some((each) => each.queryId === queryId && each.user === user.name)) {
      run.remove();
      throw refusal(216, 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING', `Query with id = ${queryId} is already running`);
    }
    const query = text.toString('utf8', 0, shownBytesMax);
    this.#running.set(run.id, { runId: run.id, queryId, user: user.name, query });
    const stop = this.#stopWithClient(run, response, parameters);
    try {
      const result = await this.#result(answer, run, parameters, fault);
      if (meetsAfter(fault, response)) return;
      answer.format = run.format;
      await answer.send(run.resultFile, result, parameters.waitsForEnd, fault);
    } finally {
      stop();
      this.#running.delete(run.id);
      run.remove();
    }
  }

  /** Runs a statement. Meanwhile sends its result once it is larger than the buffer, unless the request waits for the end. */
  async #result(
    answer: Answer,
    run: StatementRun,
    { waitsForEnd, bufferBytes, settings }: RequestParameters,
    fault: Fault | null,
  ): Promise<EngineAnswer> {
    const running = run.start();
    if (fault?.kind === 'crash') void this.#engine.restart();
    const sendsProgress = isOn(settings.get('send_progress_in_http_headers'));
    const streams = run.resultFile !== null && !waitsForEnd && answer.canStream && fault === null;
    if (!streams && !sendsProgress) return await running;
    const progressMs = Number(settings.get('http_headers_progress_interval_ms') ?? 100);
    const startMs = performance.now();
    let nextMs = progressMs;
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    const ended = running.then(over, over);
    while (!isOver) {
      await Promise.race([ended, delay(pollMs)]);
      const elapsedMs = performance.now() - startMs;
      if (sendsProgress && elapsedMs >= nextMs) {
        nextMs += progressMs;
        answer.sendProgress(elapsedMs);
      }
      if (streams) await sendFromBuffer(answer, run, bufferBytes);
    }
    // Also of a query that failed, whose last rows a server has sent as well.
    if (answer.isBodyBegun) await sendFromBuffer(answer, run, 0);
    return await running;
  }

  #stopWithClient(run: StatementRun, response: ServerResponse, { settings }: RequestParameters): () => void {
    if (run.statement.kind !== 'rows' || !isOn(settings.get('cancel_http_readonly_queries_on_client_close'))) {
      return () => {};
    }
    const stop = () => {
      this.#engine.kill(run.id, cancelled);
    };
    response.once('close', stop);
    return () => response.off('close', stop);
  }
}

/** Sends what a result file has gained, once it is larger than the buffer. */
async function sendFromBuffer(
  answer: Answer,
  { resultFile, format }: StatementRun,
  bufferBytes: number,
): Promise<void> {
  const size = resultFile !== null && existsSync(resultFile) ? statSync(resultFile).size : 0;
  if (resultFile === null || (!answer.isBodyBegun && size <= bufferBytes)) return;
  answer.format = format;
  await answer.sendGrown(resultFile, size);
}

async function wholeBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

/** Answers paths other than that of queries, and a request without a query. Returns whether it did. */
function answerSimple(url: URL, request: IncomingMessage, body: Buffer, response: ServerResponse): boolean {
  const isQuery = url.pathname === '/' || url.pathname === '/query';
  const isEmpty = !url.searchParams.has('query') && body.length === 0 && request.method === 'GET';
  if (['/ping', '/replicas_status'].includes(url.pathname) || (isQuery && isEmpty)) {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=UTF-8' }).end('Ok.\n');
    return true;
  }
  if (isQuery) return false;
  const hint = 'Use / or /ping for health checks.\nOr /replicas_status for more sophisticated health checks.\n';
  response.writeHead(404).end(`There is no handle ${url.pathname}\n\n${hint}`);
  return true;
}

/** Applies what a fault does before a statement. Returns whether the request is over. */
async function meetsBefore(fault: Fault | null, faults: Faults, response: ServerResponse): Promise<boolean> {
  switch (fault?.kind) {
    case 'slow':
      await delay(fault.ms);
      return false;
    case 'held':
      await faults.cleared();
      return false;
    case 'resetBefore':
      response.socket?.resetAndDestroy();
      return true;
    case 'status':
      response.writeHead(fault.status, { 'Content-Type': 'text/html' }).end('<html><body>by a proxy</body></html>');
      return true;
    case 'error':
      throw refusal(fault.code, fault.name, fault.message ?? 'an exception that the test has asked for');
    default:
      return false;
  }
}

/** Applies what a fault does instead of an answer. Returns whether it did. */
function meetsAfter(fault: Fault | null, response: ServerResponse): boolean {
  if (fault?.kind === 'resetAfter') response.socket?.resetAndDestroy();
  return fault?.kind === 'resetAfter' || fault?.kind === 'silent';
}
