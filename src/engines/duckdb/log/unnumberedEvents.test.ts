import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { DuckDbQueryEngine } from '../query/duckdbQueryEngine.ts';
import { edgeBatch, never, TestStorage } from '../storage.fixture.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

async function idsOf(test: TestStorage, order: string, limit: number): Promise<readonly string[]> {
  const engine = new DuckDbQueryEngine(test.storage.files, test.storage.statements);
  const sql = `select id from sources.edge_logs where project = 'p' order by ${order} limit ${limit}`;
  const request = { query: compileStored(sql, { sources, parameters: new Map() }), parameters: new Map() };
  const bounds = { projects: null, redaction: null, nowMicros: 0, rowsMax: limit, bytesMax: 2 ** 20 } as const;
  const { rows } = await engine.run({ ...request, ...bounds, profile: 'plain' }, never);
  return (JSON.parse(`[${Buffer.from(rows).toString()}]`) as { id: string }[]).map(({ id }) => id);
}

/** Turns a closed storage into that of a release without arrival numbers. */
async function withoutNumbers(test: TestStorage): Promise<void> {
  for (const record of await test.manifest.load()) {
    const instance = await DuckDBInstance.create(join(test.eventsDir, `sealed-${record.number}.duckdb`));
    const connection = await instance.connect();
    await connection.run('ALTER TABLE edge_logs DROP COLUMN arrival_number; CHECKPOINT');
    connection.closeSync();
    instance.closeSync();
    const without = record.sources.map((source) => {
      const copy: { arrivals?: unknown } & Omit<typeof source, 'arrivals'> = { ...source };
      delete copy.arrivals;
      return copy as typeof source;
    });
    await test.manifest.commit({ ...record, sources: without }, []);
  }
}

it('events from before there were numbers tie by id, before all others, in files of their own and beside others', async () => {
  const test = await TestStorage.open({ mergeFiles: 2 });
  await test.storage.log.append(edgeBatch(['m', 'x', 'a']));
  await test.storage.sealNow();
  await test.closeStorage();
  await withoutNumbers(test);
  await test.reopen();
  const old = ['a', 'm', 'x'];
  const check = async (arrived: readonly string[]) => {
    const all = [...old, ...arrived];
    expect(await idsOf(test, 'timestamp', 100)).toEqual(all);
    for (const limit of [1, all.length - 2, 100]) {
      expect(await idsOf(test, 'timestamp desc', limit)).toEqual(all.toReversed().slice(0, limit));
    }
  };
  await check([]);
  await test.storage.log.append(edgeBatch(['z', 'b', 'n']));
  await check(['z', 'b', 'n']);
  await test.storage.sealNow();
  await check(['z', 'b', 'n']);
  await test.storage.mergeNow();
  const [merged, ...others] = await test.manifest.load();
  expect(others).toEqual([]);
  expect(merged?.sources).toMatchObject([{ unnumbered: 3, counts: [6] }]);
  await test.storage.log.append(edgeBatch(['0']));
  await check(['z', 'b', 'n', '0']);
  await test.reopen();
  await check(['z', 'b', 'n', '0']);
  await test.close();
});
