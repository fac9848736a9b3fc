import { Command, Option } from 'commander';
import { counted } from '../../core/counted.ts';
import { parseJson } from '../../core/losslessJson.ts';
import { type FormatName, formatNames, resultFormat } from '../../formats/resultFormat.ts';
import { readAllRows, type WholeFormat, wholeFormats, wholeFormatsText } from '../allRows.ts';
import { addCallOptions, type CallOptions, callParameters } from '../callOptions.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { renderExplanation } from '../explanation.ts';
import { addFormatFlags, type FormatFlags, formatParameters } from '../formatFlags.ts';
import { addOutOption, fileOf, intoOutput, type OutOptions, outOf, refuseBinary, showAnswer } from '../intoOutput.ts';
import { noticesOf, tellNotices } from '../notices.ts';
import { formHeaders } from '../patientAnswer.ts';
import { readAnswer } from '../resultTable.ts';
import {
  answerOf,
  openAnswerOf,
  type ServiceAddress,
  type ServiceRequest,
  serviceAddress,
  urlOptionText,
  wholeAnswerOf,
} from '../serviceClient.ts';
import { showRows } from '../showRows.ts';
import { writeStream } from '../writeStream.ts';

interface QueryOptions extends CallOptions, OutOptions, FormatFlags {
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly format?: FormatName;
  readonly stream?: boolean;
  readonly all?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill query NAME --param k=v`: calls an endpoint and prints its rows. */
export function queryCommand(context: CliContext): Command {
  const command = new Command('query').description('call an endpoint of a running service and print its rows');
  addCallOptions(command)
    .option('--explain', 'show what the query reads and returns, without running it (scope query:explain)')
    .option('--json', 'print the whole answer as JSON instead of a table')
    .addOption(new Option('--format <format>', 'print the rows in this format instead of a table').choices(formatNames))
    .option(
      '--stream',
      'read the rows while they are computed, beyond the limits of one answer, as NDJSON, CSV, TSV or Arrow',
    )
    .option('--all', `read all rows in pages, beyond the limits of one answer; only with --format ${wholeFormatsText}`);
  addFormatFlags(command);
  return addOutOption(command, 'file to write; only with --format or --stream; - is standard output, the default')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope query (default: LOGMILL_TOKEN)')
    .action((endpoint: string, options: QueryOptions) => query(endpoint, options, context));
}

async function query(endpoint: string, options: QueryOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const parameters = callParameters(options);
  if (options.explain === true) parameters.append('dry_run', 'true');
  const path = `/api/endpoints/query/${encodeURIComponent(endpoint)}`;
  if (options.stream === true) {
    await stream(address, path, parameters, options, context);
    return;
  }
  const { format } = options;
  const file = fileOf(options);
  if (options.explain === true && (format !== undefined || outOf(options) !== undefined || options.all === true)) {
    throw new CliError('--explain describes the query, so it takes neither --format nor --out nor --all.', {
      exitCode: 2,
    });
  }
  if (format === undefined && file !== undefined) {
    throw new CliError('--out needs --format, because a table is only for reading.', { exitCode: 2 });
  }
  if (format !== undefined && resultFormat(format).isBinary && file === undefined) refuseBinary(format, context);
  for (const [name, value] of formatParameters(format, options)) parameters.append(name, value);
  if (options.all === true) {
    const whole = wholeFormats.find((name) => name === format);
    if (whole === undefined) {
      throw new CliError(`--all needs --format ${wholeFormatsText}.`, { exitCode: 2 });
    }
    await writeAll(address, path, parameters, whole, options, context);
    return;
  }
  if (format !== undefined) {
    const answer = await wholeAnswerOf(address, path, sent(parameters), options.sql ?? options.lql);
    await writeFormat(answer, file, context);
    return;
  }
  const answer = await answerOf(address, path, sent(parameters), options.sql ?? options.lql);
  if (options.json === true) {
    await showAnswer(answer, context);
    return;
  }
  const body = parseJson(answer);
  if (options.explain !== true) {
    showRows(body, context);
    return;
  }
  context.out(`${renderExplanation(body)}\n`);
  for (const notice of readAnswer(body).notices) context.err(`notice: ${notice}\n`);
}

/** Reads the rows as a stream. The service says which formats a stream can have. */
async function stream(
  address: ServiceAddress,
  path: string,
  parameters: URLSearchParams,
  options: QueryOptions,
  context: CliContext,
): Promise<void> {
  const { format = 'ndjson', explain, json, sql, lql } = options;
  const file = fileOf(options);
  if (explain === true || json === true)
    throw new CliError('--stream reads rows, so it takes neither --explain nor --json.', { exitCode: 2 });
  if (resultFormat(format).isBinary && file === undefined) refuseBinary(format, context);
  parameters.append('stream', 'true');
  for (const [name, value] of formatParameters(format, options)) parameters.append(name, value);
  const open = () => openAnswerOf(address, path, sent(parameters), sql ?? lql);
  await writeStream(open, { file, format }, context);
}

function sent(parameters: URLSearchParams): ServiceRequest {
  return { body: parameters.toString(), headers: formHeaders, effect: 'none' };
}

/** Writes the answer, and what it has no place for as messages. */
async function writeFormat(
  { bytes, headers }: { readonly bytes: Uint8Array; readonly headers: Headers },
  file: string | undefined,
  context: CliContext,
): Promise<void> {
  await intoOutput(file, context, async (write) => write(bytes));
  const count = headers.get('x-row-count');
  const truncated = headers.get('x-truncated') ?? 'false';
  if (count !== null) tellCount(Number(count), truncated === 'false' ? null : truncated, file, context);
  tellNotices(noticesOf(headers), context);
}

async function writeAll(
  address: ServiceAddress,
  path: string,
  parameters: URLSearchParams,
  format: WholeFormat,
  options: QueryOptions,
  context: CliContext,
): Promise<void> {
  const file = fileOf(options);
  const call = { address, path, parameters, format, query: options.sql ?? options.lql };
  const rows = await intoOutput(file, context, (write) => readAllRows(call, write, context));
  tellCount(rows.count, rows.truncatedBy, file, context);
  tellNotices(rows.notices, context);
}

function tellCount(count: number, truncatedBy: string | null, file: string | undefined, context: CliContext): void {
  const cut = truncatedBy === null ? '' : `, truncated by ${truncatedBy}`;
  context.err(`${counted(count, 'row')}${file === undefined ? '' : ` in ${file}`}${cut}\n`);
}
