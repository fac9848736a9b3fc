/**
 * Every code in `notices` of an answer, with its text in the docs. A notice with another code does not compile.
 * The docs page of errors is generated from this table.
 */
export const noticeCatalogue = {
  'parameter.unknown': 'The endpoint does not declare this parameter, so it was ignored.',
  'parameter.defaulted': 'The value is not allowed, so the default was used.',
  'request.body_ignored': 'The body of a GET request was ignored.',
  'cache.stale': 'The run failed, so the answer contains rows older than `cache_seconds` (`stale_if_error_seconds`).',
  'cache.no_cache_ignored':
    '`Cache-Control: no-cache` or `max-age=0` was ignored, because the token lacks the scope `query:fresh`.',
  'cache.max_age_ignored': 'The `max-age` of `Cache-Control` is not a whole number of seconds, so it was ignored.',
  'data.damaged_file':
    'A damaged segment was quarantined. It held events of the projects and times that the query reads, so some of them may be missing.',
  'endpoint.name_taken_over':
    'An endpoint took over the name of another one with `primary: true`. The message says what calls by that name lose.',
  'export.one_answer':
    'The query cannot be read in pages, so the export has the rows of one answer, within the limits of a call.',
  'format.cells_guarded':
    "With `csv_guard`, cells have `'` before texts that a spreadsheet could run as a formula. The message says how many; on streams, that there may be such cells.",
  'format.option_ignored':
    'The format does not have the option, such as `csv_guard` with `ndjson`, so the option was ignored.',
  'lql.word_like_filter':
    'LQL searched for a word that looks like a filter, an operator or a class of status codes. The message says what to write instead.',
  'page.events_removed':
    'Since the first page was read, retention or a deletion may have removed events that the query can read. Rows of such events are missing from the pages.',
  'page.order_added':
    'The query has no ORDER BY, so Logmill orders its pages by arrival, the latest events first, or by the values by which the query groups rows.',
  'page.prev_missing':
    'There are rows before the page, which was read backwards, but no cursor holds the sort keys of its first row. `prev` is therefore null.',
  'page.recomputed':
    'The query groups rows or has window functions, so each of its pages computes them again over all events and costs as much as the whole answer.',
  'query.limit_reached':
    'The LIMIT of the query ends the pages, the export or the answer, and leaves out further rows. The message says how to get them. If it says “may”, the query may have no further rows. In an answer, `truncated_by` reports the outermost LIMIT instead.',
  'redaction.unrecognised':
    'An output column contains text of events that was cut, transformed or joined to other text, so redaction does not recognise personal values in it. Authors of an endpoint get this notice when they check or change it. So do dry runs with redaction, if the token has the scope `manage`.',
  'retention.clamped':
    'The call asked for rows from before the retention window, so the answer begins where the window begins.',
  'retention.data_begins':
    'The query looks for events that were removed: by retention, on request, or to free disk space. `meta.data_begins` says where the events of each source begin.',
  'retention.varies':
    'The query names no project, and projects differ in retention or deletions. The events of some projects may begin later than those of others.',
  'scope.endpoint_unknown':
    'A scope of the new token names an endpoint that does not exist. It allows nothing until the endpoint exists.',
  'scope.source_unknown':
    'A scope of the new token names a source that does not exist. It allows nothing until the source exists.',
  'service.store_away':
    'The PostgreSQL database of definitions and tokens does not answer, so the answer uses what the node last knew. Definitions may have changed since.',
  'sql.accepted.doubled_quote': 'Two quotes inside a quoted string were read as one.',
  'sql.accepted.unknown_escape': 'An escape sequence that GoogleSQL does not know was kept as written.',
  'sql.accepted.double_colon_cast': '`x::type` was read as a cast.',
  'sql.accepted.ilike': '`ILIKE` was read as a case-insensitive `LIKE`.',
  'sql.accepted.like_escape': '`LIKE … ESCAPE` was read as in standard SQL.',
  'sql.path_unknown':
    'No row of the table that a caller query reads has this member, so it is NULL. The message names the nearest member that rows have.',
  'sql.quoted_name': 'A string in double quotes is spelled like a column. Write names in backticks or without quotes.',
  'sql.nanoseconds_cut': 'A time in the query has nanoseconds. Digits after the microseconds were ignored.',
  'sql.timestamp_from_integer':
    'A TIMESTAMP was compared with a number of 16 digits. The number was read as microseconds since 1970.',
  'stream.query_limit':
    'The stored query has a LIMIT of its own, so the stream has at most that many rows. The message says how many, and how to get more.',
  'tail.limit_dropped': 'The outer LIMIT or OFFSET of the query does not apply to a tail.',
  'tail.order_dropped':
    'The outer ORDER BY of the query does not apply to a tail, whose rows come in the order in which their events arrive.',
} as const;

export type NoticeCode = keyof typeof noticeCatalogue;
