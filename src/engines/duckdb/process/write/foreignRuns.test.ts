import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FragmentFilter } from '../../files/fragmentFilter.ts';
import { createTableSql, type TableLayout, tableInFile } from '../../files/tableLayout.ts';
import { fragmentFilters } from './foreignRuns.ts';

const texts = ['id', 'project', 'event_message', 'metadata'].map((name) => ({ name, type: 'VARCHAR' as const }));
const layout: TableLayout = {
  table: 'logs',
  columns: [
    ...[...texts, { name: 'timestamp', type: 'TIMESTAMP' as const }],
    ...['request_url', 'url', 'curl', 'url_path'].map((name) => ({ name, type: 'VARCHAR' as const })),
    { name: 'number_url', type: 'BIGINT' as const },
  ].map((column) => ({ ...column, isLongText: false })),
};

const instance = await DuckDBInstance.create(':memory:');
let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await instance.connect();
  await connection.run(`ATTACH ':memory:' AS file`);
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});
beforeEach(async () => {
  await connection.run(`DROP TABLE IF EXISTS ${tableInFile('file', 'logs')}`);
  await connection.run(createTableSql('file', layout, 'sealed'));
});

/** Adds events of a project; `url` is an expression of `i`, which counts them. */
async function add(events: number, url: string, project = 'some'): Promise<void> {
  await connection.run(
    `INSERT INTO ${tableInFile('file', 'logs')} (project, request_url, url, curl, url_path)
     SELECT '${project}', ${url}, ${url}, ${url}, ${url} FROM range(${events}) AS r(i)`,
  );
}

const filtersOf = async (events: number) =>
  new Map(await fragmentFilters(connection, 'file', layout, events, async () => undefined));
async function filterOf(events: number): Promise<FragmentFilter | null> {
  const filter = (await filtersOf(events)).get('request_url');
  return filter === undefined ? null : new FragmentFilter(filter);
}

describe('filters of foreign runs', () => {
  it('are made of typed columns of URLs only', async () => {
    await add(1, `'x'`);
    expect([...(await filtersOf(1)).keys()]).toEqual(['request_url', 'url']);
  });

  it('hold the runs of every event, whatever its place is and whichever rows were deleted', async () => {
    const events = 200_000;
    await add(
      events,
      `CASE WHEN i % 20477 < 2 OR i % 61440 > 61438 OR i % 61440 < 2 THEN 'token' || (10000000000 + i) END`,
    );
    await connection.run(`DELETE FROM ${tableInFile('file', 'logs')} WHERE request_url IS NULL`);
    await add(1, `'lastandlastandlast'`);
    const { rows } = await connection
      .runAndReadAll(`SELECT request_url FROM ${tableInFile('file', 'logs')}`)
      .then((result) => ({ rows: result.getRows() }));
    const filter = await filterOf(rows.length);
    expect(rows.length).toBeGreaterThan(25);
    expect(rows.filter(([run]) => filter?.mayContain(String(run)) !== true)).toEqual([]);
    expect(filter?.mayContain('absentabsentabsent')).toBe(false);
  });

  it.each([
    ['the name', 'abcdefghijklmnopqrst', false],
    ['the name and more', 'abcdefghijklmnopqrstu', true],
    ['more and the name', 'xabcdefghijklmnopqrst', true],
    ['the name twice', 'abcdefghijklmnopqrstabcdefghijklmnopqrst', true],
    ['a part of the name', 'abcdefghijklmnopqrs', true],
    ['the name in another case', 'abcdefghijklmnopqrsT', true],
  ])('of %s: %s: %s', async (_, run, isHeld) => {
    await add(1, `'https://${run}/'`, 'abcdefghijklmnopqrst');
    const filter = await filterOf(1);
    for (const part of [run, run.slice(0, 16), run.slice(-16)]) expect(filter?.mayContain(part)).toBe(isHeld);
  });

  const manySame = `'token' || (10000000000 + i % 10)`;
  it.each([
    ['20,000 runs', 20_000, manySame, 'some', true],
    ['20,001 runs in one range', 20_001, manySame, 'some', false],
    ['40,000 runs in two ranges', 122_880, `CASE WHEN i % 61440 < 20000 THEN ${manySame} END`, 'some', true],
    ['runs of 1,024 characters', 900, `lpad(CAST(i AS VARCHAR), 1024, 'long')`, 'some', true],
    ['a million characters', 977, `lpad(CAST(i AS VARCHAR), 1024, 'long')`, 'some', false],
    ['a run of 1,025 characters', 1, `repeat('x', 1025)`, 'some', false],
    ['a longer run that begins with the name', 1, `repeat('x', 1026)`, 'x'.repeat(1025), false],
    ['a long run that is the name', 1, `repeat('x', 1025)`, 'x'.repeat(1025), true],
    ['a URL of 8,192 bytes', 1, `repeat('ü', 4096)`, 'some', true],
    ['a URL of 8,194 bytes', 1, `repeat('ü', 4097)`, 'some', false],
    ['a long URL of the project *', 1, `repeat('-', 9000)`, '*', false],
  ])('%s: %s', async (_, events, url, project, isThere) => {
    await add(events, url, project);
    expect((await filterOf(events)) !== null).toBe(isThere);
  });
});
