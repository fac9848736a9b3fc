import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandomness } from '../../../src/core/ids.ts';
import type { Timer } from '../../../src/core/timer.ts';
import { TestStorage } from '../../../src/engines/duckdb/storage.fixture.ts';
import { compileStored } from '../../../src/googlesql/compile.ts';
import { tailedQuery } from '../../../src/googlesql/plan/tailQuery.ts';
import { noFacts } from '../../../src/invoke/callFacts.ts';
import { CursorKeys } from '../../../src/invoke/pages/cursorKeys.ts';
import { MemoryPageSecrets } from '../../../src/invoke/pages/pages.fixture.ts';
import { QueryQueue } from '../../../src/invoke/queryQueue.ts';
import { RunningQueries } from '../../../src/invoke/runningQueries.ts';
import { TailIds } from '../../../src/invoke/tail/tailIds.ts';
import type { TailPlan } from '../../../src/invoke/tail/tailPlan.ts';
import { Tails } from '../../../src/invoke/tail/tails.ts';
import { createRedactor } from '../../../src/redact/createRedactor.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { MemoryTokenRuns } from '../../../src/stores/memory/memoryTokenRuns.ts';
import { redactHere } from '../../support/redactHere.ts';
import type { TailPart } from '../../support/tailing.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const sql = `select concat(event_message, ' ', item) as v
  from (select event_message, metadata from sources.pooler_logs union all select event_message, metadata from sources.rest_api_logs) as t
  cross join unnest(json_value_array(t.metadata.list)) as item
  where item != 'c'`;

/** Ticks are quick, and no deadline comes. */
const timer: Timer = {
  nowMs: () => 0,
  after: (delayMs, action) => {
    if (delayMs !== 250) return () => undefined;
    const handle = setTimeout(action, 5);
    return () => clearTimeout(handle);
  },
};

type Step = { readonly kind: 'append'; readonly events: number } | { readonly kind: (typeof others)[number] };
const others = ['seal', 'merge', 'kill', 'restart', 'reconnect'] as const;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('append' as const), events: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom(...others) }) },
);

describe('a tail', () => {
  let test: TestStorage;
  const secrets = new MemoryPageSecrets();
  beforeAll(async () => {
    // Files of a few events, which are merged.
    test = await TestStorage.open({ rotateEvents: 60, frozenFilesMax: 100, mergeFiles: 3 });
  });
  afterAll(async () => await test.close());

  const tailsNow = (): Tails => {
    const { clock, storage } = test;
    const observe = () => undefined;
    const randomness = systemRandomness;
    return new Tails({
      engine: storage.queries,
      engineEvents: storage,
      queue: new QueryQueue({ concurrency: 2, waitingMax: 10, waitMsMax: 1 }, timer, new MemoryTokenRuns()),
      running: new RunningQueries({ clock, randomness, observe, readMs: () => 0 }),
      redactor: createRedactor(),
      redactingThreads: redactHere(createRedactor()),
      ids: new TailIds(new CursorKeys(secrets, clock, randomness, 'tails')),
      resultBytesMax: 2 ** 24,
      timer,
      clock,
      observe,
    });
  };
  const planOf = (): TailPlan => {
    const query = compileStored(sql, { sources, parameters: new Map(), limits: test.storage.limits });
    const tailed = tailedQuery(query);
    if ('construct' in tailed) throw new Error(tailed.construct);
    return {
      key: sql,
      endpoint: { id: 'e', name: 'e' },
      query,
      tailed,
      request: { parameters: new Map(), projects: null, redaction: null, profile: 'plain' },
      wakes: null,
      isRedacted: false,
      isRedactedAtScan: false,
      runner: { id: 't', concurrencyMax: null },
      timeoutMs: 60_000,
    };
  };
  let events = 0;
  const append = async (source: string, count: number): Promise<readonly string[]> => {
    const messages = Array.from({ length: count }, () => `event ${events++}`);
    const hot = (sources.get(source)?.hotColumns ?? []).map(() => null);
    const stored = messages.map((eventMessage) => ({
      ...{ id: 'x', timestampMicros: test.clock.nowMicros(), project: 'p', eventMessage, hot, irregular: [] },
      metadata: '{"list":["a","b","c","d"]}',
    }));
    await test.storage.log.append({ source, events: stored, identity: null });
    return messages.flatMap((message) => ['a', 'b', 'd'].map((item) => `${message} ${item}`));
  };

  it('gives each row once and in order, whatever happens to engine, service and connection', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
        let tails = tailsNow();
        const expected: string[] = [];
        const seen: string[] = [];
        const announced: string[] = [];
        let lastEventId: string | null = null;
        const connect = async (): Promise<() => void> => {
          const stream = await tails.open({
            plan: planOf(),
            format: 'ndjson',
            lastEventId,
            start: {},
            facts: noFacts(),
            tokenId: 't',
            requireRights: async () => undefined,
          });
          let rest = '';
          let isLeft = false;
          stream.setEncoding('utf8').on('data', (text: string) => {
            const lines = `${rest}${text}`.split('\n');
            rest = lines.pop() ?? '';
            for (const line of isLeft ? [] : lines) {
              const { event, id, data } = JSON.parse(line) as TailPart;
              lastEventId = id ?? lastEventId;
              if (event === 'row') seen.push(String(data.v));
              else if (event !== 'start' && event !== 'mark') announced.push(event);
            }
          });
          return () => {
            isLeft = true;
            stream.destroy();
          };
        };
        let leave = await connect();
        await expect.poll(() => lastEventId).not.toBeNull();
        for (const { kind, ...more } of steps) {
          if (kind === 'append' && 'events' in more) {
            expected.push(...(await append(more.events % 2 === 0 ? 'pooler_logs' : 'rest_api_logs', more.events)));
          } else if (kind === 'seal') await test.storage.sealNow();
          else if (kind === 'merge') await test.storage.mergeNow();
          else if (kind === 'kill') await test.killEngine();
          else {
            leave();
            if (kind === 'restart') {
              await test.reopen();
              tails = tailsNow();
            }
            leave = await connect();
          }
        }
        await expect.poll(() => seen.length).toBeGreaterThanOrEqual(expected.length);
        leave();
        expect(announced).toEqual([]);
        expect(seen).toEqual(expected);
      }),
      { numRuns: 4 },
    );
  });
});
