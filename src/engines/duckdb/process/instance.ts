import { mkdir } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { quoteText } from '../sqlText.ts';
import type { EngineOptions } from './protocol.ts';
import { RedactedValues, registerRedactingFunctions } from './scripted/redactingFunctions.ts';
import { StatementSteps } from './scripted/scriptedFunction.ts';

/**
 * Opens the engine, which itself is in memory; event files are attached. It can reach no file outside the events
 * folder, no network and no extension, and this cannot be changed afterwards.
 */
export async function openInstance(
  options: EngineOptions,
  redacted: RedactedValues = new RedactedValues(options.redactionRowsMax),
  steps: StatementSteps = new StatementSteps(),
): Promise<DuckDBInstance> {
  await mkdir(options.spillDir, { recursive: true, mode: 0o700 });
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  if (options.hasScripted) {
    // They compile WebAssembly and patterns, for which the process that writes events need not wait at its start.
    const { registerScriptedFunctions } = await import('./scripted/scriptedFunctions.ts');
    const { redactorOf } = await import('../../../redact/redactionConfig.ts');
    registerScriptedFunctions(connection, steps);
    registerRedactingFunctions(connection, redactorOf(options.redaction), redacted);
  }
  // DETACH would write the log of an active segment into its file, only for the file to be removed: its events are sealed.
  await connection.run('PRAGMA disable_checkpoint_on_shutdown');
  const text = quoteText;
  for (const setting of [
    `threads = ${options.threads}`,
    `memory_limit = ${text(`${options.memoryBytesMax}B`)}`,
    `temp_directory = ${text(options.spillDir)}`,
    `max_temp_directory_size = ${text(`${options.spillBytesMax}B`)}`,
    // Otherwise, a LIMIT of 50 or less can be 20 times slower on these files.
    `late_materialization_max_rows = 0`,
    // It would answer from what it remembers of a file of the same name, such as the rows that another run fetched.
    `enable_external_file_cache = false`,
    // An active segment is checkpointed only at a clean stop; see settings.ts.
    `checkpoint_threshold = '1TB'`,
    `TimeZone = 'UTC'`,
    // The first follows the free space (spillBound.ts); the second is one of each connection (read/statements.ts).
    `allowed_configs = ['max_temp_directory_size', 'streaming_buffer_size']`,
    `autoinstall_known_extensions = false`,
    `autoload_known_extensions = false`,
    `allow_community_extensions = false`,
    `allow_persistent_secrets = false`,
    `allowed_directories = [${text(`${options.eventsDir}/`)}]`,
    `enable_external_access = false`,
    // Last, because nothing can be set afterwards.
    `lock_configuration = true`,
  ]) {
    await connection.run(`SET ${setting}`);
  }
  connection.closeSync();
  return instance;
}
