import type { Selectable } from 'kysely';
import { type AuditOf, unaudited } from '../../audit/auditTrail.ts';
import type { DeletedSource, DeletionRecord, DeletionStore, DeletionToken } from '../../retention/eventDeletion.ts';
import { Generation } from './generation.ts';
import type { GenerationSource } from './generationSource.ts';
import { insertAuditEvents } from './insertAuditEvents.ts';
import type { RetentionTables } from './retentionTables.ts';
import type { StoreDatabase } from './schema.ts';

/** Deletions of events in the store's database. The manifest counts what they removed. */
export class SqlDeletionStore implements DeletionStore {
  readonly #database: StoreDatabase;
  readonly #generation: Generation;

  constructor(database: StoreDatabase, generations?: GenerationSource) {
    this.#database = database;
    this.#generation = new Generation(database, 'deletions', generations);
  }

  async load(): Promise<readonly DeletionRecord[]> {
    const rows = await this.#database.selectFrom('event_deletions').selectAll().orderBy('boundary').execute();
    return await this.#withSources(rows);
  }

  async add(deletion: Parameters<DeletionStore['add']>[0], auditOf: AuditOf<string> = unaudited): Promise<void> {
    const { token, id, project, source, beforeMicros, requestedMicros, requestedBy } = deletion;
    await this.#generation.change(async (transaction) => {
      await transaction
        .insertInto('event_deletions')
        .values({
          boundary: token,
          id,
          project,
          source,
          before_micros: beforeMicros,
          requested_at: requestedMicros,
          requested_by: requestedBy,
          completed_at: null,
        })
        .execute();
      await insertAuditEvents(transaction, auditOf(id));
    });
  }

  async complete(token: DeletionToken, nowMicros: number): Promise<void> {
    await this.#generation.change(async (transaction) => {
      await transaction
        .updateTable('event_deletions')
        .set({ completed_at: nowMicros })
        .where('boundary', '=', token)
        .where('completed_at', 'is', null)
        .execute();
    });
  }

  async reopen(token: DeletionToken): Promise<void> {
    await this.#generation.change(async (transaction) => {
      await transaction
        .updateTable('event_deletions')
        .set({ completed_at: null })
        .where('boundary', '=', token)
        .execute();
    });
  }

  async list(project: string, limit: number): Promise<readonly DeletionRecord[]> {
    const rows = await this.#database
      .selectFrom('event_deletions')
      .selectAll()
      .where('project', '=', project)
      .orderBy('boundary', 'desc')
      .limit(limit)
      .execute();
    return await this.#withSources(rows);
  }

  async find(project: string, id: string): Promise<DeletionRecord | null> {
    const rows = await this.#database
      .selectFrom('event_deletions')
      .selectAll()
      .where('project', '=', project)
      .where('id', '=', id)
      .execute();
    return (await this.#withSources(rows))[0] ?? null;
  }

  async #withSources(
    rows: readonly Selectable<RetentionTables['event_deletions']>[],
  ): Promise<readonly DeletionRecord[]> {
    if (rows.length === 0) return [];
    const counted = await this.#database
      .selectFrom('event_deletion_sources')
      .selectAll()
      .where('boundary', '>=', Math.min(...rows.map(({ boundary }) => boundary)))
      .where('boundary', '<=', Math.max(...rows.map(({ boundary }) => boundary)))
      .orderBy('source')
      .execute();
    const sourcesOf = new Map<number, DeletedSource[]>();
    for (const { boundary, source, events, bytes } of counted) {
      sourcesOf.set(boundary, [...(sourcesOf.get(boundary) ?? []), { source, events, bytes }]);
    }
    return rows.map((row) => ({
      token: row.boundary,
      id: row.id,
      project: row.project,
      source: row.source,
      beforeMicros: row.before_micros,
      requestedMicros: row.requested_at,
      requestedBy: row.requested_by,
      completedMicros: row.completed_at,
      sources: sourcesOf.get(row.boundary) ?? [],
    }));
  }
}
