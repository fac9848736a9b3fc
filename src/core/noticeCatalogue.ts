/**
 * Every code in `notices` of an answer, with what the docs say about it: a notice of another code does not compile.
 * The docs page of errors is generated from this table.
 */
export const noticeCatalogue = {
  'parameter.unknown': 'A parameter that the endpoint does not declare was ignored.',
  'parameter.defaulted': 'A value that is not among those allowed was read as the default.',
  'request.body_ignored': 'The body of a GET was not read.',
  'cache.stale': 'The run failed; the rows are older than `cache_seconds` (`stale_if_error_seconds`).',
  'cache.no_cache_ignored':
    '`Cache-Control: no-cache` or `max-age=0` was ignored, as the token does not have the scope `query:fresh`.',
  'cache.max_age_ignored': 'The `max-age` of `Cache-Control` is no whole number of seconds and was ignored.',
  'data.damaged_file':
    'A file that held events of the projects and times that the query reads is damaged and was set aside: some of them may be missing.',
  'endpoint.name_taken_over':
    'An endpoint took over the name of another one by `primary: true`. Calls by the name miss what the message says.',
  'lql.word_like_filter':
    'A word in LQL was searched for as a text, and looks like a filter, an operator or a class of status codes. The message says what to write instead.',
  'redaction.unrecognised':
    'An output column holds texts of events cut, in another form or right beside other text, so that redaction does not recognise personal values in it. Told to whoever writes the endpoint: by checks and changes of it, and by a dry run with redaction for tokens with the scope `manage`.',
  'retention.clamped': 'The call asked for rows before the retention window; they are answered from the window on.',
  'retention.data_begins':
    'The query looks for events that were removed, by retention, on request or for want of disk space; `meta.data_begins` says by source where they begin.',
  'retention.varies':
    'The query names no project, and retention or deletion of some projects differs: their events may begin later than those of others.',
  'scope.endpoint_unknown':
    'A scope of the token that was made names an endpoint that is not there: it allows nothing until it is.',
  'scope.source_unknown':
    'A scope of the token that was made names a source that is not there: it allows nothing until it is.',
  'sql.accepted.doubled_quote': 'Two quotes inside a quoted text were read as one.',
  'sql.accepted.unknown_escape': 'An escape that GoogleSQL does not know was kept as written.',
  'sql.accepted.double_colon_cast': '`x::type` was read as a cast.',
  'sql.accepted.ilike': 'ILIKE was read as LIKE without regard to case.',
  'sql.accepted.like_escape': 'LIKE … ESCAPE was read as in standard SQL.',
  'sql.quoted_name': 'A text in double quotes is spelt like a column; names are written in backticks or without.',
  'sql.nanoseconds_cut': 'A time in the query has nanoseconds, of which the microseconds were read.',
  'sql.timestamp_from_integer':
    'A TIMESTAMP was compared with a number of 16 digits, which was read as microseconds since 1970.',
} as const;

export type NoticeCode = keyof typeof noticeCatalogue;
