import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorCatalogue } from '../core/errorCatalogue.ts';
import type { Observation, Observe } from '../core/observation.ts';
import { bodyOf } from '../invoke/answerBody.ts';
import { thousandths } from '../invoke/stageTimes.ts';
import type { AnswerBudget } from './answerBudget.ts';
import { pushHitAge, pushUnchanged } from './cacheHeaders.ts';
import { closeBody } from './openBody.ts';
import type { RepeatedCalls, Repetition } from './repeatedCalls.ts';
import { queryEndpoint } from './routes/endpoints/query.ts';
import { traceParent } from './traceParent.ts';

export interface RepeatedAnswerServices {
  readonly calls: Pick<RepeatedCalls, 'find'>;
  readonly answers: AnswerBudget;
  readonly observe: Observe;
  /** Milliseconds after which a client that does not read its answer is disconnected. */
  readonly answerIdleMsMax: number;
}

/**
 * Answers a repeated request before the framework sees it, if the same answer can be given again. Returns whether it
 * did. If not, the request is untouched.
 */
export function answerRepeated(
  request: IncomingMessage,
  response: ServerResponse,
  { calls, answers, observe, answerIdleMsMax }: RepeatedAnswerServices,
): boolean {
  const startMs = performance.now();
  const repetition = calls.find(request);
  if (repetition === undefined) return false;
  const { requestId, bytes } = repetition;
  const { token, status, hit } = repetition.remembered;
  const body = status === 304 ? undefined : bodyFor(repetition);
  // The call is then answered like a first one, which refuses it.
  if (body !== undefined && !answers.hasRoom(token.publicId, body.length)) return false;
  const answeredMs = thousandths(performance.now() - startMs);
  response.writeHead(status, headersOf(repetition, body, answeredMs));
  if (body === undefined || request.method === 'HEAD') response.end();
  else response.end(body);

  const trace = traceParent(request.headers.traceparent);
  const ended = (isComplete: boolean) => {
    const { endpoint, isCallerQuery, cache, rowCount } = hit.facts;
    const stagesMs = { cache: answeredMs };
    const completed: Extract<Observation, { kind: 'request.completed' }> = {
      kind: 'request.completed',
      requestId,
      route: queryEndpoint.operation,
      status: isComplete ? status : errorCatalogue['query.cancelled'].status,
      elapsedMs: performance.now() - startMs,
      stages: [{ name: 'cache', startMs: 0, elapsedMs: answeredMs }],
      call: { endpoint, token: token.publicId, isCallerQuery, cache, rowCount, bytes, answeredMs, stagesMs },
    };
    const errorCode = isComplete ? {} : { errorCode: 'query.cancelled' };
    observe(isComplete && trace === undefined ? completed : { ...completed, ...errorCode, ...(trace && { trace }) });
  };
  const { socket } = request;
  // Usually the operating system has accepted the whole answer by now.
  if (response.socket === socket && socket.writableLength === 0) {
    ended(true);
    return true;
  }
  answers.open(token.publicId, response).hold(body?.length ?? 0);
  // From here on only the client can be slow: end the connection if it stops reading.
  response.setTimeout(answerIdleMsMax, () => response.destroy());
  let isComplete = false;
  response.once('finish', () => {
    isComplete = !socket.destroyed;
  });
  response.once('close', () => {
    ended(isComplete);
  });
  return true;
}

function headersOf(
  { remembered, shown, requestId, rateHeaders }: Repetition,
  body: Buffer | undefined,
  answeredMs: number,
): string[] {
  const { headers, hit } = remembered;
  const all = headers.slice();
  all.push('x-request-id', requestId, 'server-timing', `cache;dur=${answeredMs}`);
  if (hit.isExact) pushUnchanged(all);
  else pushHitAge(all, shown.ageSeconds, hit.freshSeconds);
  if (body !== undefined) all.push('content-length', String(body.length));
  for (const [name, value] of rateHeaders) all.push(name, value);
  return all;
}

function bodyFor({ remembered: { open, hit }, shown, end }: Repetition): Buffer {
  if (open === null) return bodyOf(shown.rows, hit.meta, end);
  return closeBody(open, Buffer.from(end, 'latin1'));
}
