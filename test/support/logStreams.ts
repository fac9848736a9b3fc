/** The nine streams in the tables of `logs.all`, in order. */
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
