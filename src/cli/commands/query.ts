import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { counted } from '../../core/counted.ts';
import { parseJson } from '../../core/losslessJson.ts';
import { type FormatName, formatNames, resultFormat } from '../../formats/resultFormat.ts';
import { noticesOf, readAllRows, type WholeFormat, wholeFormats, wholeFormatsText } from '../allRows.ts';
import { addCallOptions, type CallOptions, callParameters } from '../callOptions.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { renderExplanation } from '../explanation.ts';
import { cannotWrite, intoFile } from '../intoFile.ts';
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

interface QueryOptions extends CallOptions {
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly format?: FormatName;
  readonly stream?: boolean;
  readonly all?: boolean;
  readonly out?: string;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill query NAME --param k=v`: calls an endpoint and prints its rows. */
export function queryCommand(context: CliContext): Command {
  const command = new Command('query').description('call an endpoint of a running service and print its rows');
  return addCallOptions(command)
    .option('--explain', 'show what the query reads and returns, without running it (scope query:explain)')
    .option('--json', 'print the whole answer as JSON instead of a table')
    .addOption(new Option('--format <format>', 'print the rows in this format instead of a table').choices(formatNames))
    .option(
      '--stream',
      'read the rows while they are computed, beyond the limits of one answer, as NDJSON, CSV, TSV or Arrow',
    )
    .option('--all', `read all rows in pages, beyond the limits of one answer; only with --format ${wholeFormatsText}`)
    .option('--out <file>', 'file to write; only with --format or --stream (default: standard output)')
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
  if (options.explain === true && (format !== undefined || options.out !== undefined || options.all === true)) {
    throw new CliError('--explain describes the query, so it takes neither --format nor --out nor --all.', {
      exitCode: 2,
    });
  }
  if (format === undefined && options.out !== undefined) {
    throw new CliError('--out needs --format, because a table is only for reading.', { exitCode: 2 });
  }
  if (format !== undefined && resultFormat(format).isBinary && options.out === undefined) {
    throw new CliError(`--format ${format} needs --out, because it is not text.`, { exitCode: 2 });
  }
  if (options.all === true) {
    const whole = wholeFormats.find((name) => name === format);
    if (whole === undefined) {
      throw new CliError(`--all needs --format ${wholeFormatsText}.`, { exitCode: 2 });
    }
    await writeAll(address, path, parameters, whole, options, context);
    return;
  }
  if (format !== undefined) {
    parameters.append('format', format);
    writeFormat(await wholeAnswerOf(address, path, sent(parameters), options.sql ?? options.lql), options, context);
    return;
  }
  const answer = await answerOf(address, path, sent(parameters), options.sql ?? options.lql);
  if (options.json === true) {
    context.out(`${answer}\n`);
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
  { format = 'ndjson', out, explain, json, sql, lql }: QueryOptions,
  context: CliContext,
): Promise<void> {
  if (explain === true || json === true)
    throw new CliError('--stream reads rows, so it takes neither --explain nor --json.', { exitCode: 2 });
  if (resultFormat(format).isBinary && out === undefined)
    throw new CliError(`--format ${format} needs --out, because it is not text.`, { exitCode: 2 });
  parameters.append('stream', 'true');
  parameters.append('format', format);
  const open = () => openAnswerOf(address, path, sent(parameters), sql ?? lql);
  await writeStream(open, { out, isNdjson: format === 'ndjson' }, context);
}

function sent(parameters: URLSearchParams): ServiceRequest {
  return { body: parameters.toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' } };
}

/** Writes the answer, and what it has no place for as messages. */
function writeFormat(
  { body, bytes, headers }: { readonly body: string; readonly bytes: Uint8Array; readonly headers: Headers },
  { out }: QueryOptions,
  context: CliContext,
): void {
  if (out === undefined) context.out(body);
  else {
    try {
      writeFileSync(out, bytes);
    } catch (error) {
      throw cannotWrite(out, error);
    }
  }
  const count = headers.get('x-row-count');
  const truncated = headers.get('x-truncated') ?? 'false';
  if (count !== null) tellCount(Number(count), truncated === 'false' ? null : truncated, out, context);
  for (const message of noticesOf(headers)) context.err(`notice: ${message}\n`);
}

async function writeAll(
  address: ServiceAddress,
  path: string,
  parameters: URLSearchParams,
  format: WholeFormat,
  { out, sql, lql }: QueryOptions,
  context: CliContext,
): Promise<void> {
  const call = { address, path, parameters, format, query: sql ?? lql };
  const rows =
    out === undefined
      ? await readAllRows(call, (bytes) => context.out(Buffer.from(bytes).toString()), context)
      : await intoFile(out, (write) => readAllRows(call, write, context));
  tellCount(rows.count, rows.truncatedBy, out, context);
  for (const message of rows.notices) context.err(`notice: ${message}\n`);
}

function tellCount(count: number, truncatedBy: string | null, out: string | undefined, context: CliContext): void {
  const cut = truncatedBy === null ? '' : `, truncated by ${truncatedBy}`;
  context.err(`${counted(count, 'row')}${out === undefined ? '' : ` in ${out}`}${cut}\n`);
}
