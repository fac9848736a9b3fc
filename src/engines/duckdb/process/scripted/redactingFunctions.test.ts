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
