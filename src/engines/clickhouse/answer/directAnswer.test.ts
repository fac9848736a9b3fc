import { expect, it } from 'vitest';
import { binaryRow } from '../../../../test/support/binaryRows.ts';
import type { QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import type { Column } from '../../../googlesql/resolve/tree.ts';
import type { SplitPlan } from '../emit/fetch.ts';
import { directAnswer } from './directAnswer.ts';
import { JsonBytes } from './jsonBytes.ts';
import { rowBytesMax, UnreadableAnswer } from './rowBinary.ts';

const column: Column = { id: 1, name: 'text', type: { kind: 'STRING' } };
const table = { id: 2, name: 'edge_logs', columns: [column], relation: { kind: 'oneRow' } };

/** An answer that has one fetched text so many times. */
const answerOf = (times: number) => answerAs(Array.from({ length: times }, (_, i) => `a${i}`));

/** An answer that has one fetched text under each of the names. */
function answerAs(names: readonly string[]) {
  const split = {
    fetches: [{ table, columns: [{ column, name: 'out_0', transport: 'plain', personal: null }], order: null }],
    relation: { kind: 'withReference', table, columns: [column] },
    outputs: names.map(() => ({ kind: 'column', type: column.type, column })),
    keptBack: [],
  } as unknown as SplitPlan;
  const columns = names.map((name) => ({ name, column }));
  const answer = directAnswer(split, { query: { columns } } as unknown as QueryPlan, 'plain');
  if (answer === null) throw new Error('the query has a rest');
  return answer;
}

it('writes a fetched column as often as the answer has it', () => {
  const json = new JsonBytes();
  answerOf(3).writeRow(binaryRow([Buffer.from('x')]), json);
  expect(json.bytes.toString('utf8', 0, json.length)).toBe('{"a0":"x","a1":"x","a2":"x"}');
});

it('writes names as DuckDB does', () => {
  const json = new JsonBytes();
  answerAs(['a"\u001f\n']).writeRow(binaryRow([Buffer.from('x')]), json);
  expect(json.bytes.toString('utf8', 0, json.length)).toBe('{"a\\"\\u001F\\n":"x"}');
});

it('leaves a row to DuckDB that is much longer in the answer than it came', () => {
  const json = new JsonBytes();
  const text = Buffer.alloc(2 ** 20, 'a');
  expect(() => answerOf(5_000).writeRow(binaryRow([text]), json)).toThrow(UnreadableAnswer);
  expect(json.length).toBeLessThan(rowBytesMax + 2 * text.length);
});

it('writes the keys of a page: a time as its microseconds, and a key that is always NULL', () => {
  const time: Column = { id: 3, name: 'timestamp', type: { kind: 'TIMESTAMP' } };
  const read = { kind: 'column', type: time.type, column: time };
  const rows = { ...table, columns: [time] };
  const split = {
    fetches: [
      { table: rows, columns: [{ column: time, name: 'out_0', transport: 'micros', personal: null }], order: null },
    ],
    relation: { kind: 'withReference', table: rows, columns: [time] },
    outputs: [
      read,
      { kind: 'call', type: { kind: 'INT64' }, fn: 'unix_micros', args: [read] },
      { kind: 'literal', type: { kind: 'STRING' }, value: null },
    ],
    keptBack: [],
  } as unknown as SplitPlan;
  const query = { columns: [{ name: 't', column: time }], pageKeys: [] };
  const answer = directAnswer(split, { query } as unknown as QueryPlan, 'plain');
  const json = new JsonBytes();
  answer?.writeKeys?.(binaryRow([1_777_552_205_000_001n]), json);
  expect(json.bytes.toString('utf8', 0, json.length)).toBe('{"k0":1777552205000001,"k1":null}');
});
