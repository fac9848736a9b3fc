/** Content types of answers by format; application/octet-stream for all others. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  ['TabSeparated', 'text/tab-separated-values; charset=UTF-8'],
  ['TSV', 'text/tab-separated-values; charset=UTF-8'],
  ['TabSeparatedWithNames', 'text/tab-separated-values; charset=UTF-8'],
  ['TabSeparatedWithNamesAndTypes', 'text/tab-separated-values; charset=UTF-8'],
  ['CSV', 'text/csv; charset=UTF-8; header=absent'],
  ['CSVWithNames', 'text/csv; charset=UTF-8; header=present'],
  ['JSON', 'application/json; charset=UTF-8'],
  ['JSONStrings', 'application/json; charset=UTF-8'],
  ['JSONCompact', 'application/json; charset=UTF-8'],
  ['JSONEachRow', 'application/x-ndjson; charset=UTF-8'],
  ['JSONStringsEachRow', 'application/x-ndjson; charset=UTF-8'],
  ['JSONCompactEachRow', 'application/x-ndjson; charset=UTF-8'],
  ['JSONCompactEachRowWithNamesAndTypes', 'application/x-ndjson; charset=UTF-8'],
  ['Pretty', 'text/plain; charset=UTF-8'],
  ['PrettyCompact', 'text/plain; charset=UTF-8'],
  ['Vertical', 'text/plain; charset=UTF-8'],
  ['XML', 'application/xml; charset=UTF-8'],
  ['Null', 'text/plain; charset=UTF-8'],
]);

export function contentTypeOf(format: string): string {
  return contentTypes.get(format) ?? 'application/octet-stream';
}
