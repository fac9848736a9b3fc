/**
 * Whether engines use this name for a function that reads files, settings, the environment or the engine. The dialect has
 * none of them; the error says that it is not allowed, not that it is misspelled (contract, section 1: 403 for "a table,
 * file, engine or system function").
 */
export function isSystemFunction(name: string): boolean {
  const last = name.toLowerCase().split('.').at(-1) ?? '';
  return systemNames.has(last) || systemPrefixes.some((prefix) => last.startsWith(prefix));
}

const systemPrefixes: readonly string[] = [
  'duckdb_',
  'pg_',
  'pragma_',
  'read_',
  'sqlite_',
  'parquet_',
  'postgres_',
  'mysql_',
  'iceberg_',
  'delta_',
  'lo_',
  'dblink',
  'txid_',
];

const systemNames: ReadonlySet<string> = new Set([
  'benchmark',
  'checkpoint',
  'current_catalog',
  'current_database',
  'current_query',
  'current_role',
  'current_schema',
  'current_schemas',
  'current_setting',
  'current_user',
  'currval',
  'database',
  'file',
  'force_checkpoint',
  'get_current_timezone',
  'get_setting',
  'getenv',
  'getvariable',
  'glob',
  'http_get',
  'in_search_path',
  'load_extension',
  'load_file',
  'nextval',
  'query',
  'query_table',
  'scan_arrow_ipc',
  'seq_scan',
  'set_config',
  'setval',
  'sleep',
  'sniff_csv',
  'system',
  'url',
  'user',
  'version',
  'which_secret',
  'write_log',
]);
