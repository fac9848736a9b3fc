/** A header that the service reads or writes. The docs page and what other origins may use are made from these. */
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

/** Request headers that mean something here; others are passed over. */
export function requestHeaders(prefix: string): readonly HeaderEntry[] {
  return [
    entry('X-API-KEY', 'The token.'),
    entry('Authorization', '`Bearer <token>`, the other way to send the token. Other schemes are passed over.'),
    entry(
      redactHeaderName(prefix),
      '`true` switches redaction on for this call; anything else changes nothing. `SVC` is `LOGMILL_HEADER_PREFIX`.',
    ),
    entry(valuesHeaderName(prefix), '`plain` or `records`: how values are written in this answer.'),
    entry('Accept', 'Must allow the type of the answer where a path can be read, else 406. Errors come as they are.'),
    entry(
      'Accept-Encoding',
      'Codings that the answer may have, with `q`; without it the answer is not compressed. Where it refuses all, 406.',
    ),
    entry('Cache-Control', '`no-cache`, `max-age`, `only-if-cached`: how fresh the rows must be.'),
    entry('If-None-Match', 'Entity tags that the client has; where one is current, a GET is answered with 304.'),
    entry('If-Match', 'Entity tag of an endpoint; a change of another one than that is refused with 412.'),
    entry(
      'Content-Type',
      'What the body is. Must stand where there is a body; a batch for `/api/logs` without it is read as JSON.',
    ),
    entry('Content-Encoding', 'How a body of events is compressed. Bodies of query calls are not.'),
    entry('Idempotency-Key', 'Of a batch of events: the same key and bytes are stored once.'),
    entry('X-Source', 'Source of a batch of events, where neither URL nor event names one.'),
    entry('X-Request-Id', 'Id under which the call is logged and answered; one that is no plain token is replaced.'),
    entry(
      'traceparent',
      'The span that the call belongs to (W3C Trace Context); its ids stand in the log lines of the call.',
    ),
    entry('Origin', 'Where a page in a browser comes from. Counts only with `LOGMILL_CORS_ORIGINS`.'),
    entry('Access-Control-Request-Method', 'Of a preflight; the answer does not depend on its value.'),
    entry('Host', 'Required in HTTP/1.1; its value does not matter.'),
    entry('Content-Length', 'Bytes of the body. Of a GET, whose body is not read, the answer says so.'),
    entry('Transfer-Encoding', '`chunked`: a body whose length is not known before.'),
    entry('X-Forwarded-For', 'Where a call comes from; read from the proxies of `LOGMILL_TRUSTED_PROXIES` only.'),
  ];
}

/** Every response header. A test holds real answers against this list. */
export const responseHeaders: readonly HeaderEntry[] = [
  entry('X-Request-Id', 'Id of the call, the same as in `meta`, in errors and in the log.'),
  entry('Content-Type', '`application/json; charset=utf-8`, or `application/problem+json` for every error.'),
  entry('Content-Length', 'Bytes of the body as sent. HEAD has that of GET.'),
  entry(
    'Content-Encoding',
    'Coding of the body: `gzip`, `br`, or `zstd` where Node has it. Bodies below 1 KiB have none.',
  ),
  entry('Vary', 'Request headers that the answer depends on; the same on every answer.'),
  entry('Cache-Control', 'How long the answer may be kept, by its client only; `no-store` on errors and changes.'),
  entry('ETag', 'Weak tag of the rows and how they are written; of an endpoint that is managed, a strong one.'),
  entry('Location', 'On 201 and 202: path under which what was created can be read, where it has one.'),
  entry('Age', 'Seconds since the rows were made, where they were made for an earlier call.'),
  entry('Cache-Status', 'Whether the rows came from the cache, and why not (RFC 9211).'),
  entry('Server-Timing', 'Milliseconds in each stage of the call; also on errors, for the stages that it reached.'),
  entry('RateLimit', 'Requests that the token has left, and seconds until there are more.'),
  entry('RateLimit-Policy', 'Requests that the token has in a time.'),
  entry('Retry-After', 'Seconds after which the same call may succeed. On 429 and 503.'),
  entry('WWW-Authenticate', 'On 401: how to send a token.'),
  entry('Allow', 'On 405 and OPTIONS: methods of the path.'),
  entry('X-Content-Type-Options', '`nosniff`, always.'),
  entry(
    'Content-Security-Policy',
    "`default-src 'none'; frame-ancestors 'none'`; the page `/docs` may load what is its own besides.",
  ),
  entry('Referrer-Policy', '`no-referrer`, always.'),
  entry('Access-Control-Allow-Origin', 'The origin of the request, if it may read answers, or `*`.'),
  entry('Access-Control-Expose-Headers', 'Response headers that a page of that origin may read.'),
  entry('Access-Control-Allow-Methods', 'On preflights: methods of the path.'),
  entry('Access-Control-Allow-Headers', 'On preflights: request headers that a page may send.'),
  entry('Access-Control-Max-Age', 'On preflights: seconds that a browser may remember the answer.'),
  entry('Date', 'When the answer was sent.'),
  entry('Connection', '`close` while the service shuts down or where the request was broken.'),
  entry('Keep-Alive', 'Seconds that an idle connection is kept.'),
];
