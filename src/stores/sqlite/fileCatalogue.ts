import type { FileCatalogue, SealedFileRecord, SealedSourceRecord } from '../../engines/ports/fileCatalogue.ts';
import type { StoreDatabase } from './database.ts';

/** The catalogue of sealed event files in the store's database. */
export class SqliteFileCatalogue implements FileCatalogue {
  readonly #database: StoreDatabase;

  constructor(database: StoreDatabase) {
    this.#database = database;
  }

  async load(): Promise<readonly SealedFileRecord[]> {
    const [files, sources] = await this.#database
      .transaction()
      .execute(async (transaction) => [
        await transaction.selectFrom('event_files').selectAll().orderBy('number').execute(),
        await transaction.selectFrom('event_file_sources').selectAll().orderBy('source').execute(),
      ]);
    const sourcesByFile = new Map<number, SealedSourceRecord[]>();
    for (const { number, source, projects } of sources) {
      const records = sourcesByFile.get(number) ?? [];
      records.push({ source, ...JSON.parse(projects) });
      sourcesByFile.set(number, records);
    }
    return files.map((file) => ({
      number: file.number,
      bytes: file.bytes,
      events: file.events,
      sealedMicros: file.sealed_at,
      sources: sourcesByFile.get(file.number) ?? [],
      mergedFrom: JSON.parse(file.merged_from),
    }));
  }

  async commit(added: SealedFileRecord, replacedNumbers: readonly number[]): Promise<void> {
    const { number, bytes, events, sealedMicros, sources, mergedFrom } = added;
    await this.#database.transaction().execute(async (transaction) => {
      // The sources of a file go with it.
      await transaction
        .deleteFrom('event_files')
        .where('number', 'in', [number, ...replacedNumbers])
        .execute();
      await transaction
        .insertInto('event_files')
        .values({ number, bytes, events, sealed_at: sealedMicros, merged_from: JSON.stringify(mergedFrom) })
        .execute();
      for (const { source, ...projects } of sources) {
        await transaction
          .insertInto('event_file_sources')
          .values({ number, source, projects: JSON.stringify(projects) })
          .execute();
      }
    });
  }

  async remove(number: number): Promise<void> {
    await this.#database.deleteFrom('event_files').where('number', '=', number).execute();
  }
}
