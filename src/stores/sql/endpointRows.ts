import { type Kysely, sql } from 'kysely';
import type { EndpointPageQuery, EndpointVersion } from '../../endpoints/endpointStore.ts';
import { restoreDefinition } from '../../endpoints/parseDefinition.ts';
import type { StoreSchema } from './schema.ts';

/** A version as the selects below return it. */
export interface VersionRow {
  readonly is_primary: number;
  readonly created_at: number;
  readonly deleted_at: number | null;
  readonly version: number;
  readonly definition: string;
  readonly updated_at: number;
  readonly author: string | null;
  readonly note: string;
}

/** Whether to select existing endpoints or deleted ones. */
export type Existence = 'there' | 'deleted';

function joined(database: Kysely<StoreSchema>, existence: Existence) {
  return database
    .selectFrom('endpoints')
    .innerJoin('endpoint_versions', 'endpoint_versions.endpoint_id', 'endpoints.id')
    .select([
      'endpoints.is_primary',
      'endpoints.created_at',
      'endpoints.deleted_at',
      'endpoint_versions.version',
      'endpoint_versions.definition',
      'endpoint_versions.created_at as updated_at',
      'endpoint_versions.author',
      'endpoint_versions.note',
    ])
    .where('endpoints.deleted_at', existence === 'there' ? 'is' : 'is not', null);
}

/** Selects the current versions; for deleted endpoints, the last ones. */
export function current(database: Kysely<StoreSchema>, existence: Existence = 'there') {
  return joined(database, existence).whereRef('endpoint_versions.version', '=', 'endpoints.current_version');
}

export function versions(database: Kysely<StoreSchema>, id: string, existence: Existence = 'there') {
  return joined(database, existence).where('endpoints.id', '=', id.toLowerCase());
}

export function page(
  database: Kysely<StoreSchema>,
  { limit, after, name }: EndpointPageQuery,
  existence: Existence = 'there',
) {
  let query = current(database, existence).orderBy('endpoints.name').orderBy('endpoints.id').limit(limit);
  if (name !== null) query = query.where('endpoints.name', '=', name);
  if (after !== null) {
    query = query.where(sql<boolean>`(endpoints.name, endpoints.id) > (${after.name}, ${after.id})`);
  }
  return query;
}

export function versionPage(
  database: Kysely<StoreSchema>,
  id: string,
  of: { readonly limit: number; readonly before: number | null } | undefined,
  existence: Existence = 'there',
) {
  let query = versions(database, id, existence).orderBy('endpoint_versions.version', 'desc');
  if (of !== undefined) query = query.limit(of.limit);
  if (of !== undefined && of.before !== null) query = query.where('endpoint_versions.version', '<', of.before);
  return query;
}

export function versionOf(row: VersionRow): EndpointVersion {
  return {
    ...restoreDefinition(JSON.parse(row.definition)),
    version: row.version,
    primary: row.is_primary === 1,
    createdAtMicros: row.created_at,
    updatedAtMicros: row.updated_at,
    author: row.author,
    note: row.note,
  };
}
