import { expect } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { systemRandomness } from '../../src/core/ids.ts';
import type { Timer } from '../../src/core/timer.ts';
import { compileStored } from '../../src/googlesql/compile.ts';
import { shareableTail } from '../../src/googlesql/plan/sharedTail.ts';
import { tailedQuery } from '../../src/googlesql/plan/tailQuery.ts';
import { noFacts } from '../../src/invoke/callFacts.ts';
import { CursorKeys } from '../../src/invoke/pages/cursorKeys.ts';
import { MemoryPageSecrets } from '../../src/invoke/pages/pages.fixture.ts';
import { QueryQueue } from '../../src/invoke/queryQueue.ts';
import { RunningQueries } from '../../src/invoke/runningQueries.ts';
import { TailIds } from '../../src/invoke/tail/tailIds.ts';
import type { TailPlan } from '../../src/invoke/tail/tailPlan.ts';
import { Tails } from '../../src/invoke/tail/tails.ts';
import type { QueryEngine } from '../../src/ports/queryEngine.ts';
import type { StorageEngine } from '../../src/ports/storageEngine.ts';
import { createRedactor } from '../../src/redact/createRedactor.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import { MemoryTokenRuns } from '../../src/stores/memory/memoryTokenRuns.ts';
import { redactHere } from './redactHere.ts';
import type { TailPart } from './tailing.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

/** Ticks are quick, and no deadline comes. */
const timer: Timer = {
  nowMs: () => 0,
  after: (delayMs, action) => {
    if (delayMs !== 250) return () => undefined;
    const handle = setTimeout(action, 5);
    return () => clearTimeout(handle);
  },
};

/** Opens tails over engines, all with the same secrets of IDs, as nodes have. */
export class EngineTails {
  readonly #secrets = new MemoryPageSecrets();
  readonly #clock: () => Clock;

  constructor(clock: () => Clock) {
    this.#clock = clock;
  }

  /** The tails of a process with this engine. */
  over(storage: StorageEngine, engine: Pick<QueryEngine, 'run' | 'explain'> = storage.queries): Tails {
    const clock = this.#clock();
    const observe = () => undefined;
    const randomness = systemRandomness;
    return new Tails({
      engine,
      engineEvents: storage,
      queue: new QueryQueue({ concurrency: 2, waitingMax: 10, waitMsMax: 1 }, timer, new MemoryTokenRuns()),
      running: new RunningQueries({ clock, randomness, observe, readMs: () => 0 }),
      redactor: createRedactor(),
      redactingThreads: redactHere(createRedactor()),
      ids: new TailIds(new CursorKeys(this.#secrets, clock, randomness, 'tails'), randomness),
      resultBytesMax: 2 ** 24,
      timer,
      clock,
      observe,
    });
  }
}

export function tailPlan(
  text: string,
  { limits, barrier }: StorageEngine,
  projects: readonly string[] | null = null,
  isRedacted = false,
): TailPlan {
  const query = compileStored(text, { sources, parameters: new Map(), limits });
  const tailed = tailedQuery(query);
  if ('construct' in tailed) throw new Error(tailed.construct);
  const redaction = isRedacted ? (barrier ?? null) : null;
  return {
    key: JSON.stringify([text, projects, isRedacted]),
    endpoint: { id: 'e', name: 'e' },
    query,
    tailed,
    shareable: shareableTail(query, new Map()),
    request: { parameters: new Map(), projects, redaction, profile: 'plain' },
    wakes: null,
    isRedacted,
    isRedactedAtScan: isRedacted,
    runner: { id: 't', concurrencyMax: null },
    requestIds: ['r'],
    timeoutMs: 60_000,
  };
}

/** A tail that connects again after its last ID. */
export class Followed {
  readonly #plan: TailPlan;
  readonly #toRow: (data: Readonly<Record<string, unknown>>) => string;
  readonly seen: string[] = [];
  /** Events other than rows, starts and marks. */
  readonly announced: TailPart[] = [];
  lastEventId: string | null = null;
  #leave = () => {};

  constructor(plan: TailPlan, toRow = ({ v }: Readonly<Record<string, unknown>>) => String(v)) {
    this.#plan = plan;
    this.#toRow = toRow;
  }

  async connect(tails: Tails): Promise<void> {
    const stream = await tails.open({
      plan: this.#plan,
      format: 'ndjson',
      lastEventId: this.lastEventId,
      start: {},
      facts: noFacts(),
      signal: new AbortController().signal,
      tokenId: `${tails.openCount}`,
      placeOwner: `${tails.openCount}`,
      requireRights: async () => undefined,
    });
    let rest = '';
    let isLeft = false;
    stream.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of isLeft ? [] : lines) {
        const part = JSON.parse(line) as TailPart;
        this.lastEventId = part.id ?? this.lastEventId;
        if (part.event === 'row') this.seen.push(this.#toRow(part.data));
        else if (part.event !== 'start' && part.event !== 'mark') this.announced.push(part);
      }
    });
    this.#leave = () => {
      isLeft = true;
      stream.destroy();
    };
    await expect.poll(() => this.lastEventId).not.toBeNull();
  }

  leave(): void {
    this.#leave();
  }
}
