import { isList, isObject, type Json, textOf } from '../api/losslessJson.ts';

/** What a token may do, in sentences. */
export function tokenSentences(scopes: readonly string[], restrictions: Json): readonly string[] {
  return [...scopes.flatMap(scopeSentence), ...restrictionSentences(restrictions)];
}

function scopeSentence(scope: string): readonly string[] {
  const known: Readonly<Record<string, string>> = {
    query: 'Calls every endpoint.',
    'query:fresh': 'May ask for fresh rows instead of cached ones.',
    'query:version': 'May call old versions of endpoints.',
    'query:stream': 'May read results of its own queries as streams.',
    'query:explain': 'May have queries described without running them.',
    ingest: 'Sends events to every source.',
    observe: 'Reads metrics, usage and the running queries.',
    manage: 'Changes endpoints, sources, projects and tokens.',
  };
  const sentence = known[scope];
  if (sentence !== undefined) return [sentence];
  const [, kind, what = ''] = /^(query:endpoint|ingest:source):(.*)$/.exec(scope) ?? [];
  if (kind === undefined) return [`Has the scope ${scope}.`];
  return [kind === 'query:endpoint' ? `Calls the endpoint ${what}.` : `Sends events to ${what}.`];
}

function restrictionSentences(restrictions: Json): readonly string[] {
  if (!isObject(restrictions)) return [];
  const {
    projects,
    redact,
    parameters,
    caller_queries: own,
    strict_parameters: strict,
    rate,
    concurrency,
    max_rows: rows,
    stream_max_rows: streamRows,
    networks,
  } = restrictions;
  const names = (list: Json | undefined): string => (isList(list) ? list.map(textOf).join(', ') : '');
  return [
    isList(projects) ? `Reads and sends events of ${names(projects)} only.` : 'Reads every project.',
    ...(redact === true ? ['Gets only redacted rows.'] : []),
    ...(isObject(parameters)
      ? Object.entries(parameters).map(
          ([name, value]) =>
            `The parameter ${name} is always ${isList(value) ? `one of ${names(value)}` : textOf(value)}.`,
        )
      : []),
    ...(own === false ? ['May not send queries of its own.'] : []),
    ...(strict === true ? ['Parameters that an endpoint does not declare are refused.'] : []),
    ...(isObject(rate) ? [`At most ${textOf(rate.requests)} requests in ${textOf(rate.seconds)} seconds.`] : []),
    ...(concurrency === undefined ? [] : [`At most ${textOf(concurrency)} queries at the same time.`]),
    ...(rows === undefined ? [] : [`At most ${textOf(rows)} rows in an answer.`]),
    ...(streamRows === undefined ? [] : [`At most ${textOf(streamRows)} rows in a stream.`]),
    ...(isList(networks) ? [`Only from ${names(networks)}.`] : []),
  ];
}
