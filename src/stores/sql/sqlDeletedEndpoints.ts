import type { DeletedEndpoint, DeletedEndpoints, EndpointPageQuery } from '../../endpoints/endpointStore.ts';
import { current, page, type VersionRow, versionOf, versionPage, versions } from './endpointRows.ts';
import type { StoreDatabase } from './schema.ts';

export class SqlDeletedEndpoints implements DeletedEndpoints {
  readonly #database: StoreDatabase;

  constructor(database: StoreDatabase) {
    this.#database = database;
  }

  async find(id: string): Promise<DeletedEndpoint | undefined> {
    const row = await current(this.#database, 'deleted')
      .where('endpoints.id', '=', id.toLowerCase())
      .executeTakeFirst();
    return row === undefined ? undefined : deletedOf(row);
  }

  async listPage(of: EndpointPageQuery): Promise<readonly DeletedEndpoint[]> {
    return (await page(this.#database, of, 'deleted').execute()).map(deletedOf);
  }

  async findVersion(id: string, version: number): Promise<DeletedEndpoint | undefined> {
    const row = await versions(this.#database, id, 'deleted')
      .where('endpoint_versions.version', '=', version)
      .executeTakeFirst();
    return row === undefined ? undefined : deletedOf(row);
  }

  async listVersions(
    id: string,
    of: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly DeletedEndpoint[]> {
    return (await versionPage(this.#database, id, of, 'deleted').execute()).map(deletedOf);
  }
}

function deletedOf(row: VersionRow): DeletedEndpoint {
  return { ...versionOf(row), deletedAtMicros: row.deleted_at ?? 0 };
}
