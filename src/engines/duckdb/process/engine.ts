import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { Mutex } from '../../../core/concurrency/mutex.ts';
import { systemTimer } from '../../../core/timer.ts';
import type { RedactionConfig } from '../../../redact/redactionConfig.ts';
import { quoteIdentifier } from '../sqlText.ts';
import { CancelledCall, RefusedFrame } from './callFailure.ts';
import { openInstance } from './instance.ts';
import { isInvalidated } from './invalidated.ts';
import type { CallName, EngineCalls, EngineOptions, LeftOut, RemovedCount } from './protocol.ts';
import { detach } from './read/attach.ts';
import { attachViews } from './read/attachViews.ts';
import { attachFetched } from './read/fetchedTable.ts';
import { parquetRows } from './read/parquetRows.ts';
import { RowFrames } from './read/rowFrames.ts';
import { type Job, Statements } from './read/statements.ts';
import { CutResult } from './read/wholeResult.ts';
import { RedactedValues } from './scripted/redactingFunctions.ts';
import { StatementSteps } from './scripted/scriptedFunction.ts';
import { SpillBound } from './spillBound.ts';
import { attachFile, createActive, readActive, refuseMissing } from './write/activeFiles.ts';
import { Appends } from './write/appends.ts';
import { copyRows } from './write/copyRows.ts';
import { countByProject } from './write/countByProject.ts';
import { ParquetFiles } from './write/parquetFiles.ts';
import { countRemoved, rewrite } from './write/rewrite.ts';
import { inputTables } from './write/rewriteInputs.ts';
import { verifyFile } from './write/verify.ts';

type Answer<Name extends CallName> = { readonly gives: EngineCalls[Name]['gives']; readonly payload?: Buffer };
type Handlers = {
  [Name in CallName]: (takes: EngineCalls[Name]['takes'], payload: Buffer, id: number) => Promise<Answer<Name>>;
};

/** Sends part of the reply to the call `id`. */
export type SendReplyPart = (id: number, partRows: number, payload: readonly Uint8Array[]) => void;

interface Opened {
  readonly instance: DuckDBInstance;
  /** Attaches, creates, reads and detaches files. */
  readonly admin: DuckDBConnection;
  readonly appends: Appends;
  readonly statements: Statements;
  readonly spill: SpillBound;
  readonly parquet: ParquetFiles;
  readonly redaction: RedactionConfig;
}

/** An interrupt is lost if it comes between two steps of a statement, so it is repeated. */
const interruptRepeatMs = 20;

/** How long a batch of background work waits for others at most, and how often it checks. */
const giveWayMs = 1_000;
const giveWayCheckMs = 20;

const nothing: { readonly gives: Record<string, never> } = { gives: {} };

/** Implements the calls of the engine process. Holds the only DuckDB instance. */
export class Engine {
  #opened: Opened | null = null;
  #opening: Promise<void> | null = null;
  /**
   * Frames are handled as they arrive, but a connection runs one statement at a time: a second one would end the first
   * before it has begun, and one that comes inside a transaction would become part of it.
   */
  readonly #adminTurns = new Mutex();
  readonly #jobs = new Map<number, { readonly job: Job; readonly ended: Promise<unknown> }>();
  #appending = 0;
  /** Running rewrites, and how many run in the background. */
  #rewriting = 0;
  #inBackground = 0;
  readonly #sendPart: SendReplyPart;

  /** `sendPart` sends parts of replies that do not come as a whole. */
  constructor(sendPart: SendReplyPart) {
    this.#sendPart = sendPart;
  }

  readonly handlers: Handlers = {
    open: async (options) => {
      if (this.#opening !== null) throw new RefusedFrame('the engine is open already');
      this.#opening = this.#open(options);
      await this.#opening;
      return nothing;
    },
    attach: async (file) => {
      // It may have been sent ahead.
      await this.#opening;
      refuseMissing(file);
      // The log of an active segment can take a second to replay, and nothing else should wait for that.
      if (file.kind === 'active') await this.#onItsOwn(async (connection) => await attachFile(connection, file));
      else await this.#asAdmin(async (admin) => await attachFile(admin, file));
      return nothing;
    },
    attachFetched: async (fetched) => ({
      gives: await this.#asAdmin(async (admin) => await attachFetched(admin, fetched)),
    }),
    attachCopied: async ({ alias, tables }) => {
      const views = tables.map(({ part, path }) => [part.table, `SELECT * FROM ${parquetRows(path)}`] as const);
      await this.#asAdmin(async (admin) => await attachViews(admin, alias, views));
      return nothing;
    },
    detach: async ({ alias }) => {
      await this.#get().statements.released();
      await this.#asAdmin(async (admin) => await detach(admin, alias));
      return nothing;
    },
    createActive: async (call) => {
      await this.#asAdmin(async (admin) => await createActive(admin, call));
      return nothing;
    },
    readActive: async (call) => ({ gives: await this.#asAdmin(async (admin) => await readActive(admin, call)) }),
    append: async (call, payload) => {
      this.#appending++;
      try {
        await this.#get().appends.append(call, payload);
      } finally {
        this.#appending--;
      }
      return nothing;
    },
    findCommit: async ({ alias, commitId }) => ({
      gives: { isStored: await this.#get().appends.findCommit(alias, commitId) },
    }),
    statement: async (call, _payload, id) => {
      const frames =
        call.creditFrames === undefined
          ? undefined
          : new RowFrames(call.creditFrames, (rows, payload) => this.#sendPart(id, rows, payload));
      return await this.#asJob(id, async (job) => await this.#get().statements.run(call, job), frames);
    },
    rewrite: async (call, _payload, id) =>
      await this.#asJob(id, async (job) => ({ gives: await this.#rewrite(call, job) })),
    copyRows: async (call, _payload, id) =>
      await this.#asJob(id, async (job) => {
        await this.#onItsOwn(async (connection) => await copyRows(connection, call, job));
        return nothing;
      }),
    openParquet: async ({ file, columns }) => {
      await this.#get().parquet.open(file, columns);
      return nothing;
    },
    addToParquet: async ({ file, batches }, payload) => {
      await this.#get().parquet.add(file, batches, payload);
      return nothing;
    },
    finishParquet: async (call, _payload, id) =>
      await this.#asJob(id, async (job) => {
        await this.#get().parquet.finish(call, job);
        return nothing;
      }),
    dropParquet: async ({ file }) => {
      this.#get().parquet.drop(file);
      return nothing;
    },
    verify: async ({ alias }, _payload, id) =>
      await this.#asJob(id, async (job) => ({
        gives: await this.#onItsOwn(async (connection) => {
          const events = await verifyFile(connection, alias, job);
          return { events, sources: await countByProject(connection, await inputTables(connection, [alias])) };
        }),
      })),
    warmRedaction: async () => {
      const { redaction } = this.#get();
      const { redactorOf } = await import('../../../redact/redactionConfig.ts');
      const { warmRedactor } = await import('../../../redact/warmRedactor.ts');
      // A statement has the thread as long as it runs, and warms the functions that it needs.
      const statements = this.#jobs;
      const turns = {
        get isBusy() {
          return statements.size > 0;
        },
        endMs: () => 0,
      };
      warmRedactor({ timer: systemTimer, turns }, redactorOf(redaction));
      return nothing;
    },
    countRemoved: async ({ leftOut }, _payload, id) =>
      await this.#asJob(id, async (job) => ({ gives: { removed: await this.#countRemoved(leftOut, job) } })),
    boundSpill: async ({ moreBytes }) => {
      await this.#asAdmin(async (admin) => await this.#get().spill.set(admin, moreBytes));
      return nothing;
    },
    credit: async ({ target }) => {
      this.#jobs.get(target)?.job.frames?.credit();
      return nothing;
    },
    cancel: async ({ target }) => {
      this.#cancel(target);
      return nothing;
    },
    close: async ({ checkpoint }) => {
      await this.#endJobs();
      await this.#get().statements.released();
      await this.#asAdmin(async (admin) => {
        for (const alias of checkpoint) await admin.run(`CHECKPOINT ${quoteIdentifier(alias)}`);
      });
      this.#get().instance.closeSync();
      return nothing;
    },
  };

  async #open(options: EngineOptions): Promise<void> {
    const redacted = new RedactedValues(options.redactionRowsMax);
    const steps = new StatementSteps();
    // Files are read by paths that are relative to it; see parquetRows.ts.
    process.chdir(options.eventsDir);
    const instance = await openInstance(options, redacted, steps);
    this.#opened = {
      instance,
      admin: await instance.connect(),
      appends: new Appends(await instance.connect()),
      statements: new Statements(instance, redacted, steps),
      spill: new SpillBound(options.spillDir, options.spillBytesMax),
      parquet: new ParquetFiles(instance),
      redaction: options.redaction,
    };
  }

  /** Whether the limit of spilled data is lower than in the options. */
  get isSpillHeld(): boolean {
    return this.#opened?.spill.isHeld ?? false;
  }

  /** Whether no statement can run any more; `detail` is the text of an error (`isInvalidated`). */
  async isInvalidated(detail: string): Promise<boolean> {
    const instance = this.#opened?.instance;
    return instance !== undefined && (await isInvalidated(detail, async () => await instance.connect()));
  }

  async #asAdmin<T>(work: (admin: DuckDBConnection) => Promise<T>): Promise<T> {
    const { admin } = this.#get();
    return await this.#adminTurns.run(async () => await work(admin));
  }

  async #onItsOwn<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection = await this.#get().instance.connect();
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
    }
  }

  /** Rewriting takes seconds or more, so it has its own connection and blocks nothing. */
  async #rewrite(call: EngineCalls['rewrite']['takes'], job: Job): Promise<EngineCalls['rewrite']['gives']> {
    const connection = await this.#get().instance.connect();
    this.#rewriting++;
    if (call.isInBackground) this.#inBackground++;
    try {
      return await rewrite(connection, call, job, async () => {
        if (call.isInBackground) await this.#giveWay(job);
      });
    } finally {
      this.#rewriting--;
      if (call.isInBackground) this.#inBackground--;
      connection.closeSync();
    }
  }

  async #countRemoved(leftOut: readonly LeftOut[], job: Job): Promise<readonly RemovedCount[]> {
    const connection = await this.#get().instance.connect();
    job.interrupt = () => connection.interrupt();
    try {
      const removed: RemovedCount[] = [];
      const aliases = new Set(leftOut.map(({ input }) => input));
      for (const input of await inputTables(connection, [...aliases], leftOut)) {
        removed.push(...(await countRemoved(connection, input)));
      }
      return removed;
    } finally {
      job.interrupt = () => {};
      connection.closeSync();
    }
  }

  /**
   * Waits until sealing is done; for statements and appends only for a limited time, because there may always be some.
   */
  async #giveWay(job: Job): Promise<void> {
    const goOnAt = performance.now() + giveWayMs;
    while (!job.isCancelled) {
      const isSealing = this.#rewriting > this.#inBackground;
      const isBusy = this.#jobs.size > this.#rewriting || this.#appending > 0;
      if (!isSealing && !(isBusy && performance.now() < goOnAt)) return;
      await new Promise((resolve) => setTimeout(resolve, giveWayCheckMs));
    }
  }

  #get(): Opened {
    if (this.#opened === null) throw new RefusedFrame('the engine is not open yet');
    return this.#opened;
  }

  async #asJob<T>(id: number, run: (job: Job) => Promise<T>, frames?: RowFrames): Promise<T> {
    const job: Job = { isCancelled: false, interrupt: () => {}, ...(frames === undefined ? {} : { frames }) };
    const running = run(job);
    this.#jobs.set(id, { job, ended: running.catch(() => undefined) });
    try {
      return await running;
    } catch (error) {
      if (job.isCancelled && error instanceof CutResult) throw new CancelledCall();
      throw error;
    } finally {
      this.#jobs.delete(id);
    }
  }

  /**
   * Cancels running work, and waits for its end. Closing the instance first would block this process's only thread of
   * JavaScript as long as the work runs, so the process would not notice the end of the service and would outlive it.
   */
  async #endJobs(): Promise<void> {
    for (const id of this.#jobs.keys()) this.#cancel(id);
    await Promise.all([...this.#jobs.values()].map(({ ended }) => ended));
  }

  #cancel(id: number): void {
    const job = this.#jobs.get(id)?.job;
    if (job === undefined || job.isCancelled) return;
    job.isCancelled = true;
    job.interrupt();
    const repeat = setInterval(() => {
      if (this.#jobs.get(id)?.job === job) job.interrupt();
      else clearInterval(repeat);
    }, interruptRepeatMs);
  }
}
