import { createReadStream } from 'node:fs';
import { Semaphore } from '../core/concurrency/semaphore.ts';
import { Pause, type Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import { encodeParts } from '../formats/encodeParts.ts';
import { formatColumns } from '../formats/encodeResult.ts';
import { type ChosenFormat, resultFormat } from '../formats/resultFormat.ts';
import { typeName } from '../googlesql/types.ts';
import type { ParquetWriter } from '../ports/parquetWriter.ts';
import type { ExportFiles } from './exportFiles.ts';
import type { ExportJob } from './exportJob.ts';
import { type ExportRecord, type ExportResult, exportFormats } from './exportRecord.ts';

export interface ExportDataOptions {
  readonly files: ExportFiles;
  readonly parquet: ParquetWriter | undefined;
  readonly turns: Turns;
  /** Counts bytes that go to the disk. Throws `export.disk_full` and `service.disk_full`. */
  readonly hold: (job: ExportJob, bytes: number) => void;
}

/** Files that are written at a time. */
const atOnce = 2;
const readBytes = 1024 * 1024;

/** What a file that is being written counts as held. */
interface HeldBytes {
  bytes: number;
}

/** The name of the file of a format. */
export function dataName({ name, isGuarded, hasMark }: ChosenFormat): string {
  return `${name}${isGuarded ? '.guard' : ''}${hasMark ? '.bom' : ''}`;
}

/** Throws `format.unsuitable` if exports do not have the format, or these rows cannot be written in it. */
export function requireExportFormat({ name }: ChosenFormat, profile: ExportRecord['profile']): void {
  if (!exportFormats.some((each) => each === name)) {
    throw new ServiceError(
      'format.unsuitable',
      `An export is not written as ${name}, which is for results that fit on a page. Use one of ${exportFormats.join(', ')}.`,
      { errors: [{ parameter: 'format', value: name, allowed: exportFormats }] },
    );
  }
  if (profile === 'plain' || resultFormat(name).hasProfile) return;
  throw new ServiceError(
    'format.unsuitable',
    `The rows of this export have the values profile ${profile}, which ${name} does not have. Export them again in this format.`,
    {
      errors: [
        { parameter: 'format', value: name, allowed: exportFormats.filter((each) => resultFormat(each).hasProfile) },
      ],
    },
  );
}

/** `meta` with the names that the columns have in a format. */
function metaWith(columns: ExportResult['columns'], { columns: own, meta }: ExportResult): string {
  if (columns === own) return meta;
  const named = columns.map(({ name, type }) => ({ name, type: typeName(type) }));
  return JSON.stringify({ ...JSON.parse(meta), columns: named });
}

/** Writes the rows of exports in formats, each once. */
export class ExportData {
  readonly #options: ExportDataOptions;
  readonly #places = new Semaphore(atOnce);

  constructor(options: ExportDataOptions) {
    this.#options = options;
  }

  /** Resolves when the file of the format is on disk. */
  async write(job: ExportJob, format: ChosenFormat, result: ExportResult): Promise<void> {
    const name = dataName(format);
    if (job.record.files[name] !== undefined) return;
    const known = job.writing.get(name);
    if (known !== undefined) return known;
    const { signal } = job.abort;
    const writing = this.#places
      .run(() => this.#write(job, format, result), { owner: job.record.placeOwner, signal })
      .finally(() => job.writing.delete(name));
    job.writing.set(name, writing);
    return writing;
  }

  async #write(job: ExportJob, format: ChosenFormat, result: ExportResult): Promise<void> {
    const { files } = this.#options;
    const { id } = job.record;
    const name = dataName(format);
    const held = { bytes: 0 };
    let guardedCells = 0;
    const guarded = (cells: number): void => {
      guardedCells = cells;
    };
    try {
      const bytes =
        format.name === 'parquet'
          ? await this.#parquet(job, name, format, result, held)
          : await files.writeData(id, name, () => this.#held(job, this.#encoded(job, format, result, guarded), held));
      // The rows may have been removed after the last bytes were written.
      job.abort.signal.throwIfAborted();
      job.hasFile(name, bytes, guardedCells);
    } catch (error) {
      this.#options.hold(job, -held.bytes);
      throw error;
    }
    await files.save(job.record);
  }

  #encoded(
    job: ExportJob,
    format: ChosenFormat,
    result: ExportResult,
    guarded: (cells: number) => void,
  ): AsyncIterable<Uint8Array> {
    const { name } = format;
    if (name === 'parquet' || name === 'markdown' || name === 'prometheus')
      throw new Error(`${name} is not encoded here`);
    const parts = this.#options.files.readRows(job.record.id, result.parts);
    const columns = formatColumns(format, result.columns);
    const { rows: rowCount } = job.record;
    return encodeParts(
      { columns, parts, rowCount, meta: metaWith(columns, result) },
      { ...format, name },
      new Pause(this.#options.turns.of(job.record.tokenId)),
      guarded,
    );
  }

  async #parquet(
    job: ExportJob,
    name: string,
    format: ChosenFormat,
    result: ExportResult,
    held: HeldBytes,
  ): Promise<number> {
    const { files, parquet, turns } = this.#options;
    if (parquet === undefined) throw new Error('there is no writer of Parquet');
    const { id, tokenId } = job.record;
    const table = {
      columns: formatColumns(format, result.columns),
      parts: files.readRows(id, result.parts),
      metadata: () => new Map([['logmill', result.meta]]),
    };
    return await parquet.write(
      table,
      { owner: tokenId, signal: job.abort.signal, pause: new Pause(turns.of(tokenId)) },
      // Copied, because the folder of the engine may be on another disk.
      (path) =>
        files.writeData(id, name, () => this.#held(job, createReadStream(path, { highWaterMark: readBytes }), held)),
    );
  }

  async *#held(job: ExportJob, chunks: AsyncIterable<Uint8Array>, held: HeldBytes): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of chunks) {
      job.abort.signal.throwIfAborted();
      this.#options.hold(job, chunk.byteLength);
      held.bytes += chunk.byteLength;
      yield chunk;
    }
  }
}
