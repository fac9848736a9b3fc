import { counted } from '../../core/counted.ts';
import type { JsonObject } from '../../core/jsonValue.ts';
import { writeJson } from '../../core/writeJson.ts';
import { sizeText } from '../backupProgress.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError, withAdvice } from '../cliError.ts';
import { intoOutput } from '../intoOutput.ts';
import { tellNotices } from '../notices.ts';
import { RefusedCall, type ServiceAddress } from '../serviceClient.ts';
import type { ExportFile } from './exportFile.ts';
import { type DataTarget, readData } from './readData.ts';
import {
  completed,
  type ExportStatus,
  exportPath,
  exportStatus,
  FailedExport,
  noticesOfStatus,
  removeExport,
} from './serviceExport.ts';

/** An export whose data are wanted. */
export interface WantedExport {
  readonly address: ServiceAddress;
  /** Format of the data and its options. */
  readonly data: URLSearchParams;
  /** A call that starts the export, or the ID of one that was started. */
  readonly origin: { readonly begin: () => Promise<ExportStatus> } | { readonly id: string };
}

/** What was read. */
export interface ReadExport {
  readonly id: string;
  readonly rows: number;
  readonly truncatedBy: string | null;
  readonly notices: readonly JsonObject[];
}

const dataPath = (id: string, data: URLSearchParams): string => `${exportPath(id)}/data?${data.toString()}`;

/**
 * Writes the data of an export into a file. Goes on with what an earlier command began for the same file, if the service still
 * has it. What is not complete at the end is kept for the next command, unless it can no longer become complete.
 *
 * An interrupted command leaves the export to the service, so that a lost terminal or a mistyped Ctrl-C costs nothing. The last
 * words say how to go on, and how to stop the export. Otherwise the service removes it one hour after its end.
 *
 * @param tell what happens besides
 */
export async function readExportInto(
  file: ExportFile,
  { address, data, origin }: WantedExport,
  context: CliContext,
  tell: (sentence: string) => void,
): Promise<ReadExport> {
  const done = context.onInterrupt(() => lastWords(file));
  try {
    if ('id' in origin) {
      if (file.exportId === null) file.remember(origin.id);
    } else if (!(await canResume(file, address, context, tell))) {
      if (file.abandoned !== null) await removeExport(address, file.abandoned);
      file.remember((await origin.begin()).id);
    }
    const id = file.exportId ?? '';
    const status = await completed(address, id, context);
    const notices = await readData(address, dataPath(id, data), file, {
      delay: context.delay,
      progress: (bytes, of) => context.progress(`reading ${sizeText(bytes)} of ${sizeText(of)}`),
    });
    file.complete();
    return readOf(status, notices);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { exportId: id } = file;
    if (id !== null && !isLost(error)) {
      file.close();
      throw withAdvice(error, `Run the same command again to go on with the export ${id}.`, { export: id });
    }
    file.forget();
    // It has no rows, and would take a place for an hour.
    if (id !== null && error instanceof FailedExport && !('id' in origin)) await removeExport(address, id);
    throw error;
  } finally {
    context.progress('');
    done();
  }
}

/** Whether the export that the file was begun with can still become complete. */
async function canResume(
  file: ExportFile,
  address: ServiceAddress,
  context: CliContext,
  tell: (sentence: string) => void,
): Promise<boolean> {
  const { exportId: id, present } = file;
  if (id === null) return false;
  try {
    const { state, rows, error } = await exportStatus(address, id, context);
    if (error === null) {
      const kept = present === null ? '' : ` ${sizeText(present.bytes)} are in ${file.file}.part.`;
      tell(`Going on with the export ${id}, which is ${state} (${counted(rows, 'row')}).${kept}`);
      return true;
    }
    tell(`The export ${id}, with which ${file.file} was begun, has failed: ${error.detail} A new one begins.`);
    await removeExport(address, id);
  } catch (error) {
    if (!(error instanceof RefusedCall && error.problem.code === 'export.unknown')) throw error;
    tell(`The service no longer has the export ${id}, with which ${file.file} was begun. A new one begins.`);
  }
  return false;
}

function lastWords(file: ExportFile): string {
  const { exportId: id } = file;
  if (id !== null) {
    return `\nInterrupted. The service keeps the export ${id}. Run the same command again to go on, or "logmill exports delete ${id}" to remove it.\n`;
  }
  file.forget();
  return '\nInterrupted. "logmill exports list" shows whether an export has begun.\n';
}

/** Writes the data of an export to standard output. Such a command cannot go on, but another one can read the export. */
export async function readExportOut({ address, data, origin }: WantedExport, context: CliContext): Promise<ReadExport> {
  const id = 'id' in origin ? origin.id : (await origin.begin()).id;
  const advice = `"logmill exports download ${id}" reads this export, and "logmill exports delete ${id}" removes it.`;
  const done = context.onInterrupt(() => `\nInterrupted. ${advice}\n`);
  try {
    const status = await completed(address, id, context);
    const notices = await intoOutput(undefined, context, (write) =>
      readData(address, dataPath(id, data), outputTarget(write), { delay: context.delay, progress: () => undefined }),
    );
    return readOf(status, notices);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (!isLost(error)) throw withAdvice(error, advice, { export: id });
    if (error instanceof FailedExport && !('id' in origin)) await removeExport(address, id);
    throw error;
  } finally {
    context.progress('');
    done();
  }
}

/** What was written to standard output cannot be taken back. */
function outputTarget(write: (bytes: Uint8Array) => void): DataTarget {
  let hasWritten = false;
  return {
    present: null,
    begin() {
      if (hasWritten) throw new CliError('The data of the export changed after a part was written.');
    },
    write(bytes) {
      hasWritten = true;
      write(bytes);
    },
  };
}

/** Codes with which the service says that an export has no data any more. */
const lostCodes: ReadonlySet<string> = new Set([
  'export.unknown',
  'export.incomplete',
  'export.interrupted',
  'export.events_removed',
  'export.endpoint_changed',
]);

/** Whether another attempt would fail in the same way. */
function isLost(error: CliError): boolean {
  if (error instanceof FailedExport) return true;
  return (
    error instanceof RefusedCall && (lostCodes.has(error.problem.code) || error.problem.code.startsWith('format.'))
  );
}

const readOf = (status: ExportStatus, ofData: readonly JsonObject[]): ReadExport => ({
  id: status.id,
  rows: status.rows,
  truncatedBy: status.truncated_by,
  notices: allNotices(noticesOfStatus(status), ofData),
});

/** The notices of a state and of the headers of its data, which are cut and can have some of the format. */
function allNotices(ofState: readonly JsonObject[], ofData: readonly JsonObject[]): readonly JsonObject[] {
  const { more } = ofData.at(-1) ?? {};
  const isCut = typeof more === 'number' && ofData.length - 1 + more > ofState.length;
  const all = [...ofState, ...ofData.filter((notice) => isCut || notice.more === undefined)];
  return [...new Map(all.map((notice) => [writeJson(notice), notice])).values()];
}

/** Says how many rows there are, where, and what to know about them. */
export function tellRead(
  { rows, truncatedBy, notices }: ReadExport,
  file: string | undefined,
  context: CliContext,
): void {
  const cut = truncatedBy === null ? '' : `, truncated by ${truncatedBy}`;
  context.err(`${counted(rows, 'row')}${file === undefined ? '' : ` in ${file}`}${cut}\n`);
  tellNotices(notices, context);
}
