/** A name as a quoted identifier of ClickHouse. */
export function quoteIdentifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

/** Text as a string literal of ClickHouse. The caller makes sure that it has no lone surrogates. */
export function quoteText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\u0000', '\\0')}'`;
}

/** A time in microseconds since 1970 as a DateTime64(6) in UTC. Literals of text end at the years 1900 and 2299. */
export function timestampLiteral(micros: number | bigint): string {
  return `fromUnixTimestamp64Micro(toInt64(${micros}), 'UTC')`;
}

/** A value of a setting that is a Map of texts, such as `additional_table_filters`. */
export function textMap(entries: ReadonlyMap<string, string>): string {
  return `{${[...entries].map(([key, value]) => `${quoteText(key)}:${quoteText(value)}`).join(',')}}`;
}
