import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { counted } from '../../core/counted.ts';
import { exportFormats } from '../../exports/exportRecord.ts';
import { sizeText } from '../backupProgress.ts';
import { addCallOptions, type CallOptions, callParameters } from '../callOptions.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { formHeaders } from '../patientAnswer.ts';
import { answerOf, callService, type ServiceAddress, serviceAddress, urlOptionText } from '../serviceClient.ts';
import { downloadExport, exportPath, exportStatus, exportStatusIn } from '../serviceExport.ts';

interface ExportOptions extends CallOptions {
  readonly format: string;
  readonly output: string;
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** Time between two looks at a running export. */
const lookEveryMs = 1_000;

/** `logmill export NAME -o FILE`: writes all rows of a query into a file. */
export function exportCommand(context: CliContext): Command {
  const command = new Command('export').description(
    'write all rows of a query into a file, far more than one answer has',
  );
  return addCallOptions(command)
    .addOption(new Option('--format <format>', 'format of the file').choices(exportFormats).default('ndjson'))
    .requiredOption('-o, --output <file>', 'file to write; it must not exist')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope query (default: LOGMILL_TOKEN)')
    .option('--json', 'print JSON')
    .action((endpoint: string, options: ExportOptions) => exportRows(endpoint, options, context));
}

async function exportRows(endpoint: string, options: ExportOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const { output: file, sql, lql, format } = options;
  if (existsSync(file)) throw new CliError(`${file} exists already. Give the name of a new file.`, { exitCode: 2 });
  const parameters = callParameters(options);
  parameters.append('format', format);
  const headers = { ...formHeaders, prefer: 'respond-async' };
  const path = `/api/endpoints/query/${encodeURIComponent(endpoint)}`;
  const begun = await answerOf(address, path, { body: parameters.toString(), headers }, sql ?? lql);
  const { id } = exportStatusIn(begun, address);
  const done = context.onInterrupt(() => `The export goes on; its ID is ${id}.\n`);
  try {
    const { rows, truncated_by } = await ended(address, id, context);
    await downloadExport(address, id, {
      file,
      progress: (bytes, of) => show(context, `reading ${sizeText(bytes)} of ${sizeText(of)}`),
      delay: (ms) => context.delay(ms),
    });
    endLine(context);
    const cut = truncated_by === null ? '' : `, truncated by ${truncated_by}`;
    if (options.json === true) context.out(`${JSON.stringify({ file, rows, truncated_by }, undefined, 2)}\n`);
    else context.err(`${counted(rows, 'row')} in ${file}${cut}\n`);
  } finally {
    done();
  }
  // The file is there; otherwise the service removes the export an hour later.
  await callService(address, exportPath(id), { method: 'DELETE' });
}

async function ended(address: ServiceAddress, id: string, context: CliContext) {
  for (;;) {
    const status = await exportStatus(address, id, context);
    if (status.state === 'complete') return status;
    if (status.error !== null)
      throw new CliError(`The export has failed: ${status.error.detail} (${status.error.code})`);
    show(context, `${status.state}: ${counted(status.rows, 'row')}, ${sizeText(status.bytes)}`);
    await context.delay(lookEveryMs);
  }
}

/** Replaces the line of progress on a terminal. */
function show({ isTerminal, err }: CliContext, text: string): void {
  if (isTerminal) err(`\r${text}\u001b[K`);
}

function endLine(context: CliContext): void {
  show(context, '');
}
