import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { token } from '../benchedService.ts';
import type { Question, Request } from './questions.ts';
import type { Batch, Step } from './schedule.ts';
import type { SentEvents } from './sentEvents.ts';
import type { Side } from './side.ts';

/**
 * While this many requests wait for their answers, the time of the day stands still. So on a busy machine, or for a slow side,
 * the day takes longer, with the same steps in the same order. Logmill runs as many queries at a time, and the route in front
 * of PostgreSQL has as many connections.
 */
const waitingMax = 8;
/** How long a refused request waits until it is sent again. */
const refusedMs = 200;
const agent = new Agent({ keepAlive: true });

export interface Answer {
  readonly body: Buffer;
  /** Of `Cache-Status`; null if there is none. */
  readonly cacheStatus: string | null;
}

/** What a side did with the steps of a section. */
export interface Replayed {
  /** How long the section took, milliseconds. */
  readonly tookMs: number;
  /** From the time at which a question was due to the last byte of its answer, milliseconds, by kind. */
  readonly askMs: Readonly<Record<Question['kind'], number[]>>;
  /** The same for the acknowledgement of a batch. */
  readonly acknowledgeMs: number[];
  /** Answers that the service repeated because nothing had changed. */
  readonly unchanged: number;
  /** Answers that were compared with the events sent. */
  readonly checked: number;
  /** Requests that were refused because of too much work, and sent again. */
  readonly refused: number;
}

/**
 * Replays the steps of a section at their times. Times count from when a step was due. Throws if an answer is not a 200, or
 * lacks an event that was acknowledged before it was asked for.
 */
export async function replay(side: Side, steps: readonly Step[], sent: SentEvents): Promise<Replayed> {
  const askMs: Replayed['askMs'] = { newest: [], day: [], week: [], sql: [], lql: [], search: [] };
  const acknowledgeMs: number[] = [];
  let unchanged = 0;
  let checked = 0;
  let refused = 0;
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const startedMs = performance.now();
  let stoodStillMs = 0;
  for (const step of steps) {
    if (failures.length > 0) break;
    while (running.size >= waitingMax) {
      const fromMs = performance.now();
      await Promise.race(running);
      stoodStillMs += performance.now() - fromMs;
    }
    const dueMs = startedMs + stoodStillMs + step.atMs;
    if (dueMs > performance.now()) await delay(dueMs - performance.now());
    const done = (step.kind === 'ask' ? answered(step.question, dueMs) : stored(step.batch, dueMs))
      .catch((cause: unknown) => void failures.push(cause))
      .finally(() => running.delete(done));
    running.add(done);
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  return { tookMs: performance.now() - startedMs, askMs, acknowledgeMs, unchanged, checked, refused };

  function countRefused(): void {
    refused++;
  }

  async function answered(question: Question, dueMs: number): Promise<void> {
    const known = sent.knownOf(question);
    const answer = await ask(side, question, countRefused);
    askMs[question.kind].push(performance.now() - dueMs);
    if (/detail=unchanged/i.test(answer.cacheStatus ?? '')) unchanged++;
    if (known === null) return;
    checked++;
    const lack = known.lackOf(answer.body);
    if (lack !== null) throw new Error(`a stale answer of ${side.name} to ${question.text}: ${lack}`);
  }

  async function stored(batch: Batch, dueMs: number): Promise<void> {
    sent.willSend(batch);
    const { body } = batch;
    await taken(side.url, { method: 'POST', path: side.eventsPath(batch.source), body }, countRefused);
    acknowledgeMs.push(performance.now() - dueMs);
    sent.acknowledged(batch);
  }
}

/** Asks until the question is not refused because of too much work. */
export async function ask(side: Side, question: Question, onRefused = (): void => undefined): Promise<Answer> {
  return await taken(side.url, side.requestOf(question), onRefused);
}

interface SentRequest extends Pick<Request, 'method' | 'path'> {
  readonly body: string | Buffer | null;
}

async function taken(url: string, sent: SentRequest, onRefused: () => void): Promise<Answer> {
  for (;;) {
    const answer = await call(url, sent);
    if (answer !== 'refused') return answer;
    onRefused();
    await delay(refusedMs);
  }
}

function call(url: string, { method, path, body }: SentRequest): Promise<Answer | 'refused'> {
  return new Promise((resolve, reject) => {
    const length =
      body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(`${url}${path}`, { method, agent, headers: { 'x-api-key': token, ...length } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        const received = Buffer.concat(parts);
        const { 'cache-status': status } = response.headers;
        if (response.statusCode === 200)
          resolve({ body: received, cacheStatus: typeof status === 'string' ? status : null });
        else if (response.statusCode === 503) resolve('refused');
        else reject(new Error(`${path} was answered with ${response.statusCode}: ${received.toString()}`));
      });
    });
    sent.once('error', reject);
    sent.end(body ?? undefined);
  });
}
