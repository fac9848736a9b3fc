import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callFailure, RefusedFrame } from '../callFailure.ts';
import { RedactedValues } from '../scripted/redactingFunctions.ts';
import { registerScripted, StatementSteps } from '../scripted/scriptedFunction.ts';
import { countRemoved, rewrite } from '../write/rewrite.ts';
import { inputTables } from '../write/rewriteInputs.ts';
import { verifyFile } from '../write/verify.ts';
import { type Job, Statements } from './statements.ts';
import { CutResult, readRows, readWhole } from './wholeResult.ts';

const rowsMax = 400_000;

let instance: DuckDBInstance;
let connection: DuckDBConnection;
let folder: string;

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  await connection.run('SET threads = 2');
  folder = await mkdtemp(join(tmpdir(), 'logmill-whole-'));
});
afterAll(async () => {
  connection.closeSync();
  instance.closeSync();
  await rm(folder, { recursive: true });
});

/** Values that fail at one row, each in a different way. */
const failing = [
  (at: number) => `CASE WHEN i = ${at} THEN error('planted') ELSE '1' END`,
  (at: number) => `CAST(CAST(CASE WHEN i = ${at} THEN 'x' ELSE '1' END AS BIGINT) AS VARCHAR)`,
  (at: number) => `CAST(9223372036854775806 + CASE WHEN i = ${at} THEN 2 ELSE 1 END AS VARCHAR)`,
];

const planted = fc.record({
  rows: fc.integer({ min: 1, max: rowsMax }),
  share: fc.double({ min: 0, max: 0.999, noNaN: true }),
  value: fc.constantFrom(...failing),
});

const sqlOf = ({ rows, share, value }: { rows: number; share: number; value: (at: number) => string }) =>
  `SELECT ${value(Math.floor(rows * share))} AS v FROM range(${rows}) AS t(i)`;

const job = (): Job => ({ isCancelled: false, interrupt: () => {} });

const frame = {
  projects: null,
  redactionTag: null,
  cutoff: null,
  rowsMax: 10_000_000,
  bytesMax: 100_000_000,
};

describe('a result in which a row fails', () => {
  it('is never read to its end, whichever row it is', async () => {
    await fc.assert(
      fc.asyncProperty(planted, async (plan) => {
        await connection.run('BEGIN TRANSACTION READ ONLY');
        const statement = await connection.prepare(sqlOf(plan));
        const reading = readWhole(
          connection,
          async () => await statement.stream(),
          () => true,
        );
        await expect(reading).rejects.toThrow();
        await connection.run('ROLLBACK');
      }),
      { numRuns: 60 },
    );
  });

  it('is no answer, no cutoff and no list of values', async () => {
    const statements = new Statements(instance, new RedactedValues(10));
    await fc.assert(
      fc.asyncProperty(planted, async (plan) => {
        const sql = sqlOf(plan);
        const few = sqlOf({ ...plan, rows: Math.min(plan.rows, 90_000) });
        await expect(statements.run({ ...frame, mode: 'rows', sql }, job())).rejects.toThrow();
        await expect(statements.run({ ...frame, mode: 'values', sql: few }, job())).rejects.toThrow();
        const cutoff = { sql: few, foundMin: 1 };
        await expect(statements.run({ ...frame, mode: 'rows', sql: 'SELECT 1', cutoff }, job())).rejects.toThrow();
      }),
      { numRuns: 30 },
    );
    const whole = await statements.run({ ...frame, mode: 'rows', sql: `SELECT 'a' FROM range(300000)` }, job());
    expect(whole.gives.rowCount).toBe(300_000);
  });

  it('is no answer of few rows either, however often its statement was run before', async () => {
    const statements = new Statements(instance, new RedactedValues(10));
    const few = { ...frame, mode: 'rows', rowsMax: 1000 } as const;
    await fc.assert(
      fc.asyncProperty(planted, fc.constantFrom('v', 'max(v) OVER () AS v'), async ({ rows, share, value }, column) => {
        const count = Math.min(rows, 50_000);
        // Each run has the shape of the one before, so the second one is taken whole.
        const of = (at: number) =>
          `SELECT ${column} FROM (SELECT ${value(0).replace('i = 0', `i = CAST('${at}' AS BIGINT)`)} AS v
             FROM range(${count}) AS t(i)) AS s WHERE v <> '2' ORDER BY 1 LIMIT 1001`;
        const passing = await statements.run({ ...few, sql: of(-1) }, job());
        const again = await statements.run({ ...few, sql: of(-2) }, job());
        expect(again).toEqual(passing);
        expect(again.gives).toMatchObject({ rowCount: Math.min(count, 1000), hasMore: count > 1000 });
        const sql = of(Math.floor(count * share));
        const failure = await statements.run({ ...few, sql }, job()).catch(callFailure);
        expect(failure).toMatchObject({ kind: 'data' });
      }),
      { numRuns: 15 },
    );
  });

  it('is no list of rows for whatever rewrites and counts', async () => {
    await fc.assert(
      fc.asyncProperty(planted, async (plan) => {
        await expect(readRows(connection, sqlOf(plan))).rejects.toThrow();
      }),
      { numRuns: 30 },
    );
    expect(await readRows(connection, 'SELECT i FROM range(5000) AS t(i)')).toHaveLength(5000);
  });

  it('has the reason of its failure, wherever the row is', async () => {
    const statements = new Statements(instance, new RedactedValues(10));
    await fc.assert(
      fc.asyncProperty(planted, async (plan) => {
        const failure = await statements.run({ ...frame, mode: 'rows', sql: sqlOf(plan) }, job()).catch(callFailure);
        expect(failure).toMatchObject({ kind: 'data' });
      }),
      { numRuns: 30 },
    );
  });

  it('is answered if the failure has passed when the rows are read again', async () => {
    let tries = 0;
    registerScripted(
      connection,
      {
        name: 'fails_for_a_while',
        label: 'fails_for_a_while',
        takes: ['BIGINT'],
        gives: 'BIGINT',
        evaluate: ([i]) => {
          if (i === 300_000n && ++tries === 1) throw new Error('planted');
          return i as bigint;
        },
      },
      new StatementSteps(),
    );
    const statements = new Statements(instance, new RedactedValues(10));
    const sql = `SELECT CAST(fails_for_a_while(i) AS VARCHAR) FROM range(${rowsMax}) AS t(i)`;
    const { gives } = await statements.run({ ...frame, mode: 'rows', sql }, job());
    expect([gives.rowCount, tries]).toEqual([rowsMax, 2]);
  });

  it('is a failure of memory if only the proof finds none', () => {
    const cut = (cause?: Error) => callFailure(new CutResult('a result ended before its last row', { cause })).kind;
    expect(cut(new Error('Out of Memory Error: failed to allocate data of size 2.0 KiB'))).toBe('memory');
    expect(cut(new Error('TransactionContext Error: Current transaction is aborted'))).toBe('engine');
    expect(cut()).toBe('engine');
  });
});

describe('a result that is interrupted', () => {
  it.each(['once', 'again and again'])('is whole or nothing, whenever the interrupt comes %s', async (times) => {
    const statements = new Statements(instance, new RedactedValues(10));
    const sql = `SELECT repeat('x', 10) FROM range(${rowsMax})`;
    let ended = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60 }), async (turns) => {
        const running = job();
        let isOver = false;
        const outcome = statements
          .run({ ...frame, mode: 'rows', sql }, running)
          .then(
            ({ gives }) => gives.rowCount,
            () => null,
          )
          .finally(() => (isOver = true));
        for (let turn = 0; !isOver; turn++) {
          // Without marking it as cancelled, so that only the engine's reaction is seen.
          if (turn >= turns) running.interrupt();
          if (turn >= turns && times === 'once') break;
          await new Promise((resolve) => setImmediate(resolve));
        }
        const rows = await outcome;
        if (rows === null) ended++;
        else expect(rows).toBe(rowsMax);
      }),
      { numRuns: 12 },
    );
    // Each single interrupt can be lost, because the engine does not run the statement yet, or has read all of its rows.
    if (times === 'again and again') expect(ended).toBeGreaterThan(0);
  });
});

describe('a result of few rows', () => {
  const few = { ...frame, mode: 'rows', rowsMax: 1000 } as const;

  it('is whole or nothing, whenever an interrupt comes', async () => {
    const statements = new Statements(instance, new RedactedValues(10));
    const sql = `SELECT CAST(sum(i) OVER (ORDER BY i) AS VARCHAR) FROM range(50000) AS t(i) ORDER BY i DESC LIMIT 1001`;
    const whole = await statements.run({ ...few, sql }, job());
    let ended = 0;
    for (let turns = 0; turns < 6; turns++) {
      const running = job();
      let isOver = false;
      const outcome = statements
        .run({ ...few, sql }, running)
        .catch(callFailure)
        .finally(() => (isOver = true));
      for (let turn = 0; !isOver; turn++) {
        // An interrupt that comes before the engine runs the statement is lost.
        if (turn >= turns) running.interrupt();
        await new Promise((resolve) => setImmediate(resolve));
      }
      const answer = await outcome;
      if ('kind' in answer) ended++;
      expect('kind' in answer ? answer.kind : answer).toEqual('kind' in answer ? 'interrupted' : whole);
    }
    expect(ended).toBeGreaterThan(0);
  });

  it('is the same taken whole or row by row, of any bytes and beyond each limit', async () => {
    const statements = new Statements(instance, new RedactedValues(10));
    const cell = fc.constantFrom(
      'CAST(NULL AS VARCHAR)',
      `''`,
      `'a'`,
      `'é😀'`,
      `repeat('x', 13)`,
      `repeat('y', 70000)`,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(cell, { maxLength: 20 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 200_000 }),
        async (cells, hasKeys, rowsMax, bytesMax) => {
          const key = hasKeys ? `, '"' || n || '"'` : '';
          const rows = cells.map((sql, n) => `(${n}, ${sql})`).join(', ');
          const from = rows === '' ? `(SELECT 0 AS n, 'a' AS v WHERE false)` : `(VALUES ${rows})`;
          const sql = `SELECT v${key} FROM ${from} AS t(n, v) ORDER BY n LIMIT ${rowsMax + 1}`;
          const call = { ...few, sql, rowsMax, bytesMax, hasRowKeys: hasKeys };
          const first = await statements.run(call, job());
          expect(await statements.run(call, job())).toEqual(first);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('is refused if its statement does not only read, also one that may read every project', async () => {
    const statements = new Statements(instance, new RedactedValues(10));
    for (const sql of ['SELECT 1; SELECT 2', 'CREATE TABLE t AS SELECT 1', 'SELECT 1; CREATE TABLE t AS SELECT 1'])
      for (let turn = 0; turn < 3; turn++)
        await expect(statements.run({ ...few, sql }, job())).rejects.toBeInstanceOf(RefusedFrame);
  });
});

describe('a file in which a row fails', () => {
  /** A view in place of an event table: reading the column of the row fails. */
  const withFailure = async (alias: string, column: string, rows: number, at: number) => {
    const value = (name: string, sql: string) =>
      `${name === column ? `CASE WHEN i = ${at} THEN error('planted') ELSE ${sql} END` : sql} AS ${name}`;
    const columns = [
      value('id', 'CAST(i AS VARCHAR)'),
      value('timestamp', 'make_timestamp(i)'),
      value('project', `'p' || CAST(i % 5000 AS VARCHAR)`),
    ];
    await connection.run(`ATTACH ':memory:' AS ${alias}`);
    await connection.run(
      `CREATE VIEW ${alias}.main.logs AS SELECT ${columns.join(', ')}, 'm' AS event_message, '{}' AS metadata, i AS rowid
       FROM range(${rows}) AS t(i)`,
    );
  };
  const column = (name: string, type: 'VARCHAR' | 'TIMESTAMP' = 'VARCHAR') => ({ name, type, isLongText: false });
  const layout = {
    table: 'logs',
    columns: [
      column('id'),
      column('timestamp', 'TIMESTAMP'),
      column('project'),
      column('event_message'),
      column('metadata'),
    ],
  };

  it('is not rewritten, counted or found whole', async () => {
    let number = 0;
    const where = fc.record({
      column: fc.constantFrom('id', 'timestamp', 'project'),
      rows: fc.integer({ min: 1, max: 30_000 }),
      share: fc.double({ min: 0, max: 0.999, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(where, async ({ column: failingColumn, rows, share }) => {
        const alias = `planted_${++number}`;
        await withFailure(alias, failingColumn, rows, Math.floor(rows * share));
        const call = {
          inputs: [alias],
          outputAlias: `out_${number}`,
          temporaryPath: join(folder, `${number}.tmp`),
          tables: [layout],
          leftOut: [],
          portionEventsMax: 7000,
          isInBackground: false,
        };
        await expect(rewrite(connection, call, job(), async () => {})).rejects.toThrow();
        await expect(verifyFile(connection, alias, job())).rejects.toThrow();
        if (failingColumn === 'project') {
          const hidden = { others: 10, own: [] };
          const [input] = await inputTables(
            connection,
            [alias],
            [{ input: alias, source: 'logs', hidden, deleted: [] }],
          );
          if (input === undefined) throw new Error('the table was not found');
          await expect(countRemoved(connection, { ...input, kept: 'rowid % 2 = 5' })).rejects.toThrow();
        }
        await connection.run(`DETACH ${alias}`);
      }),
      { numRuns: 20 },
    );
  });
});
