import { Command } from 'commander';
import { sizeText } from '../backupProgress.ts';
import type { CliContext } from '../cliContext.ts';
import { listExports } from '../exporting/serviceExport.ts';
import { plainTable } from '../plainTable.ts';
import { serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

/** `logmill exports list`: lists the exports of the token. */
export function exportsListCommand(context: CliContext): Command {
  const command = new Command('list').description(
    'list the exports that this token has started, the newest first; the service removes them one hour after their end',
  );
  return addServiceOptions(command, 'query').action((options: ServiceOptions) => list(options, context));
}

async function list(options: ServiceOptions, context: CliContext): Promise<void> {
  const exports = await listExports(serviceAddress(options, context.environment));
  if (options.json === true) {
    context.out(`${JSON.stringify(exports, undefined, 2)}\n`);
    return;
  }
  const rows = exports.map(({ id, endpoint, format, state, rows, bytes, created_at, expires_at, error }) => [
    id,
    endpoint.name,
    format,
    error === null ? state : `${state}: ${error.code}`,
    rows,
    sizeText(bytes),
    created_at,
    expires_at,
  ]);
  context.out(plainTable(['id', 'endpoint', 'format', 'state', 'rows', 'rows as JSON', 'created', 'removed'], rows));
}
