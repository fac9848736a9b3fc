import type { Transaction } from 'kysely';
import type { AuditOf } from '../../audit/auditTrail.ts';
import type { ExistingTable } from '../../sources/existingTable.ts';
import { formatProjectField, parseProjectField, type SourceDeclaration } from '../../sources/sourceDeclaration.ts';
import type { SourceStore, StoredSources } from '../../sources/sourceStore.ts';
import { Generation } from './generation.ts';
import type { GenerationSource } from './generationSource.ts';
import { insertAuditEvents } from './insertAuditEvents.ts';
import type { StoreDatabase, StoreSchema } from './schema.ts';

/** Sources and aliases in the store's database. */
export class SqlSourceStore implements SourceStore {
  readonly #database: StoreDatabase;
  readonly #generation: Generation;

  constructor(database: StoreDatabase, generations?: GenerationSource) {
    this.#database = database;
    this.#generation = new Generation(database, 'sources', generations);
  }

  async load(): Promise<StoredSources> {
    const rows = await this.#database.selectFrom('sources').selectAll().orderBy('created_at').orderBy('name').execute();
    const tables = await this.#database.selectFrom('existing_tables').selectAll().execute();
    const aliases = await this.#database.selectFrom('source_aliases').selectAll().orderBy('alias').execute();
    const own = rows.map(({ name, project_field, description, created_at }) => {
      const projectField = parseProjectField(project_field);
      if (projectField === undefined) throw new Error(`the source ${name} is kept with a field that cannot be read`);
      return { at: created_at, declaration: { name, projectField, description } };
    });
    const existing = tables.map(({ source, mapping, description, created_at }) => {
      const declaration = {
        name: source,
        projectField: { kind: 'column' } as const,
        description,
        existing: JSON.parse(mapping) as ExistingTable,
      };
      return { at: created_at, declaration };
    });
    return {
      declarations: [...own, ...existing].sort((a, b) => a.at - b.at).map(({ declaration }) => declaration),
      aliases: new Map(aliases.map(({ alias, source }) => [alias, source])),
    };
  }

  async add(
    declaration: SourceDeclaration,
    aliases: readonly string[],
    nowMicros: number,
    auditOf: AuditOf<string>,
  ): Promise<void> {
    const { name, projectField, description, existing } = declaration;
    await this.#generation.change(async (transaction) => {
      await (existing === undefined
        ? transaction
            .insertInto('sources')
            .values({ name, project_field: formatProjectField(projectField), description, created_at: nowMicros })
            .onConflict((conflict) => conflict.doNothing())
            .execute()
        : transaction
            .insertInto('existing_tables')
            .values({ source: name, mapping: JSON.stringify(existing), description, created_at: nowMicros })
            .onConflict((conflict) => conflict.doNothing())
            .execute());
      await insertAliases(transaction, name, aliases);
      await insertAuditEvents(transaction, auditOf(name));
    });
  }

  async setAliases(source: string, aliases: readonly string[], auditOf: AuditOf<string>): Promise<void> {
    await this.#generation.change(async (transaction) => {
      await transaction.deleteFrom('source_aliases').where('source', '=', source).execute();
      await insertAliases(transaction, source, aliases);
      await insertAuditEvents(transaction, auditOf(source));
    });
  }
}

async function insertAliases(
  transaction: Transaction<StoreSchema>,
  source: string,
  aliases: readonly string[],
): Promise<void> {
  for (const alias of aliases) await transaction.insertInto('source_aliases').values({ alias, source }).execute();
}
