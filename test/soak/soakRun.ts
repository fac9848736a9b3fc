import { type ErrorCode, errorCatalogue } from '../../src/core/errorCatalogue.ts';
import { type Disturbance, Disturbances } from './disturbances.ts';
import { Ledger, type Totals } from './ledger.ts';
import { type MachineStop, stoppedDuring } from './machineStops.ts';
import type { SoakedService } from './soakedService.ts';

/** Something that must not happen. */
export interface Finding {
  readonly atSeconds: number;
  readonly what: string;
  readonly detail: string;
}

/** Texts of tokens. */
export interface SoakTokens {
  /** All scopes. */
  readonly admin: string;
  readonly query: string;
  /** For queries that misbehave. */
  readonly heavy: string;
  readonly ingest: string;
  /** For attacks: one queries and sends events for its own project, one manages. */
  readonly hostile: string;
  readonly hostileManager: string;
  /** Restricted to one tenant each, by tenant; scopes query and ingest. */
  readonly restricted: ReadonlyMap<string, string>;
}

/** An answer, or null if the connection was lost before it was complete. */
export type Reply = {
  readonly status: number;
  readonly code: string;
  readonly text: string;
  /** The header `Server-Timing`. */
  readonly stages: string;
} | null;

/** Longer than any deadline of the service, queue and run together. */
const answeredWithinMs = 90_000;

/** Overload is documented for every call, and is answered before anything is done. */
const always: ReadonlySet<string> = new Set(['query.overloaded', 'ingest.overloaded', 'query.timeout']);

/** Error codes that are allowed while a fault is in force, apart from overload. */
const codesUnder: Readonly<Record<Disturbance, readonly ErrorCode[]>> = {
  'service-down': ['service.draining', 'service.starting', 'engine.restarting'],
  'engine-down': ['engine.restarting'],
  // A query that fills all memory or does not stop ends the engine, which is back within seconds.
  greedy: ['engine.restarting', 'query.memory'],
  'disk-full': serverErrors(),
  damage: serverErrors(),
  clock: [],
  'store-away': ['service.store_unavailable', 'engine.restarting'],
  'events-away': ['engine.restarting'],
};

/** 5xx codes that are not defects. */
function serverErrors(): readonly ErrorCode[] {
  return Object.entries(errorCatalogue).flatMap(([code, { status }]) => (status > 500 ? [code as ErrorCode] : []));
}

export interface SoakOptions {
  /** At least one. */
  readonly nodes: () => readonly SoakedService[];
  readonly say: (sentence: string) => void;
  /** Longest time that a call of others may take without a fault in force. */
  readonly slowMs?: number;
  /** Milliseconds for which a node may still answer without another node's change. */
  readonly spreadMs?: number;
  /** The same while the node cannot reach the store. */
  readonly staleMs?: number;
  /** Times in which the machine stopped. */
  readonly stops?: readonly MachineStop[];
}

/** Shared by the parts of a soak: the service, what it must hold, and the findings. */
export class SoakRun {
  readonly ledger = new Ledger();
  readonly disturbances = new Disturbances();
  readonly findings: Finding[] = [];
  /** Attacks that were running at some moment, the latest first. */
  readonly #attacks: { readonly name: string; toMs: number }[] = [];
  /** Milliseconds that the calls of others took without a fault in force, by kind. */
  readonly took = new Map<string, number[]>();
  /** Milliseconds measured for the report, by what was measured. */
  readonly measured = new Map<string, number[]>();
  /** Answers by kind of call, status and code. */
  readonly answers = new Map<string, number>();
  readonly startedMs = performance.now();
  readonly #options: SoakOptions;
  readonly #slowMs: number;
  #calls = 0;
  tokens: SoakTokens = {
    admin: '',
    query: '',
    heavy: '',
    ingest: '',
    hostile: '',
    hostileManager: '',
    restricted: new Map(),
  };

  constructor(options: SoakOptions) {
    this.#options = options;
    this.#slowMs = options.slowMs ?? Number.POSITIVE_INFINITY;
  }

  get nodes(): readonly SoakedService[] {
    return this.#options.nodes();
  }

  /** The service, or the first of several nodes. */
  get service(): SoakedService {
    const [first] = this.nodes;
    if (first === undefined) throw new Error('the service was not started');
    return first;
  }

  /** The next ready node in turn, as from a load balancer; any node if none is ready. */
  nextNode(): SoakedService {
    const ready = this.nodes.filter(({ isReady }) => isReady);
    const nodes = ready.length > 0 ? ready : this.nodes;
    return nodes[this.#calls++ % nodes.length] ?? this.service;
  }

  /** Age in milliseconds from which every node must show a change in a call that begins now. */
  spreadMs(): number {
    const { spreadMs = 0, staleMs = 0 } = this.#options;
    return spreadMs + (this.disturbances.since(performance.now()).has('store-away') ? staleMs : 0);
  }

  /** The least that a query that begins now must find. */
  least(tenant: string, source: string): Totals {
    return this.ledger.least(tenant, source, performance.now() - this.spreadMs());
  }

  /** What such a query would find if no file had been damaged. */
  acknowledged(tenant: string, source: string): Totals {
    return this.ledger.acknowledged(tenant, source, performance.now() - this.spreadMs());
  }

  find(what: string, detail: string): void {
    const atSeconds = Math.round((performance.now() - this.startedMs) / 1000);
    this.findings.push({ atSeconds, what, detail: detail.slice(0, 1500) });
    this.say(`FOUND: ${what}: ${detail.slice(0, 400)}`);
  }

  say(sentence: string): void {
    this.#options.say(`${String(Math.round((performance.now() - this.startedMs) / 1000)).padStart(5)} s  ${sentence}`);
  }

  measure(what: string, ms: number): void {
    addTo(this.measured, what, ms);
  }

  count(sort: string, reply: Reply): void {
    this.countAs(sort, reply === null ? 'lost' : `${reply.status}${reply.code === '' ? '' : ` ${reply.code}`}`);
  }

  countAs(sort: string, outcome: string): void {
    const key = `${sort}: ${outcome}`;
    this.answers.set(key, (this.answers.get(key) ?? 0) + 1);
  }

  /**
   * Sends a request, reads the whole answer and counts it. An answer that no fault explains is a finding, unless
   * `expected` has its status and code.
   */
  async send(
    sort: string,
    path: string,
    init: RequestInit,
    expected: readonly string[] = ['200'],
    node = this.nextNode(),
  ): Promise<Reply> {
    const sentMs = performance.now();
    const isLate = AbortSignal.timeout(answeredWithinMs);
    const signal = init.signal ? AbortSignal.any([init.signal, isLate]) : isLate;
    const reply = await this.#exchange(node, path, { ...init, signal });
    this.count(sort, reply);
    if (isLate.aborted && reply === null)
      this.find(`${sort} was not answered within ${answeredWithinMs / 1000} s`, path);
    const tookMs = performance.now() - sentMs;
    const wasLeft = signal.aborted;
    const outcome = reply === null ? 'lost' : `${reply.status}${reply.code === '' ? '' : ` ${reply.code}`}`;
    const under = this.disturbances.since(sentMs, node);
    if (!wasLeft && under.size === 0)
      this.#requireFast(sort, tookMs, sentMs, `${reply?.stages ?? 'no answer'} of ${path}`);
    if (expected.includes(outcome) || (wasLeft && reply === null)) return reply;
    const isExplained =
      reply === null
        ? under.has('service-down')
        : (always.has(reply.code) && (under.size > 0 || reply.code === 'ingest.overloaded')) ||
          [...under].some((each) => (codesUnder[each] as readonly string[]).includes(reply.code));
    if (!isExplained)
      this.find(
        `${sort} was answered with ${outcome}`,
        `under ${[...under].join(', ') || 'no fault'}: ${reply?.text ?? ''}`,
      );
    return reply;
  }

  /** Sends an attack. `told` lists statuses and codes; the code `*` matches any. */
  async attack(path: string, init: RequestInit, told: readonly string[]): Promise<void> {
    const sentMs = performance.now();
    const node = this.nextNode();
    const reply = await this.#exchange(node, path, {
      ...init,
      signal: init.signal ?? AbortSignal.timeout(answeredWithinMs),
    });
    this.count('attacks', reply);
    if (reply === null || told.includes(`${reply.status} *`)) return;
    const outcome = `${reply.status}${reply.code === '' ? '' : ` ${reply.code}`}`;
    if (told.includes(outcome) || this.disturbances.since(sentMs, node).size > 0) return;
    this.find(`an attack was answered with ${outcome}`, `${path.slice(0, 200)}: ${reply.text}`);
  }

  /** Records which attack is running during the work. */
  async under(name: string, work: () => Promise<unknown>): Promise<void> {
    const span = { name, toMs: Number.POSITIVE_INFINITY };
    this.#attacks.unshift(span);
    this.#attacks.length = Math.min(this.#attacks.length, 50);
    await work();
    span.toMs = performance.now();
  }

  #requireFast(sort: string, tookMs: number, sentMs: number, call: string): void {
    addTo(this.took, sort, tookMs);
    if (tookMs <= this.#slowMs) return;
    const beside = this.#attacks.filter(({ toMs }) => toMs >= sentMs).map(({ name }) => name);
    const stoppedMs = stoppedDuring(this.#options.stops ?? [], performance.timeOrigin + performance.now(), tookMs);
    const stopped = stoppedMs === 0 ? '' : ` (${Math.round(stoppedMs)} of it while a processor of the machine stopped)`;
    this.find(
      `${sort} took more than ${this.#slowMs} ms`,
      `${Math.round(tookMs)} ms${stopped} beside ${beside.join(', ') || 'nothing'}: ${call}`,
    );
  }

  async #exchange(node: SoakedService, path: string, init: RequestInit): Promise<Reply> {
    try {
      const url = await node.address;
      const response = await fetch(`${url}${path}`, init);
      const text = await response.text();
      const stages = response.headers.get('server-timing') ?? '';
      return { status: response.status, code: response.ok ? '' : codeOf(text), text, stages };
    } catch {
      return null;
    }
  }
}

function addTo(all: Map<string, number[]>, name: string, ms: number): void {
  const known = all.get(name) ?? [];
  all.set(name, known);
  known.push(ms);
}

/** The code of a problem document, also in the forms of OTLP. */
function codeOf(text: string): string {
  const named = /"(?:code|reason)":"([a-z_.]+)"/.exec(text)?.[1];
  return named ?? Object.keys(errorCatalogue).find((code) => text.includes(code)) ?? '';
}
