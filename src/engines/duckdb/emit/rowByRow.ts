/**
 * DuckDB computes a function of one column for each text of its dictionary instead of each row if it believes that the function
 * cannot fail. A dictionary holds the texts of all projects in a segment, and DuckDB does not know every function that can fail,
 * such as one with a lambda. A failure would tell of other projects' events, and no condition or CASE around it prevents that.
 */

/** A column as a value that DuckDB believes can fail, as LIST_EXTRACT can. It computes nothing over such a value ahead. */
export const byRow = (column: string): string => `list_extract([${column}], 1)`;

/** Functions that fail for no text, or that DuckDB knows to fail. */
const harmless: ReadonlySet<string> = new Set([
  ...['cast', 'try_cast', 'decimal', 'coalesce', 'ifnull', 'nullif', 'greatest', 'least', 'list_extract', 'unnest'],
  ...['concat', 'lower', 'upper', 'length', 'trim', 'starts_with', 'ends_with', 'prefix', 'suffix', 'contains'],
  ...['strpos', 'instr', 'reverse', 'replace', 'encode', 'struct_pack', 'to_json', 'json_valid'],
  ...['count', 'sum', 'min', 'max', 'avg', 'any_value', 'first', 'last', 'bool_and', 'bool_or', 'arg_min', 'arg_max'],
  ...[
    'approx_count_distinct',
    'quantile_disc',
    'string_agg',
    'list',
    'array_to_string',
    'len',
    'strlen',
    'octet_length',
  ],
  ...[
    'row_number',
    'rank',
    'dense_rank',
    'lag',
    'lead',
    'first_value',
    'last_value',
    'nth_value',
    'row',
    'in',
    'and',
    'or',
  ],
  ...['abs', 'trunc', 'round', 'floor', 'ceil', 'isnan', 'isinf', 'isfinite', 'generate_series'],
  ...['date_trunc', 'epoch_us', 'make_timestamp', 'to_minutes', 'to_microseconds', 'strftime'],
]);

/** Functions that fail for some patterns or numbers, which are harmless if these are literals. */
const harmlessWithLiterals: ReadonlySet<string> = new Set([
  ...['regexp_matches', 'regexp_full_match', 'regexp_replace', 'regexp_extract', 'left', 'right', 'substr', 'error'],
]);

/** They fail on texts that are no JSON. */
const ofJson: ReadonlySet<string> = new Set([
  ...['json_extract', 'json_extract_string', 'json_type', 'json_array_length', 'json_value'],
]);

/** Stored metadata, and what is read from it, is JSON. */
const metadata = /^(?:json_extract\()*"metadata"/;

const tokens = /"(?:[^"]|"")*"|'(?:[^']|'')*'|[A-Za-z_]\w*\(?|[(),[\]]/g;

interface Call {
  readonly name: string;
  /** Where its argument begins. */
  from: number;
  arguments: number;
}

/**
 * Whether a statement calls a function that can fail on a text without DuckDB's knowledge, so that its columns must be read row
 * by row.
 */
export function mayFailUnseen(sql: string): boolean {
  const open: Call[] = [];
  const ends = (at: number): boolean => {
    const call = open.at(-1);
    if (call === undefined) return false;
    const argument = sql.slice(call.from, at).trim();
    call.from = at + 1;
    call.arguments += 1;
    if (ofJson.has(call.name)) return call.arguments === 1 && !metadata.test(argument);
    return harmlessWithLiterals.has(call.name) && (call.arguments > 1 || call.name === 'error') && !isLiteral(argument);
  };
  for (const { 0: token, index } of sql.matchAll(tokens)) {
    if (token === 'lambda') return true;
    if (token === '(' || token === '[' || token.endsWith('(')) {
      const name = token === '[' ? '' : token.slice(0, -1).toLowerCase();
      if (name !== '' && !harmless.has(name) && !harmlessWithLiterals.has(name) && !ofJson.has(name)) return true;
      open.push({ name, from: index + token.length, arguments: 0 });
    } else if (token === ',' && ends(index)) return true;
    else if (token === ')' || token === ']') {
      if (ends(index)) return true;
      open.pop();
    }
  }
  return false;
}

/** A literal, or the place of one that is filled in for each call. */
const isLiteral = (text: string): boolean =>
  /^(?:CAST\('[^']*' AS [A-Z]+\)|'(?:[^']|'')*'|-?\d+|[^\w\s"'(]\S*)$/.test(text);
