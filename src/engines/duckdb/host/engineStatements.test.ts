import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enginesOf } from '../../../../test/support/enginesOf.ts';
import { ServiceError } from '../../../core/errors.ts';
import { edgeBatch, never, TestStorage } from '../storage.fixture.ts';
import { processorTimeMs } from './processorTime.ts';

const bounds = { rowsMax: 1_000, bytesMax: 1_000_000 };

/** Runs for minutes and checks for its interrupt all the time. */
const endless = 'SELECT count(*) FROM range(1000000000000) AS a';
/**
 * One call that ignores interrupts while it runs (measured: minutes), and takes too little memory to be killed for it.
 */
const stubborn = `SELECT levenshtein(repeat('ab', 200000), repeat('ba', 200000))`;

const processes = () => enginesOf(process.pid).length;

/** Starts a statement and resolves when it ignores interrupts: before its one long call begins, it would obey one. */
async function stubbornStatement(test: TestStorage, signal: AbortSignal) {
  const usedMs = () => processorTimeMs(test.storage.enginePid ?? -1) ?? 0;
  const before = usedMs();
  const stuck = test.storage.statements.runValues(stubborn, signal);
  stuck.catch(() => undefined);
  await expect.poll(usedMs).toBeGreaterThan(before + 300);
  return { stuck };
}

/** A statement that continues after its caller has left, and one next to it that was answered. */
async function stuckStatement(test: TestStorage) {
  const controller = new AbortController();
  const { stuck } = await stubbornStatement(test, controller.signal);
  await test.storage.statements.runValues('SELECT 1', never);
  controller.abort(new ServiceError('query.timeout', 'over'));
  return { stuck };
}

describe('statements', () => {
  let test: TestStorage;
  beforeAll(async () => {
    test = await TestStorage.open({ statementsMax: 4, interruptGraceMs: 300, statementQueueMax: 2 });
    await test.storage.log.append(edgeBatch(['a', 'b', 'c']));
  });
  afterAll(async () => {
    await test.close();
  });

  const rows = async (sql: string, some = bounds) => {
    const result = await test.storage.statements.runRows(sql, some, never);
    return { ...result, rows: Buffer.from(result.rows).toString() };
  };
  const values = async (sql: string) => await test.storage.statements.runValues(sql, never);
  const series = (count: number) => `SELECT encode(format('{{"n":{}}}', range)) FROM range(${count})`;

  describe('rows', () => {
    it('joins encoded rows with commas, as bytes or as text', async () => {
      const expected = { rows: '{"n":0},{"n":1}', rowCount: 2, hasMore: false, cutByBytes: false };
      expect(await rows(series(2))).toEqual(expected);
      expect(await rows(`SELECT decode(x) FROM (${series(2)}) t(x)`)).toEqual(expected);
    });

    it('keeps every byte of text outside ASCII', async () => {
      expect((await rows(`SELECT encode('"ü😀\u2028"')`)).rows).toBe('"ü😀\u2028"');
    });

    it('is empty without rows, and writes NULL as JSON null', async () => {
      expect(await rows('SELECT NULL::BLOB LIMIT 0')).toEqual({
        rows: '',
        rowCount: 0,
        hasMore: false,
        cutByBytes: false,
      });
      expect((await rows('SELECT NULL::BLOB')).rows).toBe('null');
    });

    it.each([
      { count: 9, rowsMax: 10, rowCount: 9, hasMore: false },
      { count: 10, rowsMax: 10, rowCount: 10, hasMore: false },
      { count: 11, rowsMax: 10, rowCount: 10, hasMore: true },
      { count: 10_000, rowsMax: 5_000, rowCount: 5_000, hasMore: true },
      { count: 1_000_000_000, rowsMax: 3, rowCount: 3, hasMore: true },
      { count: 1, rowsMax: 0, rowCount: 0, hasMore: true },
    ])('says whether more than $rowsMax rows follow, of $count', async ({ count, rowsMax, rowCount, hasMore }) => {
      expect(await rows(series(count), { rowsMax, bytesMax: 1_000_000 })).toMatchObject({
        rowCount,
        hasMore,
        cutByBytes: false,
      });
    });

    it('stops before the row that does not fit into the bytes, commas included', async () => {
      expect(await rows(series(5), { rowsMax: 10, bytesMax: 15 })).toMatchObject({
        rows: '{"n":0},{"n":1}',
        cutByBytes: true,
      });
      expect(await rows(series(5), { rowsMax: 10, bytesMax: 14 })).toMatchObject({ rows: '{"n":0}', cutByBytes: true });
      expect(await rows(series(1), { rowsMax: 10, bytesMax: 6 })).toMatchObject({
        rows: '',
        rowCount: 0,
        cutByBytes: true,
      });
    });

    it('refuses a statement with more than two columns, or with a column of another type', async () => {
      await expect(rows("SELECT x, x, x FROM (SELECT 'a' AS x)")).rejects.toMatchObject({ code: 'engine.failed' });
      await expect(rows("SELECT encode(x), 1 FROM (SELECT 'a' AS x)")).rejects.toMatchObject({ code: 'engine.failed' });
      await expect(rows('SELECT 1')).rejects.toMatchObject({ code: 'engine.failed' });
    });
  });

  it('gives small typed results as values, 64-bit integers as text', async () => {
    expect(await values(`SELECT 9223372036854775807, 1::INTEGER, 0.5::DOUBLE, true, 'x', NULL`)).toEqual([
      ['9223372036854775807', 1, 0.5, true, 'x', null],
    ]);
  });

  it('explains a SELECT and runs nothing', async () => {
    expect(await test.storage.statements.explain(endless, never)).toContain('RANGE');
    await expect(test.storage.statements.explain('DROP TABLE active_1.main.edge_logs', never)).rejects.toMatchObject({
      code: 'engine.failed',
    });
  });

  describe('refuses frames that are not one SELECT over the events', () => {
    it.each([
      `INSERT INTO active_1.main.edge_logs (id) VALUES ('x')`,
      `DELETE FROM active_1.main.edge_logs`,
      `UPDATE active_1.main.edge_logs SET id = 'x'`,
      `CREATE TABLE active_1.main.t (a INTEGER)`,
      `CREATE TABLE t AS SELECT 1`,
      `CREATE TEMP TABLE t AS SELECT 1`,
      `DROP TABLE active_1.main.edge_logs`,
      `ALTER TABLE active_1.main.edge_logs DROP COLUMN id`,
      `ATTACH ':memory:' AS m`,
      `DETACH active_1`,
      `USE active_1`,
      `COPY active_1.main.edge_logs TO '/tmp/x.csv'`,
      `EXPORT DATABASE '/tmp/x'`,
      `CHECKPOINT`,
      `VACUUM`,
      `PRAGMA database_list`,
      `SHOW TABLES`,
      `DESCRIBE active_1.main.edge_logs`,
      `PRAGMA memory_limit = '1GB'`,
      `SET memory_limit = '1GB'`,
      `SET SESSION TimeZone = 'Asia/Tokyo'`,
      `RESET lock_configuration`,
      `LOAD parquet`,
      `INSTALL httpfs`,
      `CALL pragma_version()`,
      `PREPARE p AS SELECT 1`,
      `EXECUTE p`,
      `EXPLAIN SELECT 1`,
      `EXPLAIN ANALYZE SELECT 1`,
      `BEGIN`,
      `COMMIT`,
      `ROLLBACK`,
      `SELECT 1; SELECT 2`,
      `SELECT 1; DROP TABLE active_1.main.edge_logs`,
      `COMMIT; DROP TABLE active_1.main.edge_logs`,
      `SELECT * FROM read_text('/etc/passwd')`,
      `SELECT * FROM read_csv('/etc/passwd')`,
      `SELECT * FROM read_blob('/proc/self/environ')`,
      `SELECT * FROM glob('/*')`,
      `SELECT * FROM '/etc/passwd'`,
      `SELECT * FROM read_parquet('https://example.com/x.parquet')`,
      `SELECT * FROM active_1.main.edge_logs WHERE id = (SELECT content FROM read_text('/etc/hostname'))`,
      ``,
      `;`,
      `no sql at all`,
    ])('%s', async (sql) => {
      await expect(rows(sql)).rejects.toMatchObject({ code: 'engine.failed' });
      await expect(values(sql)).rejects.toMatchObject({ code: 'engine.failed' });
      await expect(test.storage.statements.explain(sql, never)).rejects.toMatchObject({ code: 'engine.failed' });
      expect(await test.ids()).toEqual(['a', 'b', 'c']);
    });

    it('cannot reach a file beside the events folder, by any path', async () => {
      const outside = await mkdtemp(join(tmpdir(), 'logmill-outside-'));
      await writeFile(join(outside, 'secret.txt'), 'secret');
      for (const path of [
        join(outside, 'secret.txt'),
        `${test.eventsDir}/../../${outside.split('/').at(-1)}/secret.txt`,
        `${test.eventsDir}-other/x.txt`,
      ]) {
        await expect(values(`SELECT content FROM read_text('${path}')`), path).rejects.toMatchObject({
          code: 'engine.failed',
        });
      }
      await rm(outside, { recursive: true });
    });
  });

  describe('failures', () => {
    it('shows a sentence that the statement raised itself, with its position', async () => {
      const raised = values(`SELECT error('logmill:3:14:division by zero: use safe_divide')`);
      await expect(raised).rejects.toMatchObject({
        code: 'sql.data',
        message: expect.stringMatching(/^division by zero: use safe_divide.*\(line 3, column 14\)/),
        errors: [{ line: 3, column: 14, message: 'division by zero: use safe_divide' }],
      });
      await expect(values(`SELECT error('logmill:0:0:no position')`)).rejects.toMatchObject({
        errors: [{ message: 'no position' }],
      });
    });

    it.each([
      `SELECT CAST('secret' AS INTEGER)`,
      `SELECT CAST(300 AS TINYINT)`,
      `SELECT 9223372036854775807 + x FROM (SELECT 1::BIGINT AS x)`,
      `SELECT DATE '2020-13-01'`,
      `SELECT regexp_matches('a', x) FROM (SELECT '(secret' AS x)`,
      `SELECT CAST('logmill:1:1:secret' AS INTEGER)`,
    ])('names no value of the data: %s', async (sql) => {
      const error = await values(sql).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'sql.data' });
      expect((error as Error).message).not.toMatch(/secret|300|9223372036854775807|2020/);
    });

    it('tells of the memory limit', async () => {
      const sql = `SELECT list(x ORDER BY x) FROM (SELECT repeat('x', 100000) || range AS x FROM range(100000))`;
      await expect(values(sql)).rejects.toMatchObject({ code: 'query.memory' });
    });

    it('leaves nothing behind on the connection', async () => {
      await expect(values(`SELECT CAST('x' AS INTEGER)`)).rejects.toThrow(ServiceError);
      for (let n = 0; n < 6; n++) expect(await values('SELECT 1::INTEGER')).toEqual([[1]]);
    });
  });

  describe('ends', () => {
    const timeout = () => new ServiceError('query.timeout', 'too long');

    it('at the signal, with its reason, and runs the next one', async () => {
      const controller = new AbortController();
      const running = test.storage.statements.runRows(endless, bounds, controller.signal);
      setImmediate(() => controller.abort(timeout()));
      await expect(running).rejects.toMatchObject({ code: 'query.timeout' });
      expect(await values('SELECT 1::INTEGER')).toEqual([[1]]);
    });

    it('before it starts, where the signal has come already', async () => {
      const running = test.storage.statements.runValues(endless, AbortSignal.abort(timeout()));
      await expect(running).rejects.toMatchObject({ code: 'query.timeout' });
    });

    it('while it waits for a place, and refuses what finds the queue full', async () => {
      const controller = new AbortController();
      const running = [1, 2, 3, 4, 5, 6].map(
        async () => await test.storage.statements.runValues(endless, controller.signal),
      );
      await expect(values('SELECT 1')).rejects.toMatchObject({ code: 'query.overloaded', status: 503 });
      controller.abort(new ServiceError('query.cancelled', 'gone'));
      for (const outcome of await Promise.allSettled(running)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'query.cancelled' } });
      }
      expect(await values('SELECT 1::INTEGER')).toEqual([[1]]);
    });

    it('with its process where it does not obey; others are repeated, and appends go on', async () => {
      const before = test.observations.length;
      const controller = new AbortController();
      const { stuck } = await stubbornStatement(test, controller.signal);
      const other = values(`SELECT count(*) FROM range(600000000) AS t(n) WHERE n % 7 = 8`);
      // Calls are handled in order: those sent before an answered one are running by now.
      await values('SELECT 1::INTEGER');
      controller.abort(timeout());
      await expect(stuck).rejects.toMatchObject({ code: 'query.timeout' });
      await test.observed('engine.killed', before);
      await test.storage.log.append(edgeBatch(['d']));
      expect(await other).toEqual([['0']]);
      expect(await test.ids()).toEqual(['a', 'b', 'c', 'd']);
    });
  });
});

describe('a transaction that was begun before its statement came', () => {
  it('sees what was committed since, in files that were attached since', async () => {
    const test = await TestStorage.open();
    await test.storage.statements.runValues('SELECT 1', never);
    await test.storage.log.append(edgeBatch(['a']));
    expect(await test.ids()).toEqual(['a']);
    await test.storage.log.append(edgeBatch(['b']));
    expect(await test.ids()).toEqual(['a', 'b']);
    await test.storage.rotateNow();
    await test.storage.log.append(edgeBatch(['c']));
    expect(await test.ids()).toEqual(['a', 'b', 'c']);
    await test.storage.sealNow();
    expect(await test.ids()).toEqual(['a', 'b', 'c']);
    await test.close();
  });

  it('keeps no file from being replaced, though its rows were not read to the end', async () => {
    const test = await TestStorage.open();
    await test.storage.log.append(edgeBatch(Array.from({ length: 5000 }, (_, n) => `e${n}`)));
    const cut = await test.storage.statements.runRows(
      'SELECT encode(id) FROM active_1.main.edge_logs',
      { rowsMax: 1, bytesMax: 100 },
      never,
    );
    expect(cut).toMatchObject({ rowCount: 1, hasMore: true });
    await test.storage.sealNow();
    await test.observed('file.cleaned');
    expect(await test.ids()).toHaveLength(5000);
    await test.close();
  });
});

describe('a process that ends under its statements', () => {
  it('repeats the read that it interrupted, once', async () => {
    const test = await TestStorage.open();
    await test.storage.log.append(edgeBatch(['a']));
    const slow = test.values(`SELECT count(*) FROM range(100000000) AS t(n) WHERE n % 7 = 8`);
    await test.killEngine();
    expect(await slow).toEqual([['0']]);
    expect(test.observations.filter(({ kind }) => kind === 'engine.exited')).toHaveLength(1);
    await test.close();
  });

  it('counts no time in which there is no process for a read', async () => {
    const test = await TestStorage.open();
    const told: string[] = [];
    const time = {
      pause: () => void told.push('pause'),
      resume: () => {},
      restart: () => void told.push('restart'),
    };
    const timed = test.storage.statements.boundTo(null, null, time);
    expect(await timed.runValues('SELECT 1::INTEGER', never)).toEqual([[1]]);
    expect(told).toEqual([]);
    await test.killEngine();
    await test.observed('engine.exited');
    expect(await timed.runValues('SELECT 1::INTEGER', never)).toEqual([[1]]);
    expect(told).toEqual(['pause', 'restart']);
    await test.close();
  });

  it('repeats a read as often as others end the process under it, and tells whose it was each time', async () => {
    const test = await TestStorage.open({ interruptGraceMs: 50 });
    const leaving = new AbortController();
    const beside = test.storage.statements.runValues(endless, leaving.signal);
    // Whatever else it were refused with before its caller leaves, it would keep.
    const ended = expect(beside).rejects.toMatchObject({ code: 'query.cancelled' });
    const blamed: string[] = [];
    for (let kill = 0; kill < 6; ) {
      const before = test.observations.length;
      const controller = new AbortController();
      const caller = { tenant: `guilty ${kill}`, blamed: () => void blamed.push(`guilty ${kill}`) };
      const stuck = test.storage.statements
        .boundTo(null, null, undefined, caller)
        .runValues(stubborn, controller.signal);
      await test.storage.statements.runValues('SELECT 1', never);
      controller.abort(new ServiceError('query.timeout', 'over'));
      await expect(stuck).rejects.toMatchObject({ code: 'query.timeout' });
      // On a busy machine the interrupt can come before the part that ignores it. Then nothing ends, and it is tried
      // again.
      if (!test.observations.slice(before).some(({ kind }) => kind === 'engine.killed')) continue;
      await test.observed('engine.started', before);
      kill++;
    }
    expect(blamed).toEqual([0, 1, 2, 3, 4, 5].map((kill) => `guilty ${kill}`));
    leaving.abort(new ServiceError('query.cancelled', 'gone'));
    await ended;
    await test.close();
  });

  it('does not repeat a read that ended two processes', async () => {
    const test = await TestStorage.open();
    const slow = test.storage.statements.runValues(endless, never);
    const failed = expect(slow).rejects.toMatchObject({ code: 'engine.failed' });
    await test.killEngine();
    await test.observed('engine.started', test.observations.length);
    // The repeated statement is sent in the turn in which the process became ready.
    await new Promise((resolve) => setImmediate(resolve));
    await test.killEngine();
    await failed;
    await test.close();
  });

  it('ends the statement that outgrew the memory of the process, and repeats the one beside it', async () => {
    const mebibyte = 1024 * 1024;
    const test = await TestStorage.open({ memoryBytesMax: 4096 * mebibyte, processBytesMax: 700 * mebibyte });
    const other = test.storage.statements.runValues(
      `SELECT count(*) FROM range(300000000) AS t(n) WHERE n % 7 = 8`,
      never,
    );
    const large = test.storage.statements.runValues(
      `SELECT length(string_agg(x, ',')) FROM (SELECT repeat('x', 1000000) AS x FROM range(3000))`,
      never,
    );
    await expect(large).rejects.toMatchObject({ code: 'query.memory' });
    expect(await other).toEqual([['0']]);
    await test.close();
  });

  it('has a tenant end no other process beside a suspect of another one, which would be taken for it', async () => {
    const test = await TestStorage.open({ threads: 2 });
    const leaving = new AbortController();
    const of = (tenant: string) => test.storage.statements.boundTo(null, null, undefined, { tenant });
    const running = ['culprit', 'neighbour'].map(async (tenant) => await of(tenant).runValues(endless, leaving.signal));
    const ended = Promise.allSettled(running);
    await of('another').runValues('SELECT 1', never);
    const before = test.observations.length;
    await test.killEngine();
    await test.observed('engine.started', before);
    let isDone = false;
    const next = of('culprit')
      .runValues('SELECT 1', never)
      .finally(() => {
        isDone = true;
      });
    for (let round = 0; round < 20; round++) await of('another').runValues('SELECT 1', never);
    expect(isDone).toBe(false);
    leaving.abort(new ServiceError('query.cancelled', 'gone'));
    await ended;
    expect(await next).toEqual([[1]]);
    // There are no suspects any more.
    expect(await of('culprit').runValues('SELECT 1', never)).toEqual([[1]]);
    await test.close();
  });

  it('lets a statement that was given up end by itself, if its caller gave it the time', async () => {
    const test = await TestStorage.open({ interruptGraceMs: 1 });
    const controller = new AbortController();
    const long = `SELECT levenshtein(repeat('ab', 10000), repeat('ba', 10000))`;
    const ended = test.storage.statements
      .boundTo(null, null, undefined, { graceMs: 600_000 })
      .runValues(long, controller.signal);
    const refused = expect(ended).rejects.toMatchObject({ code: 'query.timeout' });
    await test.storage.statements.runValues('SELECT 1', never);
    controller.abort(new ServiceError('query.timeout', 'over'));
    await refused;
    expect(test.observations.map(({ kind }) => kind)).not.toContain('engine.killed');
    await test.close();
  });

  it.skipIf(process.platform !== 'linux')(
    'has the next process at hand when a statement does not stop and its own one is killed',
    async () => {
      const test = await TestStorage.open({ interruptGraceMs: 8_000 });
      const others = processes() - 1;
      const { stuck } = await stuckStatement(test);
      await expect.poll(() => processes() - others, { timeout: 60_000, interval: 5 }).toBe(2);
      expect(test.observations.map(({ kind }) => kind)).not.toContain('engine.killed');
      await test.killEngine();
      await expect(stuck).rejects.toMatchObject({ code: 'query.timeout' });
      await test.storage.log.append(edgeBatch(['a']));
      expect(await test.ids()).toEqual(['a']);
      expect(processes() - others).toBe(1);
      await test.close();
      expect(processes() - others).toBe(0);
    },
  );

  it.skipIf(process.platform !== 'linux')('ends the process that was at hand when the storage is closed', async () => {
    const test = await TestStorage.open({ interruptGraceMs: 60 });
    const others = processes() - 1;
    await stuckStatement(test);
    await expect.poll(() => processes() - others, { timeout: 60_000, interval: 1 }).toBeGreaterThan(1);
    await test.close();
    await expect.poll(() => processes() - others, { timeout: 60_000 }).toBe(0);
  });

  it('ends what still runs when the storage is closed, and closes the engine cleanly', async () => {
    const test = await TestStorage.open({});
    const ended = test.storage.statements.runValues(endless, never).then(
      () => 'answered',
      () => 'failed',
    );
    // Frames keep their order: once this one is answered, the earlier one has begun.
    await test.storage.statements.runValues('SELECT 1', never);
    await test.close();
    expect(await ended).toBe('failed');
    expect(test.observations.filter(({ kind }) => kind === 'warning')).toEqual([]);
  });
});
