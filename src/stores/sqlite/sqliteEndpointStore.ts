import type { Kysely, Selectable } from 'kysely';
import { ServiceError } from '../../core/errors.ts';
import type { EndpointDefinition } from '../../endpoints/definition.ts';
import type { EndpointStore, EndpointVersion } from '../../endpoints/endpointStore.ts';
import { formatDefinition, restoreDefinition } from '../../endpoints/parseDefinition.ts';
import type { StoreDatabase } from './database.ts';
import type { EndpointTables } from './endpointTables.ts';
import { Generation } from './generation.ts';
import type { StoreSchema } from './schema.ts';

type EndpointRow = Selectable<EndpointTables['endpoints']>;

export class SqliteEndpointStore implements EndpointStore {
  readonly #database: StoreDatabase;
  readonly #generation: Generation;

  constructor(database: StoreDatabase) {
    this.#database = database;
    this.#generation = new Generation(database, 'endpoints');
  }

  generation(): Promise<number> {
    return this.#generation.read();
  }

  get ownChanges(): number {
    return this.#generation.ownChanges;
  }

  async findById(id: string): Promise<EndpointVersion | undefined> {
    const row = await current(this.#database).where('endpoints.id', '=', id.toLowerCase()).executeTakeFirst();
    return row === undefined ? undefined : versionOf(row);
  }

  async findPrimary(name: string): Promise<EndpointVersion | undefined> {
    const row = await current(this.#database)
      .where('endpoints.name', '=', name)
      .where('endpoints.is_primary', '=', 1)
      .executeTakeFirst();
    return row === undefined ? undefined : versionOf(row);
  }

  async list(): Promise<readonly EndpointVersion[]> {
    const rows = await current(this.#database)
      .orderBy('endpoints.name')
      .orderBy('endpoints.is_primary', 'desc')
      .orderBy('endpoints.id')
      .execute();
    return rows.map(versionOf);
  }

  async findVersion(id: string, version: number): Promise<EndpointVersion | undefined> {
    const row = await versions(this.#database, id).where('endpoint_versions.version', '=', version).executeTakeFirst();
    return row === undefined ? undefined : versionOf(row);
  }

  async listVersions(id: string): Promise<readonly EndpointVersion[]> {
    const rows = await versions(this.#database, id).orderBy('endpoint_versions.version', 'desc').execute();
    return rows.map(versionOf);
  }

  async hasEverExisted(id: string): Promise<boolean> {
    return (await findRow(this.#database, id)) !== undefined;
  }

  async create(definition: EndpointDefinition, nowMicros: number): Promise<EndpointVersion> {
    return this.#generation.change(async (transaction) => {
      const known = await findRow(transaction, definition.id);
      if (known !== undefined) {
        const reason = known.deleted_at === null ? 'is in use' : 'belonged to a deleted endpoint';
        throw new ServiceError('definition.conflict', `The id ${definition.id} ${reason}; choose another one.`);
      }
      const isPrimary = !(await isNameTaken(transaction, definition));
      await transaction
        .insertInto('endpoints')
        .values({
          id: definition.id.toLowerCase(),
          name: definition.name,
          current_version: 1,
          is_primary: isPrimary ? 1 : 0,
          created_at: nowMicros,
          updated_at: nowMicros,
          deleted_at: null,
        })
        .execute();
      await insertVersion(transaction, definition, 1, nowMicros);
      return required(transaction, definition.id);
    });
  }

  async change(definition: EndpointDefinition, nowMicros: number): Promise<EndpointVersion> {
    return this.#generation.change(async (transaction) => {
      const known = await liveRow(transaction, definition.id);
      const version = known.current_version + 1;
      let isPrimary = known.is_primary === 1;
      if (known.name !== definition.name) {
        if (isPrimary) await refuseIfNamesakes(transaction, known, 'renamed');
        isPrimary = !(await isNameTaken(transaction, definition));
      }
      await insertVersion(transaction, definition, version, nowMicros);
      await transaction
        .updateTable('endpoints')
        .set({ name: definition.name, current_version: version, is_primary: isPrimary ? 1 : 0, updated_at: nowMicros })
        .where('id', '=', known.id)
        .execute();
      return required(transaction, known.id);
    });
  }

  async setPrimary(id: string): Promise<void> {
    await this.#generation.change(async (transaction) => {
      const known = await liveRow(transaction, id);
      await transaction
        .updateTable('endpoints')
        .set({ is_primary: 0 })
        .where('name', '=', known.name)
        .where('is_primary', '=', 1)
        .execute();
      await transaction.updateTable('endpoints').set({ is_primary: 1 }).where('id', '=', known.id).execute();
    });
  }

  async delete(id: string, nowMicros: number): Promise<void> {
    await this.#generation.change(async (transaction) => {
      const known = await liveRow(transaction, id);
      if (known.is_primary === 1) await refuseIfNamesakes(transaction, known, 'deleted');
      await transaction
        .updateTable('endpoints')
        .set({ is_primary: 0, deleted_at: nowMicros })
        .where('id', '=', known.id)
        .execute();
    });
  }
}

function joined(database: Kysely<StoreSchema>) {
  return database
    .selectFrom('endpoints')
    .innerJoin('endpoint_versions', 'endpoint_versions.endpoint_id', 'endpoints.id')
    .select([
      'endpoints.is_primary',
      'endpoints.created_at',
      'endpoint_versions.version',
      'endpoint_versions.definition',
      'endpoint_versions.created_at as updated_at',
    ])
    .where('endpoints.deleted_at', 'is', null);
}

function current(database: Kysely<StoreSchema>) {
  return joined(database).whereRef('endpoint_versions.version', '=', 'endpoints.current_version');
}

function versions(database: Kysely<StoreSchema>, id: string) {
  return joined(database).where('endpoints.id', '=', id.toLowerCase());
}

interface VersionRow {
  readonly is_primary: number;
  readonly created_at: number;
  readonly version: number;
  readonly definition: string;
  readonly updated_at: number;
}

function versionOf(row: VersionRow): EndpointVersion {
  return {
    ...restoreDefinition(JSON.parse(row.definition)),
    version: row.version,
    primary: row.is_primary === 1,
    createdAtMicros: row.created_at,
    updatedAtMicros: row.updated_at,
  };
}

async function required(database: Kysely<StoreSchema>, id: string): Promise<EndpointVersion> {
  return versionOf(await current(database).where('endpoints.id', '=', id.toLowerCase()).executeTakeFirstOrThrow());
}

function findRow(database: Kysely<StoreSchema>, id: string): Promise<EndpointRow | undefined> {
  return database.selectFrom('endpoints').selectAll().where('id', '=', id.toLowerCase()).executeTakeFirst();
}

async function liveRow(database: Kysely<StoreSchema>, id: string): Promise<EndpointRow> {
  const row = await findRow(database, id);
  if (row === undefined || row.deleted_at !== null)
    throw new ServiceError('endpoint.unknown', `There is no endpoint with the id ${id}.`);
  return row;
}

/** Whether another live endpoint has the name of this one. */
async function isNameTaken(
  database: Kysely<StoreSchema>,
  endpoint: { readonly id: string; readonly name: string },
): Promise<boolean> {
  const row = await database
    .selectFrom('endpoints')
    .select('id')
    .where('name', '=', endpoint.name)
    .where('id', '!=', endpoint.id.toLowerCase())
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function refuseIfNamesakes(database: Kysely<StoreSchema>, endpoint: EndpointRow, verb: string): Promise<void> {
  if (!(await isNameTaken(database, endpoint))) return;
  throw new ServiceError(
    'definition.conflict',
    `The endpoint ${endpoint.id} answers by the name ${endpoint.name}, which others share; make one of them primary before this one is ${verb}.`,
  );
}

async function insertVersion(
  transaction: Kysely<StoreSchema>,
  definition: EndpointDefinition,
  version: number,
  nowMicros: number,
): Promise<void> {
  await transaction
    .insertInto('endpoint_versions')
    .values({
      endpoint_id: definition.id.toLowerCase(),
      version,
      definition: JSON.stringify(formatDefinition(definition)),
      created_at: nowMicros,
    })
    .execute();
}
