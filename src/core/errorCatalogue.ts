/** The meaning of an error code. The errors page of the docs is generated from these entries. */
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
  'request.malformed': entry(400, 'Malformed request', 'The body or the query string cannot be read.'),
  'request.duplicate_key': entry(400, 'Duplicate key', 'A JSON body contains the same member twice.'),
  'request.unsupported_encoding': entry(
    415,
    'Unsupported content encoding',
    'The service does not support this Content-Encoding.',
  ),
  'request.unsupported_transfer_coding': entry(
    501,
    'Unsupported transfer coding',
    'The only supported Transfer-Encoding is chunked.',
  ),
  'request.unsupported_media_type': entry(
    415,
    'Unsupported media type',
    'The service does not support this Content-Type.',
  ),
  'request.too_large': entry(
    413,
    'Request too large',
    'The body exceeds its size limit, before or after decompression.',
  ),
  'request.precondition_failed': entry(
    412,
    'Precondition failed',
    'If-Match does not match the current state, because someone else has changed it. Read it again, then repeat the request.',
  ),
  'request.method_not_allowed': entry(
    405,
    'Method not allowed',
    'The path does not support this method. The Allow header lists the methods that it supports.',
  ),
  'request.not_acceptable': entry(
    406,
    'Not acceptable',
    'Accept, Accept-Encoding or the parameter format excludes every form that the answer can have.',
  ),
  'request.head_too_large': entry(
    431,
    'Request head too large',
    'The request line and headers are too large, or there are too many header lines.',
  ),
  'request.timeout': entry(408, 'Request timed out', 'The complete request did not arrive in time.', true),
  'request.rate_limited': entry(
    429,
    'Too many requests',
    'The token has made more requests than its rate limit allows.',
    true,
  ),
  'route.unknown': entry(404, 'Unknown path', 'Nothing exists at this path.'),
  'console.missing': entry(404, 'No such file of the console', 'The console has no such file, or was not built.'),
  'page.cursor': entry(
    400,
    'Cursor cannot be used',
    'The cursor was altered, is older than 24 hours, or belongs to another query, another version of the endpoint, or a token with other rights. `errors` gives the reason. Read the first page again.',
  ),
  'page.unorderable': entry(
    422,
    'No pages for this query',
    'Logmill cannot read the query in pages, because its rows have no complete order that every run repeats. The message names the construct.',
  ),
  'format.unsupported': entry(
    501,
    'No such format with this engine',
    'The engine of the service does not write this format.',
  ),
  'export.unknown': entry(
    404,
    'Unknown export',
    'This token has no export with this ID. Exports are removed one hour after they end.',
  ),
  'export.incomplete': entry(
    409,
    'Export is not complete',
    'The export is running or has failed, so it has no data. Its state says which.',
  ),
  'export.limit': entry(
    429,
    'Too many exports',
    'The token, or the service, already has as many exports as it may. Delete one, or wait until one expires.',
    true,
  ),
  'export.disk_full': entry(
    507,
    'No disk space for the export',
    'The exports of tokens for the same projects, or of all tokens, take as much disk space as they may (`LOGMILL_EXPORT_DISK_MAX`).',
  ),
  'export.interrupted': entry(
    503,
    'Export was interrupted',
    'The service was stopped while the export was running. Start it again.',
    true,
  ),
  'export.events_removed': entry(
    409,
    'Events of the export were removed',
    'Events that the export may contain were deleted on request, or the rules of retention or redaction changed, so its data was removed. Start it again.',
  ),
  'export.endpoint_changed': entry(
    409,
    'Endpoint of the export changed',
    'The endpoint of the export was changed or deleted, so its data was removed. Start it again.',
  ),
  'export.unsupported': entry(
    501,
    'No exports with several nodes',
    'Several nodes share this service, and an export is on the disk of one of them. Call without `Prefer: respond-async`.',
  ),
  'request.range_unsatisfiable': entry(
    416,
    'Range is outside the data',
    'The header Range asks for bytes that the data does not have.',
  ),
  'page.unsupported': entry(501, 'No pages with this engine', 'The engine of the service cannot answer in pages.'),
  'page.key_too_long': entry(
    422,
    'Sort key too long for a cursor',
    'The sort keys of each row where the page could end take more than 1,024 bytes, so they do not fit into a cursor.',
  ),
  'tail.refused': entry(
    422,
    'No tail of this query',
    'Logmill cannot tail the query, because its rows do not each stem from one event. The message names the construct.',
  ),
  'tail.unsupported': entry(501, 'No tail with this engine', 'The engine of the service cannot report new events.'),
  'tail.too_many': entry(429, 'Too many tails', 'The token has as many open tails as one token may have.', true),
  'tail.overloaded': entry(503, 'Too many tails', 'The service has as many open tails as it can serve.', true),
  'tail.changed': entry(
    409,
    'Tail out of date',
    'The endpoint, or the rights of the token, changed while the tail was open. Open it again.',
    true,
  ),
  'tail.row_too_large': entry(
    422,
    'Row too large for a tail',
    'A row, with the rows of the same event before it, takes more bytes than a tail reads at once.',
  ),
  'stream.disabled': entry(403, 'Streams are off', 'The definition of the endpoint does not have `stream: true`.'),
  'stream.unsuitable': entry(
    422,
    'Query cannot be streamed',
    'Logmill cannot stream the query: it calls functions that run outside the engine, redaction must read its events first, the call asks for pages, or the format is written only as a whole.',
  ),
  'stream.unsupported': entry(501, 'No streams with this engine', 'The engine of the service cannot stream results.'),
  'stream.http_version': entry(
    505,
    'HTTP/1.1 needed',
    'Over HTTP/1.0, only NDJSON can be streamed, because the end of another body would look the same as a broken connection.',
  ),
  'stream.busy': entry(
    503,
    'Too many streams',
    'The service streams as many results as it may, or one to this token already.',
    true,
  ),
  'stream.limit': entry(
    422,
    'Stream too long',
    'The result has more rows or bytes than a stream of this endpoint or token may have, so Logmill ended the stream.',
  ),
  'stream.changed': entry(
    409,
    'Stream out of date',
    'The endpoint, or the rights of the token, changed while its rows were sent, so Logmill ended the stream.',
    true,
  ),
  'stream.stalled': entry(
    408,
    'Reader too slow',
    'The reader took nothing from a stream for 30 seconds, so Logmill ended the stream.',
  ),
  'parameter.missing': entry(400, 'Parameter missing', 'A required parameter is absent or empty.'),
  'parameter.invalid': entry(
    400,
    'Parameter invalid',
    'A value does not match the declaration of its parameter, or a name, ID or bound is empty.',
  ),
  'parameter.duplicate': entry(
    400,
    'Parameter given twice',
    'A parameter occurs more than once: in the URL, in the body, or in both.',
  ),
  'parameter.too_long': entry(400, 'Parameter too long', 'A parameter value exceeds its length limit.'),
  'parameter.unknown': entry(
    400,
    'Parameter unknown',
    'The endpoint is strict and does not declare this parameter, or the operation does not have it.',
  ),
  'query.both': entry(400, 'Both sql and lql', 'A call can send sql or lql, not both.'),
  'sql.syntax': entry(400, 'SQL syntax error', 'The text is not a valid query in the dialect.'),
  'sql.unknown_name': entry(
    400,
    'Unknown name in SQL',
    'A column, alias, function or parameter does not exist, or is not visible at that point.',
  ),
  'sql.ambiguous_name': entry(400, 'Ambiguous name in SQL', 'A name could refer to two things. Qualify it.'),
  'sql.type': entry(400, 'SQL type error', 'An expression has a type that is not allowed at that point.'),
  'sql.unsupported': entry(
    400,
    'SQL not supported',
    'The construct is valid GoogleSQL, but this dialect does not support it.',
  ),
  'sql.too_complex': entry(400, 'SQL too complex', 'The query exceeds a limit of length, nesting or width.'),
  'sql.data': entry(
    400,
    'SQL failed on its data',
    'The query failed on a value: for example, a division by zero, an invalid cast, or an index out of range.',
  ),
  'format.unsuitable': entry(
    422,
    'Format does not suit the result',
    'The result cannot be written in the requested format: for example, the format prometheus needs a numeric column.',
  ),
  'redaction.rows_max': entry(
    400,
    'Too much to redact',
    'Redaction applies, and the query reads more values than Logmill redacts for one call (`redaction_rows_max`).',
  ),
  'lql.syntax': entry(400, 'LQL syntax error', 'The text is not a valid LQL query.'),
  'lql.table_missing': entry(
    400,
    'Table missing in LQL',
    'The endpoint has several tables, and the query does not name one.',
  ),
  'sandbox.disabled': entry(403, 'Caller queries are off', 'The endpoint does not accept caller queries.'),
  'sandbox.table': entry(
    403,
    'Table not in the sandbox',
    'A caller query can read only the WITH tables of the stored query.',
  ),
  'sandbox.statement': entry(403, 'Only SELECT is allowed', 'A caller query must be a single SELECT statement.'),
  'sandbox.function': entry(
    403,
    'Function not in the sandbox',
    'Table, file, engine and system functions are not available.',
  ),
  'auth.missing': entry(401, 'Credential missing', 'The call has no token.'),
  'auth.invalid': entry(
    401,
    'Credential not valid',
    'The token is unknown, malformed, revoked or expired. For webhooks: no webhook has the name, or the signature is not one of its own. The log says which.',
  ),
  'auth.scope': entry(403, 'Scope missing', 'The token is valid but lacks the scope for this call.'),
  'auth.project': entry(
    403,
    'Project not allowed',
    'The token is restricted to projects, and the call names a different one.',
  ),
  'auth.caller_query': entry(403, 'Caller queries not allowed', 'The token does not allow caller queries.'),
  'auth.network': entry(403, 'Network not allowed', 'The token can be used only from other networks.'),
  'session.missing': entry(401, 'Not signed in', 'The call needs a session, and it has no session cookie.'),
  'session.invalid': entry(
    401,
    'Session over',
    'The session expired, was signed out, or its token is not valid any more.',
  ),
  'session.code_invalid': entry(401, 'One-time code not valid', 'The one-time code is unknown, used or expired.'),
  'session.cross_site': entry(
    403,
    'Not from the console',
    'A call with a session cookie does not come from a page of this service, or lacks the header `X-Logmill-Console: 1`.',
  ),
  'parameter.locked': entry(
    403,
    'Parameter locked',
    'The token restricts the parameter to other values, or the endpoint does not have the parameter.',
  ),
  'token.invalid': entry(
    422,
    'Token refused',
    'The request for a token contains an invalid value, scope, expiry or description.',
  ),
  'token.unknown': entry(404, 'Unknown token', 'No token with this public ID is visible to the caller.'),
  'token.conflict': entry(
    409,
    'Token cannot be rotated',
    'The token is revoked or expired, or it comes from the configuration of the service.',
  ),
  'endpoint.version_unknown': entry(404, 'Unknown version', 'The endpoint has no version with this number.'),
  'endpoint.unknown': entry(404, 'Unknown endpoint', 'No endpoint with this ID or name can be called with this token.'),
  'definition.invalid': entry(
    422,
    'Definition does not compile',
    'A stored query or its declarations contain an error.',
  ),
  'definition.conflict': entry(409, 'Definition conflict', 'The change conflicts with another definition.'),
  'definition.breaking': entry(
    409,
    'Breaking change',
    'The change removes or retypes something that callers of the endpoint may depend on, and `allow_breaking` was not set.',
  ),
  'source.unknown': entry(
    404,
    'Unknown source',
    'The source is not declared. Events can be sent only to declared sources.',
  ),
  'source.invalid': entry(422, 'Source refused', 'A source or one of its aliases has an invalid value.'),
  'retention.invalid': entry(422, 'Retention refused', 'The retention has an invalid value.'),
  'retention.busy': entry(
    503,
    'Segments are being changed',
    'Retention rules cannot change while segments are being changed. Nothing was changed.',
    true,
  ),
  'deletion.invalid': entry(422, 'Deletion refused', 'The request to delete events contains an invalid value.'),
  'deletion.unknown': entry(404, 'Unknown deletion', 'The project has no deletion with this ID.'),
  'project.invalid': entry(422, 'Project refused', 'The path does not contain a valid project.'),
  'source.read_only': entry(
    409,
    'Source is read only',
    'The source reads a table that others fill. Events cannot be sent to it, deleted from it, or have a retention.',
  ),
  'source.conflict': entry(409, 'Source name taken', 'The name or alias already belongs to another source.'),
  'source.ambiguous': entry(400, 'Source given twice', 'The call names the source in two ways that disagree.'),
  'source.missing': entry(400, 'Source missing', 'The call does not say which source the events belong to.'),
  'ingest.batch_invalid': entry(
    422,
    'Batch refused',
    'Every event was rejected, or one was rejected and the call was strict, or the batch was sent before and answered otherwise. Nothing was stored.',
  ),
  'ingest.key_reused': entry(
    422,
    'Idempotency key reused',
    'The Idempotency-Key was used before with a different body. Nothing was stored.',
  ),
  'ingest.too_many_events': entry(413, 'Too many events', 'The request contains too many events. Nothing was stored.'),
  'ingest.overloaded': entry(
    503,
    'Ingestion overloaded',
    'Too much is waiting to be written. Nothing in this batch was stored.',
    true,
  ),
  'ingest.disk_full': entry(
    503,
    'Disk nearly full',
    'The disk of the data folder has less free space than `disk_free_min`. Nothing in this batch was stored. Queries continue to work.',
    true,
  ),
  'backup.unknown': entry(
    404,
    'Unknown backup',
    'The token did not start a backup with this ID, the backup expired because nothing was read from it, or it has no such file.',
  ),
  'backup.overloaded': entry(503, 'Too many backups', 'The service already makes as many backups as it can.', true),
  'backup.unsupported': entry(501, 'No backups', 'The storage engine cannot back up a running service.'),
  'cache.only_if_cached': entry(
    504,
    'Not in the cache',
    'The call accepts only a cached result. No cached result is fresh enough, or the endpoint does not cache.',
  ),
  'query.timeout': entry(504, 'Query ran too long', 'The query reached its deadline and was stopped.'),
  'query.memory': entry(504, 'Query grew too large', 'The query needed more memory than allowed and was stopped.'),
  'query.fetch_max': entry(
    400,
    'Too many events to fetch',
    'The events are in ClickHouse, and the query needs more of them than one call may fetch, because ClickHouse does not compute all of it. The message names the parts that it does not compute.',
  ),
  'query.overloaded': entry(503, 'Too many queries', 'The queue is full, or the query waited too long in it.', true),
  'query.held_back': entry(
    429,
    'Caller held back',
    'Queries of this caller ended the engine repeatedly. The service runs none of them until the time in Retry-After has passed.',
    true,
  ),
  'query.cancelled': entry(
    499,
    'Client gone',
    'The caller closed the connection, so the query was stopped. Only the log contains this code.',
  ),
  'query.killed': entry(504, 'Query killed', 'An operator stopped the query.'),
  'query.unknown': entry(404, 'Unknown query', 'No query with this ID is running. It may have ended.'),
  'engine.failed': entry(502, 'Engine failed', 'The engine failed on this query.', true),
  'engine.denied': entry(
    502,
    'Right missing',
    'A ClickHouse user lacks a right that the call needs. The message names the user and the right.',
  ),
  'engine.restarting': entry(503, 'Engine restarting', 'The engine is restarting.', true),
  'service.starting': entry(503, 'Starting', 'The service has not loaded its definitions yet.', true),
  'service.draining': entry(503, 'Shutting down', 'The service is shutting down and finishes its last calls.', true),
  'service.disk_full': entry(
    503,
    'Disk full',
    'The disk of the data folder has no room for the data that the call writes: a change, or temporary data of a query. Nothing was changed. Calls that write nothing continue to work.',
    true,
  ),
  'service.folder_taken': entry(
    500,
    'File in the place of a folder',
    'The data folder contains a file with the name of a folder that the service needs. The message names the file.',
  ),
  'service.store_busy': entry(
    503,
    'Store busy',
    'Another process or node kept the store locked for too long. Nothing was changed. Reads continue to work.',
    true,
  ),
  'service.store_unavailable': entry(
    503,
    'Store unavailable',
    'The PostgreSQL database of definitions and tokens does not answer. Changes fail at once. Calls continue with what the node knows, until `store_stale_max` seconds have passed. A change may have been made if the connection broke while it was being committed.',
    true,
  ),
  internal: entry(500, 'Internal error', 'A defect in the service. The log contains the cause under the request ID.'),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;
