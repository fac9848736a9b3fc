import { DuckDBConnection } from '@duckdb/node-api';

/**
 * Has the engine's binding fail as DuckDB does once it could not take back a transaction: at the next ATTACH, and then at the
 * statement that asks whether the instance still works.
 */
const { run } = DuckDBConnection.prototype;
const refusal =
  'FATAL Error: Failed: database has been invalidated because of a previous fatal error. The database must be restarted prior to being used again.\nOriginal error: "a secret"';

DuckDBConnection.prototype.run = async function (sql, ...rest) {
  if (sql.startsWith('ATTACH'))
    throw new Error('FATAL Error: Failed to rollback transaction. Cannot continue operation.');
  if (sql === 'SELECT 1') throw new Error(refusal);
  return await run.call(this, sql, ...rest);
};
