import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { compressionOf } from '../../core/compressionOf.ts';
import { uuidV4 } from '../../core/ids.ts';
import { systemReason } from '../../core/systemReason.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { createIngestProgress } from '../ingestProgress.ts';
import { lineBatches } from '../lineBatches.ts';
import { readLines } from '../readLines.ts';
import { sendBatch } from '../sendBatch.ts';
import { serviceAddress, urlOptionText } from '../serviceClient.ts';

interface IngestOptions {
  readonly source: string;
  readonly url?: string;
  readonly token?: string;
  readonly batch: string;
}

/** Bytes of one batch, well below the limit of a request. */
const batchBytesMax = 4 * 1024 * 1024;
const lineBytesMax = 4 * 1024 * 1024;
const reportedMax = 100;

/** `logmill ingest FILE --source NAME`: sends a file of events, one JSON object per line. */
export function ingestCommand(context: CliContext): Command {
  return new Command('ingest')
    .description('send a file of events, one JSON object per line, to a running service')
    .argument('<file>', 'path of the file, or - for standard input')
    .requiredOption('--source <name>', 'source that the events belong to, such as edge_logs')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope ingest (default: LOGMILL_TOKEN)')
    .addOption(new Option('--batch <events>', 'events per request, 1 to 10000').default('1000', '1000'))
    .action((file: string, options: IngestOptions) => ingest(file, options, context));
}

async function ingest(file: string, options: IngestOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const linesMax = batchSize(options.batch);
  let lastLine = 0;
  // Before the progress bar, whose own signal handler ends the process.
  const goesOn = context.onInterrupt(
    () => `\nInterrupted. ${placeOf(lastLine, file)} The batch in progress may be stored too.\n`,
  );
  const progress = createIngestProgress(context, file === '-' ? undefined : await sizeOf(file));
  // New for each run, so that a retried batch is stored once but a file sent twice is stored twice.
  const run = uuidV4(context.randomness);
  let reported = 0;
  const report = (line: number, code: string, message: string) => {
    reported++;
    if (reported <= reportedMax) progress.say(`line ${line}: ${code}: ${message}`);
    else if (reported === reportedMax + 1) progress.say('Further rejected lines are counted but not shown.');
  };
  const tooLong = (line: number) => {
    progress.add({ accepted: 0, rejected: 1, bytes: 0 });
    report(line, 'event.too_large', `the line is longer than ${lineBytesMax} bytes`);
  };
  const input = file === '-' ? (context.stdin as AsyncIterable<Buffer>) : createReadStream(file);
  const lines = readLines(plain(input, file, options.source), lineBytesMax);
  let number = 0;
  try {
    for await (const batch of lineBatches(lines, { linesMax, bytesMax: batchBytesMax }, tooLong)) {
      const outcome = await sendBatch(address, options.source, batch, `${run}-${number++}`, context);
      lastLine = batch.lineNumbers.at(-1) ?? lastLine;
      progress.add({ accepted: outcome.accepted, rejected: outcome.rejectedCount, bytes: batch.body.length });
      for (const { lineNumber, code, message } of outcome.rejected) report(lineNumber, code, message);
    }
  } catch (error) {
    throw withPlace(error, lastLine, file);
  } finally {
    progress.stop();
    goesOn();
  }
  const { accepted, rejected } = progress.counts();
  context.out(`${eventsText(accepted)} stored in ${options.source}, ${rejected} rejected\n`);
  if (rejected > 0) {
    const verb = rejected === 1 ? 'was' : 'were';
    throw new CliError(`${rejected} of ${eventsText(accepted + rejected)} ${verb} rejected.`);
  }
}

/** Passes the input on. Throws a CliError if it is compressed, because every line would be rejected for a wrong reason. */
async function* plain(
  input: AsyncIterable<Buffer | string>,
  file: string,
  source: string,
): AsyncGenerator<Buffer | string> {
  let isBeginning = true;
  for await (const chunk of input) {
    const coding = isBeginning && typeof chunk !== 'string' ? compressionOf(chunk) : undefined;
    if (coding !== undefined) {
      throw new CliError(
        `${file === '-' ? 'Standard input' : file} is compressed with ${coding}. Decompress it first: ${coding} -dc ${file === '-' ? 'FILE' : file} | logmill ingest - --source ${source}`,
        { exitCode: 2 },
      );
    }
    isBeginning = false;
    yield chunk;
  }
}

function batchSize(text: string): number {
  const size = Number(text);
  if (Number.isInteger(size) && size >= 1 && size <= 10_000) return size;
  throw new CliError(`--batch is "${text}"; it must be a whole number from 1 to 10000.`, { exitCode: 2 });
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new CliError(`${file} is a folder; give a file of events.`, { exitCode: 2 });
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${file} cannot be read: ${systemReason(error)}.`, { exitCode: 2, cause: error });
  }
}

function withPlace(error: unknown, lastLine: number, file: string): unknown {
  if (!(error instanceof CliError)) return error;
  return new CliError(`${error.message}\n${placeOf(lastLine, file)}`, { exitCode: error.exitCode, cause: error });
}

function placeOf(lastLine: number, file: string): string {
  return lastLine === 0 ? 'No line was sent.' : `Lines 1 to ${lastLine} were sent; ${goOn(lastLine, file)}`;
}

function goOn(lastLine: number, file: string): string {
  if (file === '-') return `send the rest, from line ${lastLine + 1}.`;
  return `to send the rest: tail -n +${lastLine + 1} ${file} | logmill ingest - ...`;
}

function eventsText(count: number): string {
  return `${count} ${count === 1 ? 'event' : 'events'}`;
}
