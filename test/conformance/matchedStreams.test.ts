import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCaller } from '../../src/googlesql/compile.ts';
import type { QueryEngine, QueryResult } from '../../src/ports/queryEngine.ts';
import type { StorageHarness } from '../../src/ports/storageHarness.contract.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import { engineUnderTest, never, onEngine } from '../support/enginesUnderTest.ts';
import { ingestOf } from './ingestOf.ts';

/**
 * Streams whose project is a member of metadata: every event of them has metadata, which planning
 * makes use of. Rows that an outer join makes up have none all the same.
 */
const events = {
  edge_logs: [{ id: 'a', metadata: { request: { method: 'GET' } } }, { id: 'b' }],
  function_edge_logs: [{ id: 'a', metadata: { function_id: 'f' } }],
};

const stored = `with
  edge_logs as (select id, timestamp, event_message, metadata from sources.edge_logs where project = @project),
  function_edge_logs as (
    select t.id, t.timestamp, t.event_message, t.metadata
    from sources.function_edge_logs t cross join unnest(t.metadata) m where m.project_ref = @project)
  select 1`;

const startMicros = Date.UTC(2026, 4, 1, 10) * 1000;

describe(onEngine('streams matched inside metadata'), () => {
  let test: StorageHarness;
  let engine: QueryEngine;
  beforeAll(async () => {
    test = await engineUnderTest.open();
    test.clock.setMicros(startMicros + 3_600_000_000);
    const ingest = ingestOf(test);
    for (const [source, rows] of Object.entries(events)) {
      // The other project has twice as many events: a count of them would show.
      const sent = ['mine', 'other', 'other'].flatMap((project) =>
        rows.map((row) => ({ ...row, project, timestamp: startMicros, event_message: 'm' })),
      );
      await ingest(source, Buffer.from(JSON.stringify(sent)));
    }
    engine = test.engine.queries;
  });
  afterAll(async () => {
    await test.close();
  });

  async function run(sql: string): Promise<{ rows: unknown[][]; result: QueryResult }> {
    const query = compileCaller(sql, stored, {
      sources: new Map(builtinSources.map((source) => [source.name, source])),
      parameters: new Map([['project', 'string']]),
    });
    const result = await engine.run(
      {
        query,
        parameters: new Map([['project', { kind: 'string', value: 'mine' }]]),
        projects: null,
        redaction: null,
        nowMicros: test.clock.nowMicros(),
        rowsMax: 1000,
        bytesMax: 2 ** 24,
        profile: 'plain',
      },
      never,
    );
    const rows = JSON.parse(`[${Buffer.from(result.rows).toString()}]`) as Record<string, unknown>[];
    return { rows: rows.map((row) => Object.values(row)), result };
  }

  it.each([
    [
      'CROSS JOIN UNNEST of metadata drops a row that an outer join made up',
      'select a.id, m.function_id from edge_logs a left join function_edge_logs b on a.id = b.id cross join unnest(b.metadata) m',
      [['a', 'f']],
    ],
    [
      'LEFT JOIN UNNEST of metadata keeps a row that an outer join made up',
      'select a.id, m.function_id from edge_logs a left join function_edge_logs b on a.id = b.id left join unnest(b.metadata) m order by 1',
      [
        ['a', 'f'],
        ['b', null],
      ],
    ],
    [
      'a subquery over the metadata of a made-up row has no rows',
      'select a.id, (select count(*) from unnest(b.metadata)) from edge_logs a left join function_edge_logs b on a.id = b.id order by 1',
      [
        ['a', 1],
        ['b', 0],
      ],
    ],
  ])('%s', async (_title, sql, want) => {
    expect((await run(sql)).rows).toEqual(want);
  });

  it.each([
    ["select count(*) from function_edge_logs where metadata.project_ref = 'other'", 0],
    ["select count(*) from function_edge_logs cross join unnest(metadata) m where m.project_ref = 'other'", 0],
    ["select count(*) from edge_logs a join function_edge_logs b on b.metadata.project_ref = 'other'", 2],
  ])('a caller who names another project sees neither its rows nor how many it has: %s', async (sql, scanned) => {
    const { rows, result } = await run(sql);
    expect(rows).toEqual([[0]]);
    expect(result.rowsScanned).toBe(scanned);
  });
});
