import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { everythingRemoved, nothingRemoved } from '../../../retention/cutoffs.ts';
import { quoteText } from '../sqlText.ts';
import { cutoffOf, keptCondition, type RowMask } from './rowMasks.ts';

const projects = ["o'brien", 'b', 'nul \u0000 inside', 'ü'];
const times = [-5, 0, 1, 7, 1_700_000_000_000_000];

const cutoff = fc.oneof(fc.constantFrom(nothingRemoved, everythingRemoved), fc.constantFrom(...times, 2, 8));
const hidden: fc.Arbitrary<RowMask> = fc.record({
  others: cutoff,
  own: fc.uniqueArray(fc.tuple(fc.constantFrom(...projects.slice(0, 3)), cutoff), { selector: ([project]) => project }),
});

it('keeps exactly the rows at or after the cutoff of their project', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const listed = projects.map((project) => quoteText(project)).join(', ');
  await connection.run(
    `CREATE TABLE t AS SELECT p AS project, make_timestamp(m) AS "timestamp", m FROM
     (SELECT unnest([${listed}]) AS p), (SELECT unnest([${times.join(', ')}]::BIGINT[]) AS m)`,
  );
  await fc.assert(
    fc.asyncProperty(hidden, async (rows) => {
      const reader = await connection.runAndReadAll(`SELECT project, m FROM t WHERE ${keptCondition(rows)}`);
      const kept = reader.getRows().map(([project, micros]) => `${String(project)} ${String(micros)}`);
      const expected = projects.flatMap((project) =>
        times.filter((micros) => micros >= cutoffOf(rows, project)).map((micros) => `${project} ${micros}`),
      );
      expect(kept.sort()).toEqual(expected.sort());
    }),
    { numRuns: 300 },
  );
  connection.closeSync();
});
