import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { uuidV4 } from '../../core/ids.ts';
import { systemReason } from '../../core/systemReason.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { createIngestProgress } from '../ingestion/ingestProgress.ts';
import { lineBatches } from '../ingestion/lineBatches.ts';
import { openInput } from '../ingestion/openInput.ts';
import { type FileLine, readLines } from '../ingestion/readLines.ts';
import { sendBatch } from '../ingestion/sendBatch.ts';
import { textEvents } from '../ingestion/textLines.ts';
import { serviceAddress, urlOptionText } from '../serviceClient.ts';

interface IngestOptions {
  readonly source: string;
  readonly url?: string;
  readonly token?: string;
  readonly batch: string;
  readonly format: 'json' | 'text';
  readonly project?: string;
  readonly joinIndented?: true;
  readonly again?: true;
  readonly json?: true;
}

/** Bytes of one batch, well below the limit of a request. */
const batchBytesMax = 4 * 1024 * 1024;
const lineBytesMax = 4 * 1024 * 1024;
const reportedMax = 100;
/** The service knows batches again for 15 minutes. If a run took no longer than this, there are ten minutes left. */
const soonMicros = 5 * 60 * 1_000_000;

/** `logmill ingest FILE --source NAME`: sends a file of events, one JSON object or one line of text each. */
export function ingestCommand(context: CliContext): Command {
  return new Command('ingest')
    .description(
      'send a file of events, one per line, to a running service; a file that was just sent is not stored again',
    )
    .argument('<file>', 'path of the file, also compressed with gzip or zstd; or - for standard input')
    .requiredOption('--source <name>', 'source that the events belong to, such as edge_logs')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope ingest (default: LOGMILL_TOKEN)')
    .addOption(
      new Option('--format <format>', 'what a line is: a JSON object, or the text of an event')
        .choices(['json', 'text'])
        .default('json', 'json'),
    )
    .option('--project <name>', 'project of the events, with --format text')
    .option('--join-indented', 'append indented lines to the event before, with --format text')
    .option('--again', 'store a file again that was sent before')
    .option('--json', 'print the counts as JSON')
    .addOption(new Option('--batch <events>', 'events per request, 1 to 10000').default('1000', '1000'))
    .action((file: string, options: IngestOptions) => ingest(file, options, context));
}

async function ingest(file: string, options: IngestOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const linesMax = batchSize(options.batch);
  refuseTextOptions(options);
  const startedMicros = context.clock.nowMicros();
  let lastLine = 0;
  let isKnownAgain = false;
  const place = () => placeOf(lastLine, isKnownAgain && context.clock.nowMicros() - startedMicros < soonMicros);
  // Before the progress bar, whose own signal handler ends the process.
  const goesOn = context.onInterrupt(() => `\nInterrupted. ${place()} The batch in progress may be stored too.\n`);
  const size = file === '-' ? undefined : await sizeOf(file);
  const input = openInput(file, context.stdin);
  const progress = createIngestProgress(context, size, () => input.bytesRead());
  // What comes through a pipe may be the same twice and be meant twice.
  isKnownAgain = size !== undefined && options.again !== true;
  const keyOf = batchKeys(isKnownAgain ? '' : uuidV4(context.randomness));
  let reported = 0;
  const report = (line: number, code: string, message: string) => {
    reported++;
    if (reported <= reportedMax) progress.say(`line ${line}: ${code}: ${message}`);
    else if (reported === reportedMax + 1) progress.say('Further rejected lines are counted but not shown.');
  };
  const tooLong = (line: number) => {
    progress.add({ accepted: 0, rejected: 1 });
    report(line, 'event.too_large', `the line is longer than ${lineBytesMax} bytes`);
  };
  const lines = eventsOf(readLines(input.chunks, lineBytesMax), options, context);
  try {
    for await (const batch of lineBatches(lines, { linesMax, bytesMax: batchBytesMax }, tooLong)) {
      const outcome = await sendBatch(address, options.source, batch, keyOf(batch.body), {
        delay: context.delay,
        waits: progress.waits,
      });
      lastLine = batch.lineNumbers.at(-1) ?? lastLine;
      progress.add({ accepted: outcome.accepted, rejected: outcome.rejectedCount });
      for (const { lineNumber, code, message } of outcome.rejected) report(lineNumber, code, message);
    }
  } catch (error) {
    throw withPlace(error, place());
  } finally {
    progress.stop();
    goesOn();
  }
  const { accepted, rejected } = progress.counts();
  context.out(
    options.json === true
      ? `${JSON.stringify({ source: options.source, accepted, rejected }, undefined, 2)}\n`
      : `${eventsText(accepted)} stored in ${options.source}, ${rejected} rejected\n`,
  );
  if (rejected > 0) {
    const verb = rejected === 1 ? 'was' : 'were';
    throw new CliError(`${rejected} of ${eventsText(accepted + rejected)} ${verb} rejected.`);
  }
}

function refuseTextOptions({ format, project, joinIndented }: IngestOptions): void {
  if (format === 'text') return;
  const given = project !== undefined ? '--project' : joinIndented === true ? '--join-indented' : null;
  if (given === null) return;
  throw new CliError(`${given} is for --format text. Events in JSON name their project themselves.`, { exitCode: 2 });
}

function eventsOf(
  lines: AsyncIterable<FileLine>,
  { format, project, joinIndented }: IngestOptions,
  { clock }: CliContext,
): AsyncIterable<FileLine> {
  if (format === 'json') return lines;
  return textEvents(lines, {
    project: project ?? null,
    joinIndented: joinIndented === true,
    bytesMax: lineBytesMax,
    nowMicros: () => clock.nowMicros(),
  });
}

/**
 * The Idempotency-Key of each batch, made from `run` and all bytes up to its end. So a batch is known again if the same
 * file is sent once more, but not if the same lines stand elsewhere.
 */
function batchKeys(run: string): (body: Buffer) => string {
  let before = run;
  return (body) => {
    before = createHash('sha256').update(before).update(body).digest('base64url');
    return before;
  };
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

function withPlace(error: unknown, place: string): unknown {
  if (!(error instanceof CliError)) return error;
  return new CliError(`${error.message}\n${place}`, { exitCode: error.exitCode, cause: error });
}

function placeOf(lastLine: number, isKnownAgain: boolean): string {
  if (lastLine === 0) return 'No line was sent.';
  const goOn = isKnownAgain
    ? 'run the same command again within ten minutes: it stores only the rest.'
    : `send the rest, from line ${lastLine + 1}.`;
  return `Lines 1 to ${lastLine} were sent; ${goOn}`;
}

function eventsText(count: number): string {
  return `${count} ${count === 1 ? 'event' : 'events'}`;
}
