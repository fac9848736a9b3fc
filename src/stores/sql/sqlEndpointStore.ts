import type { Kysely, Selectable } from 'kysely';
import { type AuditOf, unaudited } from '../../audit/auditTrail.ts';
import { assertNever } from '../../core/assertNever.ts';
import { ServiceError } from '../../core/errors.ts';
import type { EndpointDefinition } from '../../endpoints/definition.ts';
import type {
  ChangeOrigin,
  EndpointChange,
  EndpointHead,
  EndpointPageQuery,
  EndpointStore,
  EndpointVersion,
} from '../../endpoints/endpointStore.ts';
import { formatDefinition } from '../../endpoints/parseDefinition.ts';
import { current, page, type VersionRow, versionOf, versionPage, versions } from './endpointRows.ts';
import type { EndpointTables } from './endpointTables.ts';
import { Generation } from './generation.ts';
import type { GenerationSource } from './generationSource.ts';
import { insertAuditEvents } from './insertAuditEvents.ts';
import { RepeatedSelect } from './repeatedSelect.ts';
import type { StoreDatabase, StoreSchema } from './schema.ts';
import { SqlDeletedEndpoints } from './sqlDeletedEndpoints.ts';

type EndpointRow = Selectable<EndpointTables['endpoints']>;

export class SqlEndpointStore implements EndpointStore {
  readonly deleted: SqlDeletedEndpoints;
  readonly #database: StoreDatabase;
  readonly #generation: Generation;
  readonly #byVersion: RepeatedSelect<VersionRow>;

  constructor(database: StoreDatabase, generations?: GenerationSource) {
    this.#database = database;
    this.deleted = new SqlDeletedEndpoints(database);
    this.#generation = new Generation(database, 'endpoints', generations);
    this.#byVersion = new RepeatedSelect(database, versions(database, '').where('endpoint_versions.version', '=', 0));
  }

  generation(): Promise<number> {
    return this.#generation.read();
  }

  get changesSeen(): number {
    return this.#generation.changesSeen;
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

  async listHeads(): Promise<readonly EndpointHead[]> {
    const rows = await this.#database
      .selectFrom('endpoints')
      .select(['id', 'name', 'current_version', 'is_primary', 'updated_at'])
      .where('deleted_at', 'is', null)
      .orderBy('name')
      .orderBy('is_primary', 'desc')
      .orderBy('id')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      version: row.current_version,
      primary: row.is_primary === 1,
      updatedAtMicros: row.updated_at,
    }));
  }

  async list(): Promise<readonly EndpointVersion[]> {
    const rows = await current(this.#database)
      .orderBy('endpoints.name')
      .orderBy('endpoints.is_primary', 'desc')
      .orderBy('endpoints.id')
      .execute();
    return rows.map(versionOf);
  }

  async listPage(of: EndpointPageQuery): Promise<readonly EndpointVersion[]> {
    return (await page(this.#database, of).execute()).map(versionOf);
  }

  async findVersion(id: string, version: number): Promise<EndpointVersion | undefined> {
    const row = await this.#byVersion.first(id.toLowerCase(), version);
    return row === undefined ? undefined : versionOf(row);
  }

  async listVersions(
    id: string,
    of?: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly EndpointVersion[]> {
    return (await versionPage(this.#database, id, of).execute()).map(versionOf);
  }

  async hasEverExisted(id: string): Promise<boolean> {
    return (await findRow(this.#database, id)) !== undefined;
  }

  async apply(
    changes: readonly EndpointChange[],
    origin: ChangeOrigin,
    auditOf: AuditOf<readonly EndpointVersion[]> = unaudited,
  ): Promise<readonly EndpointVersion[]> {
    if (changes.length === 0) return [];
    return this.#generation.change(async (transaction) => {
      const results = await applyAll(transaction, changes, origin);
      await insertAuditEvents(transaction, auditOf(results));
      return results;
    });
  }

  async tryOut(changes: readonly EndpointChange[], origin: ChangeOrigin): Promise<readonly EndpointVersion[]> {
    try {
      return await this.#generation.unseen(async (transaction) => {
        throw new TriedOut(await applyAll(transaction, changes, origin));
      });
    } catch (error) {
      if (error instanceof TriedOut) return error.results;
      throw error;
    }
  }

  create(definition: EndpointDefinition, nowMicros: number): Promise<EndpointVersion> {
    return this.#applyOne({ kind: 'create', definition }, nowMicros);
  }

  change(definition: EndpointDefinition, nowMicros: number): Promise<EndpointVersion> {
    return this.#applyOne({ kind: 'change', definition, expected: null }, nowMicros);
  }

  async setPrimary(id: string): Promise<void> {
    await this.#applyOne({ kind: 'primary', id }, 0);
  }

  async delete(id: string, nowMicros: number): Promise<void> {
    await this.#applyOne({ kind: 'delete', id, expected: null }, nowMicros);
  }

  async #applyOne(change: EndpointChange, nowMicros: number): Promise<EndpointVersion> {
    const [result] = await this.apply([change], { nowMicros, author: null, note: '' });
    if (result === undefined) throw new Error('a change of an endpoint gave no endpoint');
    return result;
  }
}

async function required(database: Kysely<StoreSchema>, id: string): Promise<EndpointVersion> {
  const row = await current(database).where('endpoints.id', '=', id.toLowerCase()).executeTakeFirst();
  if (row === undefined) throw unknownEndpoint(id);
  return versionOf(row);
}

function findRow(database: Kysely<StoreSchema>, id: string): Promise<EndpointRow | undefined> {
  return database.selectFrom('endpoints').selectAll().where('id', '=', id.toLowerCase()).executeTakeFirst();
}

async function liveRow(
  database: Kysely<StoreSchema>,
  id: string,
  expected: number | null = null,
): Promise<EndpointRow> {
  const row = await findRow(database, id);
  if (row === undefined || row.deleted_at !== null) throw unknownEndpoint(id);
  requireExpected(row, expected);
  return row;
}

function requireExpected({ id, current_version: version }: EndpointRow, expected: number | null): void {
  if (expected === null || version === expected) return;
  throw new ServiceError(
    'request.precondition_failed',
    `The endpoint ${id} is at version ${version}, but the change was made for version ${expected}.`,
  );
}

function unknownEndpoint(id: string): ServiceError {
  return new ServiceError('endpoint.unknown', `There is no endpoint with the ID ${id}.`);
}

/** Another live endpoint with the same name; the primary one if there are several. */
async function namesakeOf(
  database: Kysely<StoreSchema>,
  endpoint: { readonly id: string; readonly name: string },
): Promise<{ readonly id: string } | undefined> {
  return await database
    .selectFrom('endpoints')
    .select('id')
    .where('name', '=', endpoint.name)
    .where('id', '!=', endpoint.id.toLowerCase())
    .where('deleted_at', 'is', null)
    .orderBy('is_primary', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Whether no other endpoint has the name. Throws if the name is taken and must not be shared. */
async function isFirstOfName(
  database: Kysely<StoreSchema>,
  definition: EndpointDefinition,
  mayShareName: boolean,
): Promise<boolean> {
  const holder = await namesakeOf(database, definition);
  if (holder !== undefined && !mayShareName) throw nameTaken(definition, holder.id);
  return holder === undefined;
}

function nameTaken({ name }: EndpointDefinition, holder: string): ServiceError {
  return new ServiceError(
    'definition.conflict',
    `The endpoint ${holder} answers by the name ${name}. With "primary": false this endpoint shares the name and is called by its ID; with "primary": true it answers by the name instead. You can also choose another name.`,
    { errors: [{ parameter: 'name', value: name, holder }] },
  );
}

async function refuseIfNamesakes(database: Kysely<StoreSchema>, endpoint: EndpointRow, verb: string): Promise<void> {
  if ((await namesakeOf(database, endpoint)) === undefined) return;
  throw new ServiceError(
    'definition.conflict',
    `The endpoint ${endpoint.id} answers by the name ${endpoint.name}, which other endpoints share. Make another one primary before this one is ${verb}.`,
  );
}

/** Rolls back a transaction that was made only to see its results. */
class TriedOut extends Error {
  readonly results: readonly EndpointVersion[];

  constructor(results: readonly EndpointVersion[]) {
    super('tried out');
    this.results = results;
  }
}

async function applyAll(
  transaction: Kysely<StoreSchema>,
  changes: readonly EndpointChange[],
  origin: ChangeOrigin,
): Promise<readonly EndpointVersion[]> {
  const deleted = new Map<EndpointChange, EndpointVersion>();
  for (const change of changes) {
    if (change.kind === 'delete') deleted.set(change, await required(transaction, change.id));
    await applyChange(transaction, change, origin);
  }
  const results: EndpointVersion[] = [];
  for (const change of changes) results.push(deleted.get(change) ?? (await required(transaction, idOf(change))));
  return results;
}

function idOf(change: EndpointChange): string {
  return change.kind === 'primary' || change.kind === 'delete' ? change.id : change.definition.id;
}

async function applyChange(
  transaction: Kysely<StoreSchema>,
  change: EndpointChange,
  origin: ChangeOrigin,
): Promise<void> {
  switch (change.kind) {
    case 'create':
      return createEndpoint(transaction, change.definition, change.mayShareName ?? true, origin);
    case 'change':
      return changeEndpoint(transaction, change, origin);
    case 'restore':
      return restoreEndpoint(transaction, change, origin);
    case 'primary':
      return makePrimary(transaction, change.id);
    case 'delete':
      return deleteEndpoint(transaction, change.id, change.expected, origin.nowMicros);
    default:
      return assertNever(change);
  }
}

async function createEndpoint(
  transaction: Kysely<StoreSchema>,
  definition: EndpointDefinition,
  mayShareName: boolean,
  origin: ChangeOrigin,
): Promise<void> {
  const known = await findRow(transaction, definition.id);
  if (known !== undefined) {
    const reason =
      known.deleted_at === null
        ? 'is in use'
        : 'belongs to a deleted endpoint, which "logmill endpoints restore" (POST /api/endpoints/{id}/restore) brings back';
    throw new ServiceError('definition.conflict', `The ID ${definition.id} ${reason}; choose another one.`);
  }
  const isPrimary = await isFirstOfName(transaction, definition, mayShareName);
  await transaction
    .insertInto('endpoints')
    .values({
      id: definition.id.toLowerCase(),
      name: definition.name,
      current_version: 1,
      is_primary: isPrimary ? 1 : 0,
      created_at: origin.nowMicros,
      updated_at: origin.nowMicros,
      deleted_at: null,
    })
    .execute();
  await insertVersion(transaction, definition, 1, origin);
}

async function changeEndpoint(
  transaction: Kysely<StoreSchema>,
  { definition, expected, mayShareName = true }: Extract<EndpointChange, { readonly kind: 'change' }>,
  origin: ChangeOrigin,
): Promise<void> {
  const known = await liveRow(transaction, definition.id, expected);
  let isPrimary = known.is_primary === 1;
  if (known.name !== definition.name) {
    if (isPrimary) await refuseIfNamesakes(transaction, known, 'renamed');
    isPrimary = await isFirstOfName(transaction, definition, mayShareName);
  }
  await addVersion(transaction, known, definition, isPrimary, origin);
}

async function restoreEndpoint(
  transaction: Kysely<StoreSchema>,
  { definition, expected, mayShareName = true }: Extract<EndpointChange, { readonly kind: 'restore' }>,
  origin: ChangeOrigin,
): Promise<void> {
  const known = await findRow(transaction, definition.id);
  if (known === undefined) throw unknownEndpoint(definition.id);
  if (known.deleted_at === null) {
    throw new ServiceError('definition.conflict', `The endpoint ${known.id} is not deleted.`);
  }
  requireExpected(known, expected);
  const isPrimary = await isFirstOfName(transaction, definition, mayShareName);
  await addVersion(transaction, known, definition, isPrimary, origin);
}

/** Makes the definition the next version of an endpoint, live at once. */
async function addVersion(
  transaction: Kysely<StoreSchema>,
  known: EndpointRow,
  definition: EndpointDefinition,
  isPrimary: boolean,
  origin: ChangeOrigin,
): Promise<void> {
  const version = known.current_version + 1;
  await insertVersion(transaction, definition, version, origin);
  await transaction
    .updateTable('endpoints')
    .set({
      name: definition.name,
      current_version: version,
      is_primary: isPrimary ? 1 : 0,
      updated_at: origin.nowMicros,
      deleted_at: null,
    })
    .where('id', '=', known.id)
    .execute();
}

async function makePrimary(transaction: Kysely<StoreSchema>, id: string): Promise<void> {
  const known = await liveRow(transaction, id);
  await transaction
    .updateTable('endpoints')
    .set({ is_primary: 0 })
    .where('name', '=', known.name)
    .where('is_primary', '=', 1)
    .execute();
  await transaction.updateTable('endpoints').set({ is_primary: 1 }).where('id', '=', known.id).execute();
}

async function deleteEndpoint(
  transaction: Kysely<StoreSchema>,
  id: string,
  expected: number | null,
  nowMicros: number,
): Promise<void> {
  const known = await liveRow(transaction, id, expected);
  if (known.is_primary === 1) await refuseIfNamesakes(transaction, known, 'deleted');
  await transaction
    .updateTable('endpoints')
    .set({ is_primary: 0, deleted_at: nowMicros })
    .where('id', '=', known.id)
    .execute();
}

async function insertVersion(
  transaction: Kysely<StoreSchema>,
  definition: EndpointDefinition,
  version: number,
  { nowMicros, author, note }: ChangeOrigin,
): Promise<void> {
  await transaction
    .insertInto('endpoint_versions')
    .values({
      endpoint_id: definition.id.toLowerCase(),
      version,
      definition: JSON.stringify(formatDefinition(definition)),
      created_at: nowMicros,
      author,
      note,
    })
    .execute();
}
