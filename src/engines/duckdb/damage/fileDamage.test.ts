import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { ServiceError } from '../../../core/errors.ts';
import { EngineFailure } from '../host/engineFailure.ts';
import { isReadDamage } from './fileDamage.ts';

it.each([
  ['f1.edge_logs', true],
  ['f1.main.edge_logs', true],
  ['edge_logs', false],
])('knows by the words of the engine whether the segment of %s was detached: %s', async (name, isDetached) => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const failed = await connection.run(`SELECT * FROM ${name}`).then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  connection.closeSync();
  instance.closeSync();
  expect(failed).not.toBe('');
  const cause = new EngineFailure({ kind: 'engine', message: null, detail: failed, line: 0, column: 0 });
  expect(isReadDamage(new ServiceError('engine.failed', 'x', { cause }))).toBe(isDetached);
});
