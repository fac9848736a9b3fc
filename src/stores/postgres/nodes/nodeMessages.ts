import type { Randomness } from '../../../core/ids.ts';
import { uuidV4 } from '../../../core/ids.ts';
import type { Observe } from '../../../core/observation.ts';
import type { Timer } from '../../../core/timer.ts';
import { answerMs } from './nodeTimes.ts';

/** The connection that receives notifications; `PostgresListener`. */
export interface ListensTo {
  on(channel: string, handler: (payload: string) => void): void;
}

export interface RunsStatements {
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
}

export interface NodeMessagesServices {
  readonly nodeId: string;
  readonly pool: RunsStatements;
  readonly listener: ListensTo;
  /** Name of the notifications; channels are shared by all schemas of a database. */
  readonly channel: string;
  readonly timer: Timer;
  readonly randomness: Randomness;
  readonly observe: Observe;
  /** The other nodes that are alive. */
  readonly others: () => readonly string[];
}

/** What a port needs of the messages. */
export type AsksNodes = Pick<NodeMessages, 'ask' | 'tell' | 'on'>;

/** Answers of the nodes that answered in time, by node. */
export interface NodeAnswers {
  readonly answers: ReadonlyMap<string, unknown>;
  /** Nodes that did not answer. */
  readonly silent: readonly string[];
}

/** Kinds of messages. */
export type MessageKind = 'requests' | 'slots' | 'purge' | 'queries.list' | 'queries.kill' | 'usage.flush';

/** Answers a message of another node with a JSON value. */
type Handler = (from: string, body: unknown) => unknown;

interface Envelope {
  readonly from: string;
  readonly id: string;
  readonly kind: MessageKind | 'answer';
  /** The node that the message is for; absent for all. */
  readonly to?: string;
  readonly wantsAnswer?: boolean;
  readonly body: unknown;
}

interface Asked {
  readonly waitsFor: Set<string>;
  readonly answers: Map<string, unknown>;
  readonly end: () => void;
}

/** Notifications have at most 8,000 bytes; a part has these characters, and its head besides. */
const partChars = 7_000;
/** Characters of one message; one that is longer is not sent. */
const messageCharsMax = 4_000_000;
/** Unfinished messages of other nodes that are kept. */
const unfinishedMax = 200;

/**
 * Messages between nodes, as notifications of the database: no node knows an address of another one. A message that is
 * sent while a node has no connection is lost, so a message only asks or hastens; what must hold is in tables.
 */
export class NodeMessages {
  readonly #services: NodeMessagesServices;
  readonly #handlers = new Map<MessageKind, Handler>();
  readonly #asked = new Map<string, Asked>();
  readonly #unfinished = new Map<string, string[]>();

  constructor(services: NodeMessagesServices) {
    this.#services = services;
    services.listener.on(services.channel, (payload) => this.#receive(payload));
  }

  /** Sets who answers messages of a kind. Call it once for each. */
  on(kind: MessageKind, handler: Handler): void {
    if (this.#handlers.has(kind)) throw new Error(`messages ${kind} have a handler already`);
    this.#handlers.set(kind, handler);
  }

  /** Sends a message that nobody answers. It may be lost. */
  tell(kind: MessageKind, body: unknown): void {
    this.#send({ from: this.#services.nodeId, id: this.#newId(), kind, body }).catch(() => undefined);
  }

  /** Asks the other nodes that are alive. Resolves when all have answered, or after `answerMs`. Never rejects. */
  async ask(kind: MessageKind, body: unknown, withinMs = answerMs): Promise<NodeAnswers> {
    const { nodeId, timer, others } = this.#services;
    const waitsFor = new Set(others());
    const answers = new Map<string, unknown>();
    if (waitsFor.size === 0) return { answers, silent: [] };
    const id = this.#newId();
    await new Promise<void>((resolve) => {
      const cancel = timer.after(withinMs, resolve);
      const end = () => {
        cancel();
        resolve();
      };
      this.#asked.set(id, { waitsFor, answers, end });
      // Without the database, no node can answer.
      this.#send({ from: nodeId, id, kind, wantsAnswer: true, body }).catch(end);
    });
    this.#asked.delete(id);
    const silent = [...waitsFor].sort();
    if (silent.length > 0) this.#services.observe({ kind: 'nodes.silent', request: kind, nodes: silent });
    return { answers, silent };
  }

  #newId(): string {
    return uuidV4(this.#services.randomness);
  }

  async #send(envelope: Envelope): Promise<void> {
    const coded = Buffer.from(JSON.stringify(envelope), 'utf8').toString('base64');
    if (coded.length > messageCharsMax) throw new Error(`a message ${envelope.kind} is too long for the other nodes`);
    const count = Math.ceil(coded.length / partChars);
    const id = this.#newId();
    const parts = Array.from(
      { length: count },
      (_, n) => `${id} ${n} ${count} ${coded.slice(n * partChars, (n + 1) * partChars)}`,
    );
    const { pool, channel } = this.#services;
    await pool.query('select pg_notify($1, part) from unnest($2::text[]) part', [channel, parts]);
  }

  #receive(payload: string): void {
    const [id = '', at = '', count = '', part = ''] = payload.split(' ');
    const coded = this.#completed(id, Number(at), Number(count), part);
    if (coded === undefined) return;
    try {
      this.#handle(JSON.parse(Buffer.from(coded, 'base64').toString('utf8')) as Envelope);
    } catch (cause) {
      this.#services.observe({ kind: 'warning', message: 'a message of another node cannot be read', cause });
    }
  }

  /** The whole text once all its parts have arrived. Parts of one message arrive in order. */
  #completed(id: string, at: number, count: number, part: string): string | undefined {
    if (count === 1) return part;
    const parts = at === 0 ? [] : this.#unfinished.get(id);
    if (parts === undefined || parts.length !== at) return undefined;
    parts.push(part);
    this.#unfinished.set(id, parts);
    if (parts.length < count) {
      const [oldest] = this.#unfinished.keys();
      if (this.#unfinished.size > unfinishedMax && oldest !== undefined) this.#unfinished.delete(oldest);
      return undefined;
    }
    this.#unfinished.delete(id);
    return parts.join('');
  }

  #handle(envelope: Envelope): void {
    const { nodeId } = this.#services;
    const { from, to, kind, id, body } = envelope;
    if (from === nodeId || (to !== undefined && to !== nodeId)) return;
    if (kind === 'answer') this.#answered(id, from, body);
    else void this.#answer(envelope, kind);
  }

  #answered(id: string, from: string, body: unknown): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    asked.answers.set(from, body);
    asked.waitsFor.delete(from);
    if (asked.waitsFor.size === 0) asked.end();
  }

  async #answer({ from, id, wantsAnswer, body }: Envelope, kind: MessageKind): Promise<void> {
    const { nodeId, observe } = this.#services;
    try {
      const answer = (await this.#handlers.get(kind)?.(from, body)) ?? null;
      if (wantsAnswer === true) await this.#send({ from: nodeId, to: from, id, kind: 'answer', body: answer });
    } catch (cause) {
      // The node that asked lists this one as silent.
      observe({ kind: 'warning', message: `the message ${kind} of another node could not be answered`, cause });
    }
  }
}
