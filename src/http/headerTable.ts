/** A header that the service reads or writes. The docs page and the CORS headers are made from these. */
export interface HeaderEntry {
  readonly name: string;
  /** One sentence for the docs. */
  readonly meaning: string;
}

const entry = (name: string, meaning: string): HeaderEntry => ({ name, meaning });

export function redactHeaderName(prefix: string): string {
  return `${prefix}-ENDPOINT-REDACT-PII`;
}

export function valuesHeaderName(prefix: string): string {
  return `${prefix}-ENDPOINT-VALUES`;
}

/** Request headers that the service reads. It ignores all others. */
export function requestHeaders(prefix: string): readonly HeaderEntry[] {
  return [
    entry('X-API-KEY', 'The token.'),
    entry(
      'Authorization',
      '`Bearer <token>`, the other way to send the token. On paths for clients of other products, the password of `Basic`, or the key of `ApiKey`, is the token. Otherwise, other schemes are ignored.',
    ),
    entry(
      redactHeaderName(prefix),
      '`true` turns on redaction for this call. Other values are ignored. `SVC` is the default of `LOGMILL_HEADER_PREFIX`.',
    ),
    entry(valuesHeaderName(prefix), '`plain` or `records`: how this answer writes values.'),
    entry(
      'Accept',
      'On a path that can be read, it must allow the type of the answer, or the call is refused with 406. It chooses the format of rows, unless the parameter `format` does. Errors ignore it.',
    ),
    entry(
      'Accept-Encoding',
      'Encodings that the answer may use, with `q`. Without this header the answer is not compressed. If it excludes every encoding, the call is refused with 406.',
    ),
    entry('Cache-Control', '`no-cache`, `max-age`, `only-if-cached`: how fresh the rows must be.'),
    entry('Last-Event-ID', 'ID after which a tail goes on. The parameter `last_event_id` does the same.'),
    entry(
      'Prefer',
      '`respond-async` starts an export instead of answering with the rows; `wait=N` waits up to N seconds (at most 30) for its end. Everything else in it is ignored.',
    ),
    entry('Range', 'Bytes of the data of an export, such as `bytes=1000-`. Ignored on other paths.'),
    entry(
      'If-Range',
      'Entity tag of the data that the client has a part of. If it is not current, `Range` is ignored.',
    ),
    entry('If-None-Match', 'Entity tags that the client has. If one is current, a GET is answered with 304.'),
    entry(
      'If-Match',
      'Entity tags, on requests that read or change an endpoint or read the data of an export. If none is the current one, the answer is 412.',
    ),
    entry(
      'Content-Type',
      'Type of the body, required with a body. A batch for `/api/logs` without it is read as JSON.',
    ),
    entry('Content-Encoding', 'Compression of a body of events. Bodies of query calls cannot be compressed.'),
    entry('Idempotency-Key', 'Identifies a batch of events. The same key and bytes are stored once.'),
    entry('X-Source', 'Source of a batch of events, if neither the URL nor an event names one.'),
    entry('X-Scope-OrgID', 'Tenant of a push from a Loki client: the project of log lines that have none.'),
    entry('X-Request-Id', 'ID of the call, in the log and in the answer. An ID that is not a plain token is replaced.'),
    entry(
      'traceparent',
      'Span that the call belongs to (W3C Trace Context). The log lines of the call contain its IDs.',
    ),
    entry(
      'Origin',
      'Origin of a page in a browser. It matters only with `LOGMILL_CORS_ORIGINS`, or with a session: then it must be that of the host.',
    ),
    entry(
      'Cookie',
      '`logmill_session`, the session of the console. It is used if the request has no token. Other cookies are ignored.',
    ),
    entry('X-Logmill-Console', '`1`, required with a session, because pages of other sites cannot send it.'),
    entry(
      'Sec-Fetch-Site',
      'Relation of the page to the service, from the browser. With a session, it must be `same-origin`.',
    ),
    entry('Access-Control-Request-Method', 'Marks a preflight. The answer does not depend on its value.'),
    entry('Host', 'Required in HTTP/1.1. Its value matters only with a session (see `Origin`).'),
    entry('Content-Length', 'Bytes of the body. The body of a GET is ignored, and the answer has a notice.'),
    entry('Transfer-Encoding', '`chunked`: a body whose length is not known in advance.'),
    entry('X-Forwarded-For', 'Address of the caller. It is read only from the proxies in `LOGMILL_TRUSTED_PROXIES`.'),
    entry('X-Forwarded-Host', 'The `Host` that the caller sent. It is read only from these proxies.'),
    entry('X-Forwarded-Proto', '`https` if the caller’s connection is encrypted. It is read only from these proxies.'),
  ];
}

/** Every response header. A test compares real answers with this list. */
export const responseHeaders: readonly HeaderEntry[] = [
  entry('X-Request-Id', 'ID of the call, the same as in `meta`, in errors and in the log.'),
  entry(
    'Content-Type',
    '`application/json; charset=utf-8`, or the type of the format. `application/problem+json` for every error.',
  ),
  entry('Content-Length', 'Bytes of the body as sent. HEAD returns the value of GET.'),
  entry(
    'Content-Encoding',
    'Encoding of the body: `gzip`, `br`, or `zstd` if Node supports it. Bodies below 1 KiB have none.',
  ),
  entry(
    'X-Row-Count',
    'Number of rows, in formats other than `json`, and on the data of an export. Streams do not have it, because their headers come before their rows; the last line of NDJSON does.',
  ),
  entry(
    'X-Truncated',
    '`false`, or the limit that left out rows: `max_rows`, `query_limit`, `result_bytes`, `export_rows` or `export_bytes`. In formats other than `json`, and on the data of an export. Streams do not have it: a stream that reaches its own limit fails, and the notice `stream.query_limit` reports a LIMIT of the stored query. The last line of NDJSON has `truncated_by`.',
  ),
  entry(
    'X-Notices',
    'The notices as a JSON array in ASCII of at most 2 KiB, in formats other than `json` and on the data of an export. `{"more":n}` at its end counts those that did not fit.',
  ),
  entry('X-Accel-Buffering', '`no` on streams and tails, so that proxies send rows on at once.'),
  entry('X-Next-Cursor', 'On pages in formats other than `json`: the cursor of the next page, if there is one.'),
  entry('X-Prev-Cursor', 'The same for the previous page.'),
  entry('Content-Disposition', 'Name of a file for rows in formats other than `json` and `prometheus`.'),
  entry('Vary', 'Request headers that the answer depends on. The same on every answer.'),
  entry(
    'Cache-Control',
    'How long the client may keep the answer; shared caches may not. `no-store` on errors and changes.',
  ),
  entry('ETag', 'Weak tag of the rows and their form. Answers about the definition of an endpoint have a strong tag.'),
  entry(
    'Location',
    'On 201 and 202: path of the new resource, if it has one. On 302: path of the page, relative to that of the request.',
  ),
  entry('Preference-Applied', 'The preferences of `Prefer` that were followed.'),
  entry('Accept-Ranges', '`bytes`, on the data of an export.'),
  entry('Content-Range', 'On 206: which bytes of the data the body has. On 416: how many the data has.'),
  entry('Content-Location', 'On the data of an export that ended while the call waited: its path.'),
  entry('Link', 'On pages that were read with GET: `rel="next"` and `rel="prev"` (RFC 8288), if there are such pages.'),
  entry('Age', 'Seconds since the rows were computed, if that was for an earlier call.'),
  entry('Cache-Status', 'Whether the rows came from the cache, and if not, why (RFC 9211).'),
  entry(
    'Server-Timing',
    'Milliseconds in each stage of the call. `wait` is the part of `run` in which it waited for the engine or for other runs. `turns` is the time that it waited, before and during all stages, for other calls to release the main thread. Errors include the stages that the call reached.',
  ),
  entry('RateLimit', 'Requests that the token has left, and seconds until it has more.'),
  entry('RateLimit-Policy', 'Requests that the token has per window of time.'),
  entry(
    'Retry-After',
    'On 429 and 503: seconds after which the same call may succeed. On a running export: seconds after which to look again.',
  ),
  entry('WWW-Authenticate', 'On 401: how to send a token.'),
  entry('Set-Cookie', 'On signing in and out: the session.'),
  entry('Allow', 'On 405 and OPTIONS: methods of the path.'),
  entry('X-Elastic-Product', '`Elasticsearch`, on paths for its clients, because some stop without it.'),
  entry('X-Content-Type-Options', '`nosniff`, always.'),
  entry(
    'Content-Security-Policy',
    "`default-src 'none'; frame-ancestors 'none'`. The page `/docs` and the console may also load their own files.",
  ),
  entry('Cross-Origin-Opener-Policy', '`same-origin`, on files of the console.'),
  entry('Referrer-Policy', '`no-referrer`, always.'),
  entry('Access-Control-Allow-Origin', 'The origin of the request, if it may read answers, or `*`.'),
  entry('Access-Control-Expose-Headers', 'Response headers that a page of that origin may read.'),
  entry('Access-Control-Allow-Methods', 'On preflights: methods of the path.'),
  entry('Access-Control-Allow-Headers', 'On preflights: request headers that a page may send.'),
  entry('Access-Control-Max-Age', 'On preflights: seconds that a browser may remember the answer.'),
  entry('Date', 'When the answer was sent.'),
  entry('Connection', '`close` while the service shuts down, or after a malformed request.'),
  entry('Keep-Alive', 'Seconds that an idle connection stays open.'),
];
