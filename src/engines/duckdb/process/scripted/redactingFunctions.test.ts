import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { createRedactor } from '../../../../redact/createRedactor.ts';
import { RedactionRefusal } from '../callFailure.ts';
import { RedactedValues, redactedCharsMax, registerRedactingFunctions } from './redactingFunctions.ts';

it('refuses texts that are too long together, before it has redacted what is beyond the bound', async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const redactor = createRedactor();
  let redactedChars = 0;
  const counting = Object.assign(Object.create(redactor), {
    redactString: (text: string) => {
      redactedChars += text.length;
      return text;
    },
  });
  const redacted = new RedactedValues(200_000);
  registerRedactingFunctions(connection, counting, redacted);
  const read = async (rows: number) => {
    const tag = rows;
    redacted.begin(tag);
    try {
      await connection.run(
        `SELECT max(length(logmill_redact_text(repeat('x', 900000) || i, '["event_message"]', ${tag}))) FROM range(${rows}) AS r(i)`,
      );
      redacted.requireWithin(tag);
    } finally {
      redacted.end(tag);
    }
  };
  await read(30);
  expect(redactedChars).toBeGreaterThan(30 * 900_000);
  redactedChars = 0;
  // As many as were enough to hold every query and all ingestion up for a minute.
  const error = await read(104).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain(`${redactedCharsMax} characters`);
  redacted.begin(1);
  expect(() => redacted.addText(1, redactedCharsMax + 1)).toThrow(RedactionRefusal);
  expect(redactedChars).toBeLessThanOrEqual(redactedCharsMax);
  connection.closeSync();
  instance.closeSync();
});

it('redacts and counts a value once for each chunk of rows', async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const redacted = new RedactedValues(2);
  registerRedactingFunctions(connection, createRedactor(), redacted);
  const read = async (tag: number, text: string) => {
    redacted.begin(tag);
    try {
      const rows = await connection.runAndReadAll(
        `SELECT DISTINCT logmill_redact_text(${text}, '["event_message"]', ${tag}) FROM range(2000) AS r(i) ORDER BY 1`,
      );
      return rows.getRowsJson();
    } finally {
      redacted.end(tag);
    }
  };
  const text = "CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'at 203.0.113.7' END";
  expect(await read(1, text)).toEqual([['a'], ['at [REDACTED:ip]'], [null]]);
  await expect(read(2, `coalesce(${text}, 'c')`)).rejects.toThrow();
  connection.closeSync();
  instance.closeSync();
});
