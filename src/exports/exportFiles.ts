import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Mutex } from '../core/concurrency/mutex.ts';
import { syncPath, writeStream, writeSynced } from '../files/durableFiles.ts';
import { makeOwnFolder, readOwnFolder } from '../files/ownFolder.ts';
import type { ExportRecord } from './exportRecord.ts';

const recordName = 'export.json';
const rowsName = 'rows';
const partSuffix = '.part';
const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Receives the rows of an export, part by part. */
export interface RowsFile {
  append(rows: Uint8Array): Promise<void>;
  /** Makes everything durable under its final name. */
  complete(): Promise<void>;
  /** Ends writing without that. Does nothing after `complete`. */
  abandon(): Promise<void>;
}

/**
 * The folder of exports: one folder for each, with its record, its rows as JSON, and a file for each format. Files are written
 * under another name, flushed and then renamed, so a file that has its name is whole.
 */
export class ExportFiles {
  readonly #path: string;
  /** Two files of one export may be completed at the same time, and both change the record. */
  readonly #saving = new Mutex();

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads what an earlier process left, and removes what belongs to no record. */
  async open(): Promise<readonly ExportRecord[]> {
    await makeOwnFolder(this.#path);
    const records: ExportRecord[] = [];
    for (const name of await readOwnFolder(this.#path)) {
      const record = idForm.test(name) ? await this.#read(name) : null;
      if (record === null) await rm(join(this.#path, name), { recursive: true, force: true });
      else {
        await this.#removeOthers(record);
        records.push(record);
      }
    }
    return records;
  }

  async create(record: ExportRecord): Promise<void> {
    await makeOwnFolder(join(this.#path, record.id));
    await this.save(record);
    await syncPath(this.#path);
  }

  /** Replaces the record of an export. Of concurrent calls, the last one wins. */
  async save(record: ExportRecord): Promise<void> {
    const path = this.#file(record.id, recordName);
    await this.#saving.run(async () => {
      await writeSynced(`${path}${partSuffix}`, JSON.stringify(record));
      await rename(`${path}${partSuffix}`, path);
      await syncPath(join(this.#path, record.id));
    });
  }

  async writeRows(id: string): Promise<RowsFile> {
    const path = this.#file(id, rowsName);
    const file = await open(`${path}${partSuffix}`, 'wx', 0o600);
    let isOpen = true;
    const close = async () => {
      if (!isOpen) return;
      isOpen = false;
      await file.close();
    };
    return {
      append: async (rows) => {
        for (let at = 0; at < rows.byteLength; ) at += (await file.write(rows, at)).bytesWritten;
      },
      complete: async () => {
        await file.sync();
        await close();
        await rename(`${path}${partSuffix}`, path);
        await syncPath(join(this.#path, id));
      },
      abandon: close,
    };
  }

  /** The rows of an export in the parts that they were written in. */
  async *readRows(id: string, parts: readonly number[]): AsyncGenerator<Uint8Array, void> {
    const file = await open(this.#file(id, rowsName), 'r');
    try {
      let at = 0;
      for (const bytes of parts) {
        const part = Buffer.allocUnsafe(bytes);
        for (let read = 0; read < bytes; ) {
          const { bytesRead } = await file.read(part, read, bytes - read, at + read);
          if (bytesRead === 0) throw new Error(`the rows of the export ${id} end at byte ${at + read}`);
          read += bytesRead;
        }
        at += bytes;
        yield part;
      }
    } finally {
      await file.close();
    }
  }

  /** Writes the file of a format, whole and durable under its name, and returns its size. */
  async writeData(id: string, name: string, chunks: () => AsyncIterable<Uint8Array>): Promise<number> {
    const path = this.dataPath(id, name);
    try {
      const { bytes } = await writeStream(`${path}${partSuffix}`, chunks);
      await rename(`${path}${partSuffix}`, path);
      await syncPath(join(this.#path, id));
      return bytes;
    } catch (error) {
      await rm(`${path}${partSuffix}`, { force: true });
      throw error;
    }
  }

  dataPath(id: string, name: string): string {
    return this.#file(id, `data.${name}`);
  }

  /** Removes rows and files of formats, but not the record. */
  async removeData(record: ExportRecord): Promise<void> {
    await this.#removeOthers({ ...record, result: null, files: {} });
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.#path, id), { recursive: true, force: true });
  }

  async #read(id: string): Promise<ExportRecord | null> {
    try {
      const record = JSON.parse(await readFile(this.#file(id, recordName), 'utf8')) as ExportRecord;
      if (record.id !== id) return null;
      const sum = record.result?.parts.reduce((all, bytes) => all + bytes, 0);
      if (sum !== undefined && (await stat(this.#file(id, rowsName))).size !== sum) return null;
      for (const [name, bytes] of Object.entries(record.files)) {
        if ((await stat(this.dataPath(id, name))).size !== bytes) return null;
      }
      return record;
    } catch {
      // It was being created when the process ended.
      return null;
    }
  }

  async #removeOthers({ id, result, files }: Pick<ExportRecord, 'id' | 'result' | 'files'>): Promise<void> {
    const kept = new Set([
      recordName,
      ...(result === null ? [] : [rowsName]),
      ...Object.keys(files).map((name) => `data.${name}`),
    ]);
    for (const name of await readOwnFolder(join(this.#path, id))) {
      if (!kept.has(name)) await rm(this.#file(id, name), { recursive: true, force: true });
    }
  }

  #file(id: string, name: string): string {
    return join(this.#path, id, name);
  }
}
