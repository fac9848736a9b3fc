import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../../core/clock.ts';
import { Turns } from '../../../core/concurrency/turns.ts';
import { ManualTimer } from '../../../core/timer.ts';
import type { CommitLedger, LedgerState } from '../../../ports/commitLedger.ts';
import type { EventBatch } from '../../../ports/eventLog.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import type { StoreDatabase } from '../../../stores/sql/schema.ts';
import { SqlCommitLedger } from '../../../stores/sql/sqlCommitLedger.ts';
import { openDatabase } from '../../../stores/sqlite/database.ts';
import { defaultClickHouseSettings } from '../settings.ts';
import { ClickHouseEventLog } from './clickhouseEventLog.ts';
import { CompleteCommits } from './completeCommits.ts';

/** A ledger that can be read before it completes a commit. */
class ReadLedger extends SqlCommitLedger {
  beforeCompleting = async (): Promise<void> => {};

  override async complete(...asked: Parameters<CommitLedger['complete']>): Promise<LedgerState | null> {
    await this.beforeCompleting();
    return await super.complete(...asked);
  }
}

const clock = new ManualClock(1_700_000_000_000_000);
const batch = (): EventBatch => ({
  source: 'pooler_logs',
  identity: null,
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
let ledger: ReadLedger;
let timer: ManualTimer;
let commits: CompleteCommits;
let log: ClickHouseEventLog;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logmill-log-'));
  database = await openDatabase(folder);
  ledger = new ReadLedger(database);
  timer = new ManualTimer();
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
    store: async () => {},
    tableOf: (source) => source,
    shardCount: () => 1,
    node: 'a',
    isBehind: () => false,
    settings: defaultClickHouseSettings,
    clock,
    timer,
    turns: new Turns(),
    observe: () => {},
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
