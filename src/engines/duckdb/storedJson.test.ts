import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileStored } from '../../googlesql/compile.ts';
import { builtinSources } from '../../sources/builtin.ts';
import { DuckDbQueryEngine } from './duckdbQueryEngine.ts';
import { never, TestStorage } from './storage.fixture.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
/** As ingestion would never write it: whoever reads it anew changes it. */
const metadata = '{"b": 1.50, "a": {"c": [ 1,null ]}, "n": null}';

let test: TestStorage;
let engine: DuckDbQueryEngine;
beforeAll(async () => {
  test = await TestStorage.open();
  const hot = (sources.get('pooler_logs')?.hotColumns ?? []).map(() => null);
  const event = { id: 'e', timestampMicros: 1_000_000, project: 'p', eventMessage: 'm', metadata, hot, irregular: [] };
  await test.storage.eventLog.append({ source: 'pooler_logs', events: [event], identity: null });
  engine = new DuckDbQueryEngine(test.storage.files, test.storage.statements);
});
afterAll(async () => {
  await test.close();
});

const requestOf = (sql: string) => ({
  query: compileStored(sql, { sources, parameters: new Map() }),
  parameters: new Map(),
  projects: null,
  redaction: null,
  nowMicros: 0,
  rowsMax: 10,
  bytesMax: 10_000,
  profile: 'plain' as const,
});

it.each([
  ['metadata alone', 'select metadata from sources.pooler_logs', `{"metadata":${metadata}}`],
  ['metadata beside others', 'select id, metadata from sources.pooler_logs', `{"id":"e","metadata":${metadata}}`],
  ['a member', 'select metadata.a as a from sources.pooler_logs', '{"a":{"c":[1,null]}}'],
  ['a JSON null', 'select metadata.n as n from sources.pooler_logs', '{"n":null}'],
])('shows %s without having the engine read it once more', async (_, sql, row) => {
  const { statement } = await engine.explain(requestOf(sql), never);
  expect(statement).not.toContain('AS JSON)');
  const { rows } = await engine.run(requestOf(sql), never);
  expect(Buffer.from(rows).toString()).toBe(row);
});
