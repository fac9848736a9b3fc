import type { DuckDBConnection } from '@duckdb/node-api';

/** A fatal error; the later ones repeat it. An event file can be invalidated too, and only that file is refused then. */
const fatal = /^FATAL Error:|has been invalidated/;
/** How the engine refuses every statement of an instance that a fatal error made useless, until it is opened again. */
const refused = /^FATAL Error: Failed: database has been invalidated\b/;

/**
 * Whether the instance refuses every statement from now on, as after a transaction that it could not take back because it had
 * no memory. `detail`: the text of an error; only that of a fatal one is a reason to ask the engine.
 */
export async function isInvalidated(
  detail: string,
  connect: () => Promise<Pick<DuckDBConnection, 'run' | 'closeSync'>>,
): Promise<boolean> {
  if (!fatal.test(detail)) return false;
  try {
    const connection = await connect();
    try {
      await connection.run('SELECT 1');
    } finally {
      connection.closeSync();
    }
    return false;
  } catch (error) {
    return error instanceof Error && refused.test(error.message);
  }
}
