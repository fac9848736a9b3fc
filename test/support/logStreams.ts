/** The nine streams that the tables of `logs.all` show, in their order there. */
export const logStreams = [
  'edge_logs',
  'database_logs',
  'function_edge_logs',
  'function_logs',
  'auth_logs',
  'realtime_logs',
  'storage_logs',
  'rest_api_logs',
  'pooler_logs',
] as const;
