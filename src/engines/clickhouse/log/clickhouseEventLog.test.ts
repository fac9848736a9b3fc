import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { everyLookEndsTurn } from '../../../../test/support/turnsTaken.ts';
import { ManualClock } from '../../../core/clock.ts';
import { Turns } from '../../../core/concurrency/turns.ts';
import type { Observation } from '../../../core/observation.ts';
import { ManualTimer } from '../../../core/timer.ts';
import type { Begun, CommitLedger, LedgerState } from '../../../ports/commitLedger.ts';
import type { EventBatch } from '../../../ports/eventLog.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import type { StoreDatabase } from '../../../stores/sql/schema.ts';
import { SqlCommitLedger } from '../../../stores/sql/sqlCommitLedger.ts';
import { openDatabase } from '../../../stores/sqlite/database.ts';
import { defaultClickHouseSettings } from '../settings.ts';
import { ClickHouseEventLog } from './clickhouseEventLog.ts';
import { CompleteCommits } from './completeCommits.ts';

/** A ledger whose answers can be lost, and that can be busy with others before it completes a commit. */
class FaultyLedger extends SqlCommitLedger {
  readonly lost = new Set<'begin' | 'abandon'>();
  beforeCompleting = async (): Promise<void> => {};

  override async begin(...asked: Parameters<CommitLedger['begin']>): Promise<Begun> {
    const begun = await super.begin(...asked);
    if (this.lost.has('begin')) throw new Error('the connection was lost');
    return begun;
  }

  override async abandon(...asked: Parameters<CommitLedger['abandon']>): Promise<void> {
    if (this.lost.has('abandon')) throw new Error('the connection was lost');
    await super.abandon(...asked);
  }

  override async complete(...asked: Parameters<CommitLedger['complete']>): Promise<LedgerState | null> {
    await this.beforeCompleting();
    return await super.complete(...asked);
  }
}

const clock = new ManualClock(1_700_000_000_000_000);
const batch = (key?: string): EventBatch => ({
  source: 'pooler_logs',
  identity: key === undefined ? null : { key, digest: 'd', answer: '{}' },
  events: [
    {
      id: 'x',
      timestampMicros: clock.nowMicros(),
      project: 'p',
      eventMessage: '',
      metadata: null,
      hot: [null, null, null, null],
      irregular: [],
    },
  ],
});

let folder: string;
let database: StoreDatabase;
let ledger: FaultyLedger;
let timer: ManualTimer;
let commits: CompleteCommits;
let log: ClickHouseEventLog;
let observations: Observation[];
/** Stores rows. */
let store: () => Promise<void>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logmill-log-'));
  database = await openDatabase(folder);
  ledger = new FaultyLedger(database);
  timer = new ManualTimer();
  observations = [];
  store = async () => {};
  commits = new CompleteCommits({
    ledger,
    timer,
    freshMs: 600_000,
    staleMs: 600_000,
    followRemovals: async () => {},
    wentBack: () => {},
  });
  await commits.refresh();
  log = new ClickHouseEventLog({
    sources: new Map(builtinSources.map((source) => [source.name, source])),
    ledger,
    commits,
    numbers: { take: async (take) => await take(commits.knownEnd) },
    watch: { expect: () => {} },
    store: async () => await store(),
    tableOf: (source) => source,
    shardCount: () => 1,
    node: 'a',
    isBehind: () => false,
    settings: defaultClickHouseSettings,
    clock,
    timer,
    turns: new Turns(everyLookEndsTurn()),
    observe: (each) => void observations.push(each),
  });
});
afterEach(async () => {
  await log.close();
  await database.destroy();
  await rm(folder, { recursive: true, force: true });
});

it('acknowledges a batch only when this node shows it, whatever it reads while the commit is completed', async () => {
  ledger.beforeCompleting = async () => {
    timer.advanceMs(1);
    await commits.refresh();
  };
  const { end } = await ledger.state();
  expect(await log.append(batch())).toEqual({ kind: 'stored' });
  expect(commits.state).toEqual({ end: end + 1, hidden: [], watermark: end + 1 });
});

it('does not keep a batch waiting until all those of another sender are encoded', async () => {
  const done: string[] = [];
  const [event] = batch().events;
  if (event === undefined) throw new Error('there is no event');
  // Several looks at the clock.
  const events = Array.from({ length: 8 }, () => ({ ...event, eventMessage: 'x'.repeat(20_000) }));
  const send = async (owner: string) => {
    await log.append({ ...batch(), events, owner });
    done.push(owner);
  };
  await Promise.all(['busy', 'busy', 'busy', 'busy', 'other'].map(send));
  expect(done[0]).toBe('other');
});

it('abandons a commit that was begun although the answer was lost', async () => {
  ledger.lost.add('begin');
  const { end } = await ledger.state();
  await expect(log.append(batch('k'))).rejects.toMatchObject({ code: 'ingest.overloaded' });
  // Another node cannot say whether the batch is stored, and no node shows what has higher numbers.
  expect([await ledger.recall({ key: 'k', digest: 'd' }), (await ledger.state()).watermark]).toEqual([
    { kind: 'pending' },
    end,
  ]);
  await log.abandonLost();
  expect([await ledger.recall({ key: 'k', digest: 'd' }), (await ledger.state()).watermark]).toEqual([null, end + 1]);
  expect(observations).toEqual([]);
});

it('abandons a commit later that could not be abandoned at first, and then nothing more', async () => {
  const { end } = await ledger.state();
  store = () => Promise.reject(new Error('no rows'));
  ledger.lost.add('abandon');
  await expect(log.append(batch())).rejects.toMatchObject({ code: 'engine.failed' });
  await log.abandonLost();
  expect([(await ledger.state()).watermark, observations.length]).toEqual([end, 2]);
  ledger.lost.clear();
  await log.abandonLost();
  expect((await ledger.state()).watermark).toBe(end + 1);
  ledger.lost.add('abandon');
  await log.abandonLost();
  expect(observations).toHaveLength(2);
});

it('abandons no commit that goes on, and does not wait for it', async () => {
  const goOn: (() => void)[] = [];
  const inserting = new Promise<void>((resolve) => {
    store = () => {
      resolve();
      return new Promise<void>((stored) => goOn.push(stored));
    };
  });
  const appended = log.append(batch());
  await inserting;
  // The node says that it lives only after that.
  await log.abandonLost();
  for (const each of goOn) each();
  expect(await appended).toEqual({ kind: 'stored' });
  // It was stored once.
  expect(goOn).toHaveLength(1);
});
