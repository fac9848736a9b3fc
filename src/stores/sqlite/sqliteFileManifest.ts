import type { Kysely, Transaction } from 'kysely';
import {
  type FileDamage,
  type FileManifest,
  nothingTakenOut,
  type RemovalOfCommit,
  type SealedFileRecord,
  type SealedSourceRecord,
} from '../../ports/fileManifest.ts';
import { moveMarks } from '../sql/moveMarks.ts';
import type { StoreDatabase, StoreSchema } from '../sql/schema.ts';
import type { EventFileTables } from './eventFileTables.ts';

/** As a type, because Kysely wants an index signature, which an interface has not. */
type ManifestTables = { [Table in keyof EventFileTables]: EventFileTables[Table] };
type ManifestSchema = StoreSchema & ManifestTables;

/** The manifest of sealed segments, in the store's database. */
export class SqliteFileManifest implements FileManifest {
  readonly #database: Kysely<ManifestSchema>;

  constructor(database: StoreDatabase) {
    this.#database = database.withTables<ManifestTables>();
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
      ...(file.cleared_to === null ? {} : { clearedTo: file.cleared_to }),
      ...(file.damage === null ? {} : { damage: JSON.parse(file.damage) }),
    }));
  }

  async commit(
    added: SealedFileRecord | null,
    replacedNumbers: readonly number[],
    removal: RemovalOfCommit = nothingTakenOut,
  ): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      if (added === null) await drop(transaction, replacedNumbers);
      // Deletes the rows of its sources as well.
      await transaction
        .deleteFrom('event_files')
        .where('number', 'in', [...(added === null ? [] : [added.number]), ...replacedNumbers])
        .execute();
      if (added !== null) await add(transaction, added);
      await moveMarks(transaction, removal.marks);
      for (const { deletion, source, events, bytes } of removal.deleted) {
        await transaction
          .insertInto('event_deletion_sources')
          .values({ boundary: deletion, source, events, bytes })
          .onConflict((conflict) =>
            conflict.columns(['boundary', 'source']).doUpdateSet((row) => ({
              events: row('event_deletion_sources.events', '+', events),
              bytes: row('event_deletion_sources.bytes', '+', bytes),
            })),
          )
          .execute();
      }
    });
  }

  async remove(number: number): Promise<void> {
    await this.#database.deleteFrom('event_files').where('number', '=', number).execute();
  }

  async mark(number: number, damage: FileDamage | null): Promise<void> {
    await this.#database
      .updateTable('event_files')
      .set({ damage: damage === null ? null : JSON.stringify(damage) })
      .where('number', '=', number)
      .execute();
  }

  async loadDropped(): Promise<readonly number[]> {
    const rows = await this.#database.selectFrom('dropped_event_files').select('number').orderBy('number').execute();
    return rows.map(({ number }) => number);
  }

  async forgetDropped(numbers: readonly number[]): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      for (const number of numbers) {
        await transaction.deleteFrom('dropped_event_files').where('number', '=', number).execute();
      }
    });
  }

  async reserveArrivals(end: number): Promise<void> {
    await this.#database
      .insertInto('reserved_arrivals')
      .values({ row: 1, below: end })
      .onConflict((conflict) =>
        conflict.column('row').doUpdateSet({ below: end }).where('reserved_arrivals.below', '<', end),
      )
      .execute();
  }

  async loadArrivals(): Promise<number> {
    const found = await this.#database.selectFrom('reserved_arrivals').select('below').executeTakeFirst();
    return found?.below ?? 0;
  }
}

async function add(transaction: Transaction<ManifestSchema>, added: SealedFileRecord): Promise<void> {
  const { number, bytes, events, sealedMicros, sources, mergedFrom, clearedTo = null, damage } = added;
  await transaction
    .insertInto('event_files')
    .values({
      number,
      bytes,
      events,
      sealed_at: sealedMicros,
      merged_from: JSON.stringify(mergedFrom),
      cleared_to: clearedTo,
      damage: damage === undefined ? null : JSON.stringify(damage),
    })
    .execute();
  for (const { source, ...projects } of sources) {
    await transaction
      .insertInto('event_file_sources')
      .values({ number, source, projects: JSON.stringify(projects) })
      .execute();
  }
}

/** Records these segments and all that were merged into them, because any may still be in the folder. */
async function drop(transaction: Transaction<ManifestSchema>, numbers: readonly number[]): Promise<void> {
  const rows = await transaction
    .selectFrom('event_files')
    .select('merged_from')
    .where('number', 'in', [...numbers])
    .execute();
  const merged = rows.flatMap(({ merged_from }): number[] => JSON.parse(merged_from));
  for (const number of [...numbers, ...merged]) {
    await transaction
      .insertInto('dropped_event_files')
      .values({ number })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
