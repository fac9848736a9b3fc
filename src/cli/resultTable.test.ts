import { describe, expect, it } from 'vitest';
import { parseJson } from '../core/losslessJson.ts';
import { readAnswer, renderTable } from './resultTable.ts';

const body = parseJson(`{
  "result": [
    { "id": 9223372036854775807, "name": "one\\ntwo\\u001b[31m", "metadata": { "b": 1, "a": [1, null] } },
    { "id": 2, "name": null, "metadata": null }
  ],
  "meta": {
    "columns": [{ "name": "id", "type": "INT64" }, { "name": "name", "type": "STRING" }, { "name": "metadata", "type": "JSON" }],
    "truncated_by": "query_limit", "notices": [{ "code": "x", "message": "a notice" }], "query": { "elapsed_ms": 7.4 }
  } }`);

describe('renderTable', () => {
  it('shows columns in their order, every digit, records as JSON and no control characters', () => {
    const table = renderTable(readAnswer(body), 200);
    const [, head, , first] = table.split('\n');
    expect(head).toMatch(/id +│ name +│ metadata/);
    expect(first).toContain('9223372036854775807');
    expect(first).toContain('{"b":1,"a":[1,null]}');
    expect(first).toContain('one⏎two·[31m');
    expect(table).not.toContain('\u001b');
  });

  it.each([40, 50, 60])('fits into %d columns by cutting the longest cells', (columns) => {
    const lines = renderTable(readAnswer(body), columns).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.join('')).toContain('…');
  });

  it('reads what is told beside the rows', () => {
    expect(readAnswer(body)).toMatchObject({ truncatedBy: 'query_limit', notices: ['a notice'], elapsedMs: 7.4 });
    expect(readAnswer({})).toMatchObject({ columns: [], rows: [], notices: [] });
  });
});
