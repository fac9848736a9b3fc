import {
  DuckDBBlobVector,
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBInstance,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  DuckDBVarCharVector,
  JsonDuckDBValueConverter,
  StatementType,
} from '@duckdb/node-api';
import { withCutoff } from '../../query/cutoffMark.ts';
import { CancelledCall, RefusedFrame } from '../callFailure.ts';
import { CheckedStatements } from '../isolation/checkedStatements.ts';
import { longStatementChars } from '../isolation/isolationCheck.ts';
import type { EngineCalls } from '../protocol.ts';
import type { RedactedValues } from '../scripted/redactingFunctions.ts';
import { StatementSteps } from '../scripted/scriptedFunction.ts';
import { BlobSpans } from './blobSpans.ts';
import { ColumnChunk, ColumnRows } from './columnRows.ts';
import { layoutsOf } from './columnVectors.ts';
import { QuoteDoubler } from './quoteDoubler.ts';
import { RowBytes } from './rowBytes.ts';
import type { RowFrames } from './rowFrames.ts';
import { CutResult, readMaterialized, readWhole, readWholeRows } from './wholeResult.ts';

type StatementCall = EngineCalls['statement'];

/** Work that can be cancelled while it runs. */
export interface Job {
  isCancelled: boolean;
  interrupt: () => void;
  /** Takes the rows of a statement frame by frame; absent if its reply has all rows. */
  readonly frames?: RowFrames;
}

/** Largest result of mode `values`, which is for cutoffs and counts. */
const valuesRowsMax = 100_000;

/**
 * Most rows in one chunk of the engine. The engine computes the rows of a chunk together, so streaming a result of fewer
 * rows saves little memory.
 */
const chunkRows = 2048;

/** A result is taken whole if the last result of the statement was at most this large. */
const wholeBytesMax = 1024 * 1024;

/**
 * The engine computes rows of a stream until it holds so much, before it hands over the first. It counts only the fixed part
 * of a chunk, 16 bytes for a text of any length, so its default of 1 MB is some 30 chunks of texts.
 */
const aheadBytes = 64 * 1024;

const begin = 'BEGIN TRANSACTION READ ONLY';

/** Runs the statements of query frames, each on its own connection while it runs. */
export class Statements {
  readonly #instance: DuckDBInstance;
  readonly #redacted: RedactedValues;
  readonly #steps: StatementSteps;
  /**
   * Connections in a read-only transaction that has read nothing yet. The engine takes the snapshot of a file when a
   * transaction first reads it, so a statement sees everything committed before it came.
   */
  readonly #idle: DuckDBConnection[] = [];
  readonly #releases = new Set<Promise<void>>();
  readonly #checked: CheckedStatements;

  constructor(instance: DuckDBInstance, redacted: RedactedValues, steps: StatementSteps = new StatementSteps()) {
    this.#instance = instance;
    this.#redacted = redacted;
    this.#steps = steps;
    this.#checked = new CheckedStatements(instance);
  }

  /**
   * Runs exactly one statement of type SELECT in a read-only transaction, after the statement that finds its cutoff if
   * the frame has one. If the frame names projects, every read of events must be restricted to them.
   *
   * @throws RefusedFrame for anything else, CancelledCall, RedactionRefusal, or the engine's error
   */
  async run(call: StatementCall['takes'], job: Job): Promise<Outcome> {
    const connection = this.#idle.pop() ?? (await this.#connect());
    job.interrupt = () => {
      connection.interrupt();
      job.frames?.wake();
    };
    try {
      return await this.#runOnce(connection, call, job, streamed);
    } catch (error) {
      // Rows that were sent cannot be taken back, and a second run could have others.
      if (!(error instanceof CutResult) || job.isCancelled || job.frames?.hasSent === true) throw error;
      await connection.run(`ROLLBACK; ${begin}`);
      return await this.#runOnce(connection, call, job, materialized);
    } finally {
      job.interrupt = () => {};
      this.#release(connection);
    }
  }

  async #runOnce(
    connection: DuckDBConnection,
    call: StatementCall['takes'],
    job: Job,
    runStatement: RunStatement,
  ): Promise<Outcome> {
    // A process that has such functions runs one statement at a time.
    this.#steps.begin();
    const answer = () => this.#answer(connection, call, job, runStatement);
    return call.redactionTag === null ? await answer() : await this.#redacting(call.redactionTag, answer);
  }

  async #redacting<T>(tag: number, run: () => Promise<T>): Promise<T> {
    this.#redacted.begin(tag);
    try {
      const answer = await run();
      this.#redacted.requireWithin(tag);
      return answer;
    } catch (error) {
      this.#redacted.requireWithin(tag);
      throw error;
    } finally {
      this.#redacted.end(tag);
    }
  }

  /** Resolves when no ended statement reads a file any more. */
  async released(): Promise<void> {
    await Promise.all(this.#releases);
  }

  /** Prepares a statement, checks that it is one SELECT and restricted to the projects, runs `use`, and releases it. */
  async #withPrepared<T>(
    connection: DuckDBConnection,
    sql: string,
    call: StatementCall['takes'],
    use: (statement: DuckDBPreparedStatement) => Promise<T>,
  ): Promise<T> {
    const statement = await this.#prepareHeld(connection, sql, call);
    try {
      return await use(statement);
    } finally {
      statement.destroySync();
    }
  }

  async #answer(
    connection: DuckDBConnection,
    call: StatementCall['takes'],
    job: Job,
    runStatement: RunStatement,
  ): Promise<Outcome> {
    if (call.cutoff === null) return await this.#runStatement(connection, call, job, runStatement);
    return await this.#runSinceCutoff(connection, call, call.cutoff, job, runStatement);
  }

  async #runStatement(
    connection: DuckDBConnection,
    call: StatementCall['takes'],
    job: Job,
    runStatement: RunStatement,
  ): Promise<Outcome> {
    const known = mayBeWhole(call, job) ? this.#checked.passed(call.sql, call.projects, call.held) : undefined;
    if (known !== undefined && known.resultBytes <= wholeBytesMax) {
      const outcome = takeRows(await runPassed(connection, call.sql, job), call, job);
      known.resultBytes = bytesOf(outcome.gives, outcome.payload);
      return outcome;
    }
    return await this.#withPrepared(connection, call.sql, call, async (statement) => {
      if (job.isCancelled) throw new CancelledCall();
      switch (call.mode) {
        case 'rows': {
          if (job.frames !== undefined && call.hasColumns === true) {
            const facts = await sendColumns(connection, () => runStatement(statement), call, job.frames, job);
            return { ...nothing, gives: { ...nothing.gives, ...facts } };
          }
          const rows = await collectRows(connection, () => runStatement(statement), call, job);
          if (mayBeWhole(call, job)) this.#checked.noteResult(call, bytesOf(rows.facts, rows.bytes));
          return { gives: { ...nothing.gives, ...rows.facts }, payload: rows.bytes };
        }
        case 'values': {
          const values = await collectValues(connection, () => runStatement(statement), job);
          return { ...nothing, gives: { ...nothing.gives, rowCount: values.length, values } };
        }
        case 'explain': {
          // The frame was prepared as one SELECT above, so this can only return a plan.
          const plan = await readWholeRows(connection, async () => await connection.run(`EXPLAIN ${call.sql}`));
          const text = plan.map((row) => String(row[1])).join('\n');
          return { ...nothing, gives: { ...nothing.gives, text } };
        }
      }
    });
  }

  /** Both statements run in one transaction, so the second sees exactly what the first counted. */
  async #runSinceCutoff(
    connection: DuckDBConnection,
    call: StatementCall['takes'],
    cutoff: NonNullable<StatementCall['takes']['cutoff']>,
    job: Job,
    runStatement: RunStatement,
  ): Promise<Outcome> {
    const values: Values = [];
    readMaterialized(await this.#findCutoff(connection, cutoff.sql, call, job), (chunk) =>
      addValues(values, chunk, job),
    );
    const [micros, found] = values[0] ?? [];
    if (typeof micros !== 'string' || Number(found) < cutoff.foundMin) {
      return { ...nothing, gives: { ...nothing.gives, values } };
    }
    const sql = withCutoff(call.sql, micros);
    const { gives, payload } = await this.#runStatement(connection, { ...call, sql }, job, runStatement);
    return { gives: { ...gives, values }, payload };
  }

  /** Runs the statement of the cutoff. Its result is one row. */
  async #findCutoff(
    connection: DuckDBConnection,
    sql: string,
    call: StatementCall['takes'],
    job: Job,
  ): Promise<DuckDBMaterializedResult> {
    if (this.#checked.passed(sql, call.projects, call.held) !== undefined) return await runPassed(connection, sql, job);
    return await this.#withPrepared(connection, sql, call, async (statement) => {
      if (job.isCancelled) throw new CancelledCall();
      return await statement.run();
    });
  }

  /** Nothing runs before the isolation check has passed; preparing, which reads no event, goes on meanwhile. */
  async #prepareHeld(
    connection: DuckDBConnection,
    sql: string,
    { projects, held = [] }: StatementCall['takes'],
  ): Promise<DuckDBPreparedStatement> {
    if (projects === null) {
      const statement = await prepareSelect(connection, sql);
      this.#checked.rememberSelect(sql, held);
      return statement;
    }
    if (this.#checked.passed(sql, projects, held) !== undefined) return await prepareSelect(connection, sql);
    if (sql.length >= longStatementChars) {
      await this.#checked.requireHeld(sql, projects, held);
      return await prepareSelect(connection, sql);
    }
    const [checked, prepared] = await Promise.allSettled([
      this.#checked.requireHeld(sql, projects, held),
      prepareSelect(connection, sql),
    ]);
    if (checked.status === 'rejected') {
      if (prepared.status === 'fulfilled') prepared.value.destroySync();
      throw checked.reason;
    }
    if (prepared.status === 'rejected') throw prepared.reason;
    return prepared.value;
  }

  async #connect(): Promise<DuckDBConnection> {
    const connection = await this.#instance.connect();
    await connection.run(`SET streaming_buffer_size = '${aheadBytes}B'; ${begin}`);
    return connection;
  }

  /**
   * Ends the transaction, and with it a stream that was not read to its end, and begins the transaction for the next
   * statement. The answer does not wait for it.
   */
  #release(connection: DuckDBConnection): void {
    const release = this.#renew(connection).finally(() => {
      this.#releases.delete(release);
    });
    this.#releases.add(release);
  }

  async #renew(connection: DuckDBConnection): Promise<void> {
    try {
      await connection.run(`ROLLBACK; ${begin}`);
      this.#idle.push(connection);
    } catch {
      // A connection that cannot be rolled back is useless; the next statement opens another one.
      connection.closeSync();
    }
  }
}

/** The beginning of every emitted statement. The engine turns some PRAGMA, SHOW and DESCRIBE into a SELECT. */
const startOfSelect = /^\s*(?:SELECT|WITH|\()/i;

/** The engine prepares one statement, and fails with this if a text holds none or several. */
const notOneStatement = /^Invalid Input Error: (?:Cannot prepare multiple statements|No statement to prepare)/;

function requireStartOfSelect(sql: string): void {
  if (!startOfSelect.test(sql)) throw new RefusedFrame('a query frame begins with SELECT, WITH or a parenthesis');
}

async function prepareSelect(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  requireStartOfSelect(sql);
  const statement = await connection.prepare(sql).catch((error: unknown) => {
    if (error instanceof Error && notOneStatement.test(error.message))
      throw new RefusedFrame('a query frame holds one statement', { cause: error });
    throw error;
  });
  if (statement.statementType === StatementType.SELECT) return statement;
  const type = StatementType[statement.statementType];
  statement.destroySync();
  throw new RefusedFrame(`a query frame holds a SELECT, not ${type}`);
}

interface Outcome {
  readonly gives: StatementCall['gives'];
  readonly payload: Buffer;
}

type RunStatement = (statement: DuckDBPreparedStatement) => Promise<DuckDBResult>;

const streamed: RunStatement = async (statement) => await statement.stream();

/** The engine raises every error of the statement before it returns a result. */
const materialized: RunStatement = async (statement) => await statement.run();

const nothing: Outcome = {
  gives: { rowCount: 0, hasMore: false, cutByBytes: false, pageKeys: null, values: [], text: '' },
  payload: Buffer.alloc(0),
};

/** Whether the result of a statement of rows, whose LIMIT is `rowsMax` + 1, has at most the rows of one chunk. */
function mayBeWhole({ mode, rowsMax }: StatementCall['takes'], { frames }: Job): boolean {
  return mode === 'rows' && frames === undefined && rowsMax < chunkRows;
}

/**
 * Runs a statement that has passed before, without preparing it. This takes one step of the engine's binding instead of
 * several, each of which wakes a thread and then this one.
 */
async function runPassed(connection: DuckDBConnection, sql: string, job: Job): Promise<DuckDBMaterializedResult> {
  requireStartOfSelect(sql);
  if (job.isCancelled) throw new CancelledCall();
  return await connection.run(sql);
}

/** Size of a result; infinite if the bytes are only its beginning. */
function bytesOf({ cutByBytes }: { readonly cutByBytes: boolean }, { length }: Buffer): number {
  return cutByBytes ? Number.POSITIVE_INFINITY : length;
}

function takeRows(result: DuckDBMaterializedResult, call: StatementCall['takes'], job: Job): Outcome {
  requireRowColumns(result);
  const rows = newRowBytes(call);
  readMaterialized(result, (chunk) => addChunk(rows, chunk, job));
  const { bytes, facts } = rows.finish();
  return { gives: { ...nothing.gives, ...facts }, payload: bytes };
}

function newRowBytes({ rowsMax, bytesMax, hasRowKeys, doublesQuotes }: StatementCall['takes']): RowBytes {
  const doubler = doublesQuotes === true ? new QuoteDoubler() : null;
  return new RowBytes(rowsMax, bytesMax, { hasRowKeys: hasRowKeys === true, doubler });
}

function requireRowColumns({ columnCount }: DuckDBResult): void {
  if (columnCount === 1 || columnCount === 2) return;
  throw new RefusedFrame(`a statement of rows has one or two columns, not ${columnCount}`);
}

async function collectRows(
  connection: DuckDBConnection,
  runStatement: () => Promise<DuckDBResult>,
  call: StatementCall['takes'],
  job: Job,
) {
  const { frames } = job;
  const rows = newRowBytes(call);
  const open = async () => {
    const result = await runStatement();
    requireRowColumns(result);
    return result;
  };
  const take =
    frames === undefined
      ? (chunk: DuckDBDataChunk) => addChunk(rows, chunk, job)
      : releasing(async (chunk) => await sendChunk(rows, chunk, frames, job));
  await readWhole(connection, open, take);
  if (frames === undefined) return rows.finish();
  await frames.send(rows, job);
  return { ...rows.finish(), bytes: nothing.payload };
}

/**
 * Frees the texts of a chunk once `take`, which copies what it needs, has taken it. Otherwise they stay until JavaScript
 * collects the chunk, whose size it does not know: gigabytes of a long stream.
 */
function releasing(take: (chunk: DuckDBDataChunk) => Promise<boolean>): (chunk: DuckDBDataChunk) => Promise<boolean> {
  return async (chunk) => {
    const isWanted = await take(chunk);
    chunk.reset();
    return isWanted;
  };
}

/** Rows of a chunk can have any size, so frames are also sent within it. */
async function sendChunk(rows: RowBytes, chunk: DuckDBDataChunk, frames: RowFrames, job: Job): Promise<boolean> {
  if (job.isCancelled) throw new CancelledCall();
  const spans = spansOf(chunk, 0);
  for (let row = 0; row < spans.rowCount && rows.isOpen; ) {
    row += rows.addTouching(spans, row);
    if (frames.isFull(rows)) await frames.send(rows, job);
  }
  if (frames.isDue(rows)) await frames.send(rows, job);
  return rows.isOpen;
}

/** Sends the rows of a statement as columns. */
async function sendColumns(
  connection: DuckDBConnection,
  runStatement: () => Promise<DuckDBResult>,
  { rowsMax, bytesMax }: StatementCall['takes'],
  frames: RowFrames,
  job: Job,
) {
  const result = await runStatement();
  const layouts = layoutsOf(result);
  const rows = new ColumnRows(rowsMax, bytesMax, layouts);
  const take = releasing(async (given) => {
    if (job.isCancelled) throw new CancelledCall();
    const chunk = new ColumnChunk(given, layouts);
    for (let row = 0; row < chunk.rowCount && rows.isOpen; ) {
      row += rows.add(chunk, row);
      if (frames.isFull(rows)) await frames.send(rows, job);
    }
    if (frames.isDue(rows)) await frames.send(rows, job);
    return rows.isOpen;
  });
  await readWhole(connection, async () => result, take);
  await frames.send(rows, job);
  return rows.facts;
}

/** Returns whether more rows are wanted. */
function addChunk(rows: RowBytes, chunk: DuckDBDataChunk, job: Job): boolean {
  if (job.isCancelled) throw new CancelledCall();
  const spans = spansOf(chunk, 0);
  const keys = chunk.columnCount === 2 ? spansOf(chunk, 1) : null;
  for (let row = 0; row < spans.rowCount && rows.isOpen; row++) {
    if (!rows.add(spans, row) || keys === null) continue;
    rows.setKey(keys, row);
  }
  return rows.isOpen;
}

function spansOf(chunk: DuckDBDataChunk, column: number): BlobSpans {
  const vector = chunk.getColumnVector(column);
  if (vector instanceof DuckDBBlobVector || vector instanceof DuckDBVarCharVector) return new BlobSpans(chunk, column);
  throw new RefusedFrame(`a statement of rows has columns of bytes or text, not ${vector.type.toString()}`);
}

type Values = (string | number | boolean | null)[][];

async function collectValues(
  connection: DuckDBConnection,
  runStatement: () => Promise<DuckDBResult>,
  job: Job,
): Promise<Values> {
  const values: Values = [];
  await readWhole(connection, runStatement, (chunk) => addValues(values, chunk, job));
  return values;
}

function addValues(values: Values, chunk: DuckDBDataChunk, job: Job): true {
  if (job.isCancelled) throw new CancelledCall();
  for (const row of chunk.convertRows(JsonDuckDBValueConverter)) {
    values.push(row.map((cell) => (typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell)));
  }
  if (values.length > valuesRowsMax) throw new RefusedFrame(`a statement of values has ${valuesRowsMax} rows at most`);
  return true;
}
