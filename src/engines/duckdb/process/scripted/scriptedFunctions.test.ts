import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callFailure } from '../callFailure.ts';
import { registerScripted, StatementSteps, scripted } from './scriptedFunction.ts';
import { registerScriptedFunctions } from './scriptedFunctions.ts';

describe('functions that the engine process computes', () => {
  let instance: DuckDBInstance;
  let connection: DuckDBConnection;
  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:', { threads: '2' });
    connection = await instance.connect();
    registerScriptedFunctions(connection, new StatementSteps());
    await connection.run(`CREATE TABLE texts AS SELECT 'text ' || i AS t FROM range(520000) AS r(i)`);
  });
  afterAll(() => {
    connection.closeSync();
    instance.closeSync();
  });
  const value = async (sql: string): Promise<unknown> => (await connection.runAndReadAll(sql)).getRowsJson()[0]?.[0];

  // As the reference evaluator answers; texts of each length class are hashed in another way.
  it.each([
    ['', '-7286425919675154353'],
    ['a', '-5528939962900187677'],
    ['abc', '2640714258260161385'],
    ['abcdefgh', '-78300442537744119'],
    ['The quick brown fox', '-517306638013326363'],
    ['0b0f9a52-3c1e-4d4f-8b57-000000000000', '8659941439924638927'],
    ['abc'.repeat(100), '-5713926820395479967'],
    ['é', '693143013273849025'],
  ])('the fingerprint of %j is %s', async (text, expected) => {
    expect(await value(`SELECT logmill_farm_fingerprint(encode('${text}'))`)).toBe(expected);
  });

  it.each([
    ['memory', new RangeError('Array buffer allocation failed')],
    ['engine', new TypeError('x is not a function')],
  ])('tells a fault of its own from one of the values: %s', async (kind, fault) => {
    const fails = scripted({
      name: `fails_by_${kind}`,
      label: 'FAILS',
      takes: ['VARCHAR'],
      gives: 'VARCHAR',
      evaluate: () => {
        throw fault;
      },
    });
    registerScripted(connection, fails, new StatementSteps());
    const error = await value(`SELECT fails_by_${kind}('a')`).catch((thrown: unknown) => thrown);
    expect(callFailure(error)).toMatchObject({ kind, message: null });
    expect(callFailure(error).detail).toContain(fault.message);
  });

  it('gives NULL where an argument is NULL, row by row', async () => {
    expect(await value(`SELECT logmill_normalize(NULL, 'NFD')`)).toBeNull();
    const sql = `SELECT list(logmill_normalize(x, 'NFKC') ORDER BY i)::VARCHAR FROM (VALUES (1, 'ﬁ'), (2, NULL), (3, 'b')) AS v(i, x)`;
    expect(await value(sql)).toBe('[fi, NULL, b]');
  });

  it('refuses more values in one statement than the process can be held up for', async () => {
    const failure = await value('SELECT count(logmill_farm_fingerprint(encode(t))) FROM texts').catch(callFailure);
    expect(failure).toMatchObject({
      kind: 'data',
      message: expect.stringMatching(/^FARM_FINGERPRINT .*500000 values/),
    });
    // What one statement used does not count for the next.
    const some = 'SELECT count(logmill_farm_fingerprint(encode(t))) FROM (SELECT t FROM texts LIMIT 300000)';
    expect([await value(some), await value(some)]).toEqual(['300000', '300000']);
  });

  it('refuses more bytes in one statement than the process can be held up for', async () => {
    const failure = await value(
      `SELECT count(logmill_sha512(encode(repeat(t, 20000)))) FROM (SELECT t FROM texts LIMIT 1000)`,
    ).catch(callFailure);
    expect(failure).toMatchObject({ kind: 'data', message: expect.stringMatching(/^SHA512 .*67108864 bytes/) });
  });

  it('can be interrupted', async () => {
    const other = await instance.connect();
    const endless = other.runAndReadAll(
      `SELECT sum(logmill_regexp_instr(t, '9+', 1, 1, 0)) FROM (SELECT t FROM texts LIMIT 400000), range(1000000) AS r(i) WHERE t > i::VARCHAR`,
    );
    const failed = endless.then(
      () => ({ kind: 'finished' }),
      (error: unknown) => callFailure(error),
    );
    let isDone = false;
    void failed.then(() => {
      isDone = true;
    });
    while (!isDone) {
      other.interrupt();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await failed).toMatchObject({ kind: 'interrupted' });
    other.closeSync();
  });

  it('does not lock up when a stream of its results is left before its end', async () => {
    for (let i = 0; i < 3; i++) {
      const other = await instance.connect();
      await other.run('BEGIN TRANSACTION READ ONLY');
      const statement = await other.prepare(`SELECT logmill_normalize(t, 'NFD') FROM texts`);
      const result = await statement.stream();
      expect((await result.fetchChunk())?.rowCount).toBeGreaterThan(0);
      statement.destroySync();
      await other.run('ROLLBACK');
      other.closeSync();
    }
  });
});
