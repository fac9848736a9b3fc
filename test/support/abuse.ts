import { type ClientRequest, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SeededRandom } from '../../src/demo/seededRandom.ts';

export interface AbuseTarget {
  readonly url: string;
  /** Tokens with the scope query that misbehave. */
  readonly heavyTokens: readonly string[];
  /** A token with the scope query that makes one small call at a time. */
  readonly lightToken: string;
  readonly observeToken: string;
  /** A project that has rows. */
  readonly project: string;
}

export interface AbusePlan {
  readonly clients: number;
  readonly durationMs: number;
  readonly seed: number;
}

/** One call of the light token. */
export interface LightCall {
  /** Milliseconds since the abuse began. */
  readonly sinceMs: number;
  readonly elapsedMs: number;
  /** Its `Server-Timing`. */
  readonly stages: string;
}

const slowestCount = 5;

export interface AbuseReport {
  /** Answers to the misbehaving clients by kind of call, status and code. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Times of the light token, alone and during the abuse, milliseconds. */
  readonly aloneMs: readonly number[];
  readonly meanwhileMs: readonly number[];
  /** The slowest calls of the light token during the abuse, slowest first. */
  readonly slowest: readonly LightCall[];
  /** Status and code of answers to the light token that had no rows. */
  readonly lightFailures: readonly string[];
  /** Resident bytes of both processes together at each reading of `/metrics`. */
  readonly memoryBytes: readonly number[];
  /** Milliseconds from the end of the abuse, when its clients have gone, until the light token got rows. */
  readonly recoveredMs: number;
}

const numbers = 'unnest(generate_array(1, 100000))';

/** Calls by kind; `n` makes texts differ, so that nothing is shared between them. */
const calls: Readonly<Record<string, (n: number) => string>> = {
  stored: () => '',
  'the same query': () => 'select count(*) as n from edge_logs',
  'a new query': (n) => `select count(*) as n, ${n} as k from edge_logs`,
  'a cross product': (n) => `select count(*) as n from ${numbers} a, ${numbers} b where mod(a * b, 7) = ${n % 7}`,
  'a join with itself': () =>
    'select count(*) as n from edge_logs a, edge_logs b, edge_logs c where a.id || b.id < c.id',
  'a sort of a cross product': () =>
    'select a.id from edge_logs a, edge_logs b, edge_logs c order by md5(a.id || b.id || c.id)',
  growth: () => "select length(string_agg(repeat(event_message, 2000), '')) as n from edge_logs",
  'doubled texts': () =>
    `with t0 as (select event_message as m from edge_logs limit 1), ${Array.from({ length: 30 }, (_, i) => `t${i + 1} as (select concat(m, m) as m from t${i})`).join(', ')} select count(m) as n from t30`,
  'a deep text': () => `select ${'('.repeat(90)}1${')'.repeat(90)} as x`,
  'a text too deep': () => `select ${'('.repeat(5000)}1${')'.repeat(5000)} as x`,
  'no query': () => 'select select select',
  'a huge result': () =>
    `select a.event_message, repeat(b.event_message, 20) as m from edge_logs a, edge_logs b limit 1000`,
};

/** Statuses and codes that abuse may be answered with. Anything else is a defect. */
export const expectedOutcomes: ReadonlySet<string> = new Set([
  '200',
  '400 sql.data',
  '400 sql.syntax',
  '400 sql.too_complex',
  '429 query.held_back',
  '502 engine.failed',
  '503 query.overloaded',
  '503 engine.restarting',
  '504 query.timeout',
  '504 query.memory',
  'left',
]);

/** Misbehaves towards a service in parallel for the planned time, while a light token continues with small calls. */
export async function abuse(target: AbuseTarget, plan: AbusePlan): Promise<AbuseReport> {
  const light = new LightCaller(target);
  await light.callFor(() => false, Math.min(10_000, plan.durationMs / 4));
  const aloneMs = light.takeCalls().map(({ elapsedMs }) => elapsedMs);
  const outcomes: Record<string, number> = {};
  const beganMs = performance.now();
  const untilMs = beganMs + plan.durationMs;
  const isOver = () => performance.now() >= untilMs;
  const open = new Set<ClientRequest>();
  const clients = Array.from({ length: plan.clients }, async (_, index) => {
    const random = new SeededRandom(`${plan.seed} ${index}`);
    const token = target.heavyTokens[index % target.heavyTokens.length] ?? '';
    for (let n = index; !isOver(); n += plan.clients) {
      const [kind, sqlOf] = Object.entries(calls)[Math.floor(random.next() * Object.keys(calls).length)] ?? [
        '',
        () => '',
      ];
      const outcome = await misbehave(target, token, sqlOf(n), random.next(), open);
      const key = `${kind}: ${outcome}`;
      outcomes[key] = (outcomes[key] ?? 0) + 1;
    }
  });
  const memoryBytes: number[] = [];
  const watching = watchMemory(target, isOver, memoryBytes);
  await Promise.all([light.callFor(isOver, plan.durationMs), watching]);
  const meanwhile = light.takeCalls();
  const meanwhileMs = meanwhile.map(({ elapsedMs }) => elapsedMs);
  const slowest = meanwhile
    .map((call) => ({ ...call, sinceMs: call.sinceMs - beganMs }))
    .sort((a, b) => b.elapsedMs - a.elapsedMs)
    .slice(0, slowestCount);
  const endMs = performance.now();
  for (const request of open) request.destroy();
  await Promise.all(clients);
  await light.callUntilAnswered();
  const recoveredMs = performance.now() - endMs;
  memoryBytes.push(await memoryOf(target));
  return { outcomes, aloneMs, meanwhileMs, slowest, lightFailures: light.failures, memoryBytes, recoveredMs };
}

/** One call: read whole, abandoned in the middle, or read slowly and then abandoned. */
function misbehave(
  target: AbuseTarget,
  token: string,
  sql: string,
  manner: number,
  open: Set<ClientRequest>,
): Promise<string> {
  const query = new URLSearchParams({ project: target.project, ...(sql === '' ? {} : { sql }) });
  return new Promise((answered) => {
    let text = '';
    const resolve = (outcome: string) => {
      open.delete(request);
      answered(outcome);
    };
    const request = get(
      `${target.url}/api/endpoints/query/logs.all?${query}`,
      { headers: { 'x-api-key': token }, agent: false },
      (response) => {
        response.on('error', () => resolve('left'));
        if (manner > 0.9) {
          // A slow reader: reads nothing for a while, then disconnects.
          response.pause();
          setTimeout(() => {
            request.destroy();
            resolve('left');
          }, 1500);
          return;
        }
        const isProblem = response.statusCode !== 200;
        response.setEncoding('utf8').on('data', (chunk: string) => {
          if (isProblem) text += chunk;
        });
        response.on('end', () =>
          resolve(isProblem ? `${response.statusCode} ${String(JSON.parse(text).code)}` : String(response.statusCode)),
        );
      },
    );
    open.add(request);
    request.on('close', () => resolve('left'));
    request.on('error', (error) =>
      resolve('code' in error && error.code !== 'ECONNRESET' ? String(error.code) : 'left'),
    );
    if (manner >= 0.1) return;
    setTimeout(() => {
      request.destroy();
      resolve('left');
    }, 300);
  });
}

class LightCaller {
  readonly failures: string[] = [];
  readonly #target: AbuseTarget;
  /** `sinceMs` of the clock of the process. */
  #calls: LightCall[] = [];
  #count = 0;

  constructor(target: AbuseTarget) {
    this.#target = target;
  }

  async callFor(isOver: () => boolean, durationMs: number): Promise<void> {
    const untilMs = performance.now() + durationMs;
    while (!isOver() && performance.now() < untilMs) {
      await this.#call();
      await delay(50);
    }
  }

  async callUntilAnswered(): Promise<void> {
    while (!(await this.#call())) await delay(50);
  }

  takeCalls(): readonly LightCall[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }

  async #call(): Promise<boolean> {
    // A different text each time, so that no answer comes from memory.
    const query = new URLSearchParams({ project: this.#target.project, sql: `select ${++this.#count} as x` });
    const startMs = performance.now();
    const response = await fetch(`${this.#target.url}/api/endpoints/query/logs.all?${query}`, {
      headers: { 'x-api-key': this.#target.lightToken },
    });
    const text = await response.text();
    const elapsedMs = performance.now() - startMs;
    const stages = response.headers.get('server-timing') ?? '';
    this.#calls.push({ sinceMs: startMs, elapsedMs, stages });
    if (response.status === 200) return true;
    this.failures.push(`${response.status} ${String(JSON.parse(text).code)}`);
    return false;
  }
}

async function watchMemory(target: AbuseTarget, isOver: () => boolean, memoryBytes: number[]): Promise<void> {
  while (!isOver()) {
    memoryBytes.push(await memoryOf(target));
    await delay(250);
  }
}

async function memoryOf({ url, observeToken }: AbuseTarget): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { 'x-api-key': observeToken } });
  const text = await response.text();
  return [...text.matchAll(/^logmill_memory_bytes\{process="\w+"\} (\S+)$/gm)].reduce(
    (sum, [, bytes]) => sum + Number(bytes),
    0,
  );
}
