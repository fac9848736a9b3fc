import { type AuditOf, unaudited } from '../../audit/auditTrail.ts';
import type { RetentionMark } from '../../retention/retentionMark.ts';
import type { RetentionRule } from '../../retention/retentionRules.ts';
import type { RetentionRuleChange, RetentionStore } from '../../retention/retentionStore.ts';
import { Generation } from './generation.ts';
import type { GenerationSource } from './generationSource.ts';
import { insertAuditEvents } from './insertAuditEvents.ts';
import { moveMarks } from './moveMarks.ts';
import type { StoreDatabase } from './schema.ts';

/** Retention rules in the store's database. An empty text means every source or project. */
export class SqlRetentionStore implements RetentionStore {
  readonly #database: StoreDatabase;
  readonly #generation: Generation;

  constructor(database: StoreDatabase, generations?: GenerationSource) {
    this.#database = database;
    this.#generation = new Generation(database, 'retention', generations);
  }

  async load(): Promise<readonly RetentionRule[]> {
    const rows = await this.#database.selectFrom('retention_rules').selectAll().orderBy('source').execute();
    return rows.map(({ source, project, days }) => ({ source: source || null, project: project || null, days }));
  }

  async loadMarks(): Promise<readonly RetentionMark[]> {
    const rows = await this.#database.selectFrom('retention_marks').selectAll().execute();
    return rows.map(({ source, project, micros }) => ({ source, project: project || null, micros }));
  }

  async change(
    rules: readonly RetentionRuleChange[],
    marks: readonly RetentionMark[],
    auditOf: AuditOf<readonly RetentionRuleChange[]> = unaudited,
  ): Promise<void> {
    await this.#generation.change(async (transaction) => {
      for (const { source, project, days } of rules) {
        const key = { source: source ?? '', project: project ?? '' };
        await transaction
          .deleteFrom('retention_rules')
          .where('source', '=', key.source)
          .where('project', '=', key.project)
          .execute();
        if (days !== null)
          await transaction
            .insertInto('retention_rules')
            .values({ ...key, days })
            .execute();
      }
      await moveMarks(transaction, marks);
      await insertAuditEvents(transaction, auditOf(rules));
    });
  }
}
