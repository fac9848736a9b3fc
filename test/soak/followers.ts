import { setTimeout as delay } from 'node:timers/promises';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import type { TailPart } from '../support/tailing.ts';
import { type SoakSource, sources, type Tenant, tenants } from './soakBatch.ts';
import type { SoakRun } from './soakRun.ts';

const pauseMs = 300;
/** How long rows may take to come after the last fault and the last batch. */
const settleWithinMs = 120_000;

/** What a follower has received. */
class Followed {
  readonly tenant: Tenant;
  readonly source: SoakSource;
  lastId: string | null = null;
  readonly #run: SoakRun;
  readonly #messages = new Set<string>();
  readonly #rowsOf = new Map<string, number>();
  /** Batches of which rows may be missing; null before the tail began. */
  #earlier: ReadonlySet<string> | null = null;

  constructor(run: SoakRun, tenant: Tenant, source: SoakSource) {
    this.#run = run;
    this.tenant = tenant;
    this.source = source;
  }

  get name(): string {
    return `the tail of ${this.source} of ${this.tenant}`;
  }

  take({ event, id, data }: TailPart): void {
    if (event === 'start') this.#earlier ??= new Set(this.#run.ledger.states.keys());
    else if (event === 'row') this.#takeRow(String(data.event_message));
    else if (event === 'end') this.#run.countAs('tails', `ended with ${data.code}`);
    else if (event !== 'mark') this.#run.find(`${this.name} has a ${event}`, JSON.stringify(data));
    this.lastId = id ?? this.lastId;
  }

  #takeRow(message: string): void {
    const [tenant, batch = ''] = message.split('/');
    if (tenant !== this.tenant) this.#run.find(`${this.name} showed a row of another tenant`, message);
    if (this.#messages.has(message)) this.#run.find(`${this.name} showed a row twice`, message);
    this.#messages.add(message);
    this.#rowsOf.set(batch, (this.#rowsOf.get(batch) ?? 0) + 1);
  }

  /** Batches of which it has other rows than it must have, each with the reason. */
  wrong(): readonly string[] {
    return [...this.#run.ledger.states].flatMap(([name, { expected, state }]) => {
      if (expected.tenant !== this.tenant || expected.source !== this.source) return [];
      const rows = this.#rowsOf.get(name) ?? 0;
      const isWhole = rows === expected.events;
      const mayBeAbsent =
        rows === 0 && (state === 'refused' || state === 'unsettled' || this.#earlier?.has(name) !== false);
      const isRight = state !== 'sending' && (state === 'refused' ? rows === 0 : isWhole || mayBeAbsent);
      return isRight ? [] : [`${rows} of ${expected.events} rows of ${name}, ${state}`];
    });
  }
}

/**
 * Follows the rows of a tenant from one node to the next, with the last ID. Each row of a batch that is begun after the tail must
 * come once.
 */
export async function follow(run: SoakRun, follower: number, seed: string, isOver: () => boolean): Promise<void> {
  const random = new SeededRandom(`${seed} follower ${follower}`);
  const tenant = tenants[follower % tenants.length] ?? tenants[0];
  const followed = new Followed(run, tenant, random.pick(sources));
  let untilMs = Number.POSITIVE_INFINITY;
  const isDone = () => {
    if (!isOver()) return false;
    untilMs = Math.min(untilMs, performance.now() + settleWithinMs);
    return performance.now() > untilMs || followed.wrong().length === 0;
  };
  while (!isDone()) {
    await connect(run, followed, random.integer(2_000, 40_000), isDone);
    await delay(pauseMs);
  }
  const wrong = followed.wrong();
  if (wrong.length > 0) run.find(`${followed.name} has other rows than were stored`, wrong.join('; '));
}

/** Reads the tail of a node for a time, or until it ends. */
async function connect(run: SoakRun, followed: Followed, forMs: number, isDone: () => boolean): Promise<void> {
  const node = run.nextNode();
  const sentMs = performance.now();
  const leaving = new AbortController();
  const looking = setInterval(() => {
    if (performance.now() > sentMs + forMs || isDone()) leaving.abort();
  }, 250);
  const { tenant, source, lastId } = followed;
  const sql = `select event_message from ${source}`;
  const parameters = new URLSearchParams({ project: tenant, format: 'ndjson', sql });
  try {
    const response = await fetch(`${await node.address}/api/endpoints/tail/logs.all?${parameters}`, {
      headers: { 'x-api-key': run.tokens.query, ...(lastId === null ? {} : { 'last-event-id': lastId }) },
      signal: leaving.signal,
    });
    run.countAs('tails', `${response.status}`);
    if (response.status !== 200 || response.body === null) {
      const text = await response.text();
      const isExplained = response.status === 503 && run.disturbances.since(sentMs, node).size > 0;
      if (!isExplained) run.find(`${followed.name} did not begin`, text);
      return;
    }
    await read(response.body, followed);
  } catch {
    if (leaving.signal.aborted) return;
    run.countAs('tails', 'lost');
    if (!run.disturbances.since(sentMs, node).has('service-down'))
      run.find(`${followed.name} was lost`, 'without a fault');
  } finally {
    clearInterval(looking);
  }
}

async function read(body: ReadableStream<Uint8Array>, followed: Followed): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) followed.take(JSON.parse(line) as TailPart);
  }
}
