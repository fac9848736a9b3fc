/** What a code stands for. The docs page of errors is generated from this table. */
export interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  readonly docs: string;
}

const entry = (status: number, title: string, docs: string, retryable = false): ErrorEntry => ({
  status,
  title,
  retryable,
  docs,
});

/** Every error code of the service (contract, section 1, "Errors"). */
export const errorCatalogue = {
  'request.malformed': entry(400, 'Malformed request', 'The body or the query string could not be read.'),
  'request.duplicate_key': entry(400, 'Duplicate key', 'A JSON body names one member twice.'),
  'request.unsupported_encoding': entry(
    415,
    'Unsupported content encoding',
    'The Content-Encoding is not one that is understood here.',
  ),
  'request.unsupported_transfer_coding': entry(
    501,
    'Unsupported transfer coding',
    'The Transfer-Encoding is another than chunked.',
  ),
  'request.unsupported_media_type': entry(
    415,
    'Unsupported media type',
    'The Content-Type is not one that is understood here.',
  ),
  'request.too_large': entry(
    413,
    'Request too large',
    'The body, before or after decompression, is larger than allowed.',
  ),
  'request.precondition_failed': entry(
    412,
    'Precondition failed',
    'What If-Match names is not what there is: somebody else has changed it.',
  ),
  'request.method_not_allowed': entry(
    405,
    'Method not allowed',
    'The path exists, but not with this method; Allow lists those that do.',
  ),
  'request.not_acceptable': entry(
    406,
    'Not acceptable',
    'Accept, Accept-Encoding or the parameter format leaves out every form that the answer can have.',
  ),
  'request.head_too_large': entry(
    431,
    'Request head too large',
    'The request line and headers together are larger than allowed.',
  ),
  'request.timeout': entry(408, 'Request timed out', 'The request did not arrive whole in time.', true),
  'request.rate_limited': entry(
    429,
    'Too many requests',
    'The token has made more requests in a minute than are allowed.',
    true,
  ),
  'route.unknown': entry(404, 'Unknown path', 'There is nothing under this path.'),
  'parameter.missing': entry(400, 'Parameter missing', 'A required parameter is absent or empty.'),
  'parameter.invalid': entry(
    400,
    'Parameter invalid',
    'A parameter value does not fit its declaration, or one that names or limits something is empty.',
  ),
  'parameter.duplicate': entry(
    400,
    'Parameter given twice',
    'A parameter was given more than once, in the URL, in the body, or in both.',
  ),
  'parameter.too_long': entry(400, 'Parameter too long', 'A parameter value is longer than allowed.'),
  'parameter.unknown': entry(
    400,
    'Parameter unknown',
    'The endpoint is strict and does not declare this parameter, or an operation of the service does not have it.',
  ),
  'query.both': entry(400, 'Both sql and lql', 'At most one of sql and lql may be given.'),
  'sql.syntax': entry(400, 'SQL syntax error', 'The text is not a query of the dialect.'),
  'sql.unknown_name': entry(400, 'Unknown name in SQL', 'A column, alias, function or parameter is not known here.'),
  'sql.ambiguous_name': entry(400, 'Ambiguous name in SQL', 'A name could mean two things; qualify it.'),
  'sql.type': entry(400, 'SQL type error', 'An expression has a type that does not fit its place.'),
  'sql.unsupported': entry(400, 'SQL not supported', 'The construct is part of GoogleSQL but not of this dialect.'),
  'sql.too_complex': entry(400, 'SQL too complex', 'The text is longer, deeper or wider than allowed.'),
  'sql.data': entry(
    400,
    'SQL failed on its data',
    'The query failed on a value: a division by zero, a cast that does not fit, an index out of range.',
  ),
  'redaction.rows_max': entry(
    400,
    'Too much to redact',
    'Redaction is in force, and the query reads more values than are redacted for one call (`redaction_rows_max`).',
  ),
  'lql.syntax': entry(400, 'LQL syntax error', 'The text is not a query in LQL.'),
  'lql.table_missing': entry(400, 'Table missing in LQL', 'The endpoint has several tables and the query names none.'),
  'sandbox.disabled': entry(403, 'Caller queries are off', 'The endpoint does not accept a query from the caller.'),
  'sandbox.table': entry(
    403,
    'Table not in the sandbox',
    'A caller query may read only the WITH tables of the stored query.',
  ),
  'sandbox.statement': entry(403, 'Only SELECT is allowed', 'A caller query is one SELECT statement.'),
  'sandbox.function': entry(
    403,
    'Function not in the sandbox',
    'Table, file, engine and system functions do not exist here.',
  ),
  'auth.missing': entry(401, 'Credential missing', 'The call carries no token.'),
  'auth.invalid': entry(401, 'Credential not valid', 'The token is unknown, malformed, revoked or expired.'),
  'auth.scope': entry(403, 'Scope missing', 'The token is valid but may not do this.'),
  'auth.project': entry(
    403,
    'Project not allowed',
    'The token is restricted to projects, and the call names another one.',
  ),
  'auth.caller_query': entry(403, 'Caller queries not allowed', 'The token may not send queries of its own.'),
  'auth.network': entry(403, 'Network not allowed', 'The token may be used only from other networks.'),
  'parameter.locked': entry(
    403,
    'Parameter locked',
    'The token is kept to other values of a parameter, or the endpoint does not have the parameter.',
  ),
  'token.invalid': entry(
    422,
    'Token refused',
    'A token was asked for with a value, scopes, an expiry or a description that it cannot have.',
  ),
  'token.unknown': entry(404, 'Unknown token', 'There is no token with this public id that the caller may see.'),
  'token.conflict': entry(
    409,
    'Token cannot be rotated',
    'The token is revoked or expired, or the configuration of the service gives it.',
  ),
  'endpoint.version_unknown': entry(404, 'Unknown version', 'The endpoint has no version of this number.'),
  'endpoint.unknown': entry(404, 'Unknown endpoint', 'No endpoint of this id or name can be called with this token.'),
  'feature.unavailable': entry(
    501,
    'Not built yet',
    'A documented part of the service that this version does not have.',
  ),
  'definition.invalid': entry(
    422,
    'Definition does not compile',
    'A stored query or its declarations contain an error.',
  ),
  'definition.conflict': entry(409, 'Definition conflict', 'The change collides with another definition.'),
  'definition.breaking': entry(
    409,
    'Breaking change',
    'The change removes or retypes something that callers of the endpoint may rely on, and `allow_breaking` was not set.',
  ),
  'source.unknown': entry(404, 'Unknown source', 'Events can be sent only to a declared source.'),
  'source.invalid': entry(422, 'Source refused', 'A source or its aliases were given with a value they cannot have.'),
  'retention.invalid': entry(
    422,
    'Retention refused',
    'How long events are kept was given with a value that it cannot have.',
  ),
  'retention.busy': entry(
    503,
    'Event files are being changed',
    'Rules of retention change only between two changes of event files; nothing was changed.',
    true,
  ),
  'deletion.invalid': entry(422, 'Deletion refused', 'A deletion of events was asked for with a value it cannot have.'),
  'deletion.unknown': entry(404, 'Unknown deletion', 'The project has no deletion of events with this id.'),
  'project.invalid': entry(422, 'Project refused', 'The project in the path is not text that a project can be.'),
  'source.conflict': entry(409, 'Source name taken', 'The name or an alias of a source means another one already.'),
  'source.ambiguous': entry(400, 'Source given twice', 'The source was given in two ways that disagree.'),
  'source.missing': entry(400, 'Source missing', 'The call does not say which source the events belong to.'),
  'ingest.batch_invalid': entry(
    422,
    'Batch refused',
    'Every event is bad, or one is and the call was strict; nothing was stored.',
  ),
  'ingest.key_reused': entry(
    422,
    'Idempotency key reused',
    'The Idempotency-Key was used before with other bytes; nothing was stored.',
  ),
  'ingest.too_many_events': entry(
    413,
    'Too many events',
    'A request holds more events than allowed; nothing was stored.',
  ),
  'ingest.overloaded': entry(
    503,
    'Ingestion overloaded',
    'More is waiting than can be written; nothing of this batch was taken.',
    true,
  ),
  'ingest.disk_full': entry(
    503,
    'Disk nearly full',
    'The device of the data folder has less free space than `disk_free_min`; nothing of this batch was taken. Queries go on.',
    true,
  ),
  'backup.unknown': entry(
    404,
    'Unknown backup',
    'The token began no backup of this id, it was given up because nothing of it was read, or it has no such file.',
  ),
  'backup.overloaded': entry(503, 'Too many backups', 'Other backups of the service are being made.', true),
  'cache.only_if_cached': entry(
    504,
    'Not in the cache',
    'The call accepts only a cached result, and there is none that is fresh enough, or the endpoint does not cache.',
  ),
  'query.timeout': entry(504, 'Query ran too long', 'The query was ended at its deadline.'),
  'query.memory': entry(504, 'Query grew too large', 'The query needed more memory than allowed and was ended.'),
  'query.overloaded': entry(
    503,
    'Too many queries',
    'The queue of waiting queries is full or its deadline passed.',
    true,
  ),
  'query.held_back': entry(
    429,
    'Caller held back',
    'Queries of this caller ended the query engine repeatedly; it runs none for the time in Retry-After.',
    true,
  ),
  'query.cancelled': entry(499, 'Client gone', 'The caller closed the connection; the query was ended. Logged only.'),
  'query.killed': entry(504, 'Query killed', 'The query was ended by whoever operates the service.'),
  'query.unknown': entry(404, 'Unknown query', 'No query with this id is running; it may have ended.'),
  'engine.failed': entry(502, 'Engine failed', 'The query engine failed on this query.', true),
  'engine.restarting': entry(503, 'Engine restarting', 'The query engine is being restarted.', true),
  'service.starting': entry(503, 'Starting', 'The service has not loaded its definitions yet.', true),
  'service.draining': entry(503, 'Shutting down', 'The service is finishing its last calls.', true),
  'service.disk_full': entry(
    503,
    'Disk full',
    'The disk of the data folder has no room for what the call writes: a change, or what a query puts aside while it runs. Nothing was changed. Calls that write nothing go on.',
    true,
  ),
  'service.folder_taken': entry(
    500,
    'File in the place of a folder',
    'A file lies in the data folder where the service keeps a folder of its own; the message names it.',
  ),
  'service.store_busy': entry(
    503,
    'Store busy',
    'Another process has held the store of the data folder for longer than a change waits; nothing was changed. Reading goes on.',
    true,
  ),
  internal: entry(500, 'Internal error', 'A defect in the service. The log contains the cause under the request ID.'),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;
