import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseJson } from '../../../core/losslessJson.ts';
import { writeJson } from '../../../core/writeJson.ts';
import { compileStored } from '../../../googlesql/compile.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { never, TestStorage } from '../storage.fixture.ts';
import { DuckDbQueryEngine } from './duckdbQueryEngine.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
/** Ingestion never writes it like this, so parsing and writing it again would change it. */
const metadata = '{"b": 1.50, "a": {"c": [ 1,null ]}, "n": null}';

let test: TestStorage;
let engine: DuckDbQueryEngine;
beforeAll(async () => {
  test = await TestStorage.open();
  const hot = (sources.get('pooler_logs')?.hotColumns ?? []).map(() => null);
  const event = { id: 'e', timestampMicros: 1_000_000, project: 'p', eventMessage: 'm', metadata, hot, irregular: [] };
  await test.storage.log.append({ source: 'pooler_logs', events: [event], identity: null });
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

it('shows a number in one form, whether alone or within metadata', async () => {
  const hot = (sources.get('pooler_logs')?.hotColumns ?? []).map(() => null);
  const numbers = '[1e+21,-1.5E300,1e22,1e-7,123456789012345680000,18446744073709551615,-0]';
  const text = writeJson(parseJson(`{"v":${numbers}}`));
  const event = {
    id: 'e',
    timestampMicros: 1_000_000,
    project: 'n',
    eventMessage: '',
    metadata: text,
    hot,
    irregular: [],
  };
  await test.storage.log.append({ source: 'pooler_logs', events: [event], identity: null });
  const read = async (what: string) => {
    const sql = `select ${what} as x from sources.pooler_logs where project = 'n'`;
    const { rows } = await engine.run(requestOf(sql), never);
    return Buffer.from(rows).toString().slice('{"x":'.length, -1);
  };
  const list = await read('metadata.v');
  expect(await read('metadata')).toBe(`{"v":${list}}`);
  for (const [at, number] of list.slice(1, -1).split(',').entries()) {
    expect(await read(`metadata.v[${at}]`)).toBe(number);
  }
});

const doubles = [
  0,
  3,
  -7,
  0.5,
  0.00001,
  1e-7,
  2 ** 53,
  1e16,
  -123456789012345680,
  2 ** 63,
  9.99999999999999e20,
  1e21,
  -1.5e300,
];

it.each(doubles)(
  'reads %d of a typed column, which a former version may have written, as from metadata',
  async (number) => {
    const columns = sources.get('function_edge_logs')?.hotColumns ?? [];
    const project = String(number);
    const text = JSON.stringify(number);
    const event = {
      id: 'e',
      timestampMicros: 1_000_000,
      project,
      eventMessage: '',
      metadata: `{"execution_time_ms":${text},"same":${text}}`,
      hot: columns.map(({ column }) => (column === 'execution_time_ms' ? number : null)),
      irregular: [],
    };
    await test.storage.log.append({ source: 'function_edge_logs', events: [event], identity: null });
    const read = async (member: string) => {
      const sql = `select metadata.${member} as m, [metadata.${member}] as n, to_json_string(metadata.${member}) as s, lax_string(metadata.${member}) as l
                 from sources.function_edge_logs where project = '${project}'`;
      const { statement } = await engine.explain(requestOf(sql), never);
      const { rows } = await engine.run(requestOf(sql), never);
      return { isTyped: !statement.includes('json_extract(metadata'), row: Buffer.from(rows).toString() };
    };
    const { isTyped, row } = await read('same');
    expect(isTyped).toBe(false);
    expect(await read('execution_time_ms')).toEqual({ isTyped: true, row });
  },
);
