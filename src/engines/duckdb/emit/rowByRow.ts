import { scriptedNames } from '../functions/scriptedNames.ts';

/**
 * DuckDB computes a function of one column for each text of its dictionary instead of each row if it believes that the function
 * cannot fail. A dictionary holds the texts of all projects in a segment, and DuckDB does not know every function that can fail,
 * such as one with a lambda. A failure would tell of other projects' events, and no condition or CASE around it prevents that.
 */

/** A column as a value that DuckDB believes can fail, as LIST_EXTRACT can. It computes nothing over such a value ahead. */
export const byRow = (column: string): string => `list_extract([${column}], 1)`;

const listed = (names: string): readonly string[] => names.trim().split(/\s+/);

/** Functions that fail for no text, that DuckDB knows to fail, or that are no functions of single rows. */
const harmless: ReadonlySet<string> = new Set([
  ...listed(`
    cast try_cast decimal coalesce ifnull nullif greatest least list_extract unnest struct_pack row in and or
    concat lower upper length strlen octet_length trim starts_with ends_with prefix suffix contains strpos instr reverse replace
    encode to_json json_valid array_to_string len trunc round floor ceil isnan isinf isfinite
    date_trunc epoch_us make_timestamp
    count sum min max avg any_value first last bool_and bool_or arg_min arg_max approx_count_distinct quantile_disc string_agg
    list row_number rank dense_rank lag lead first_value last_value nth_value`),
  // They fail because of how much they redact, which a dictionary only makes less.
  scriptedNames.redactText,
  scriptedNames.redactJson,
]);

/**
 * Functions that fail for some patterns, formats or numbers, and the position of the first argument that must be constant for
 * them to be harmless.
 */
const constantFrom: ReadonlyMap<string, number> = new Map([
  ...listed('regexp_matches regexp_full_match regexp_replace regexp_extract left right substr strftime').map(
    (name) => [name, 1] as const,
  ),
  ...listed('error abs generate_series to_minutes to_microseconds').map((name) => [name, 0] as const),
]);

/** They fail on texts that are no JSON. */
const ofJson: ReadonlySet<string> = new Set(
  listed('json_extract json_extract_string json_type json_array_length json_value'),
);

/** Stored metadata, and what is read from it, is JSON. */
const metadata = /^\s*(?:json_extract\()*"metadata"/;

/** A column is a quoted name, one behind that of its table, or an alias of ours. */
const column = /"|\b[A-Za-z_]\w*\.[A-Za-z_]|\b[a-z]\d+\b/;
const texts = /'(?:[^']|'')*'/g;

const tokens = /"(?:[^"]|"")*"|'(?:[^']|'')*'|[A-Za-z_]\w*\(?|[(),[\]]/g;

/** How many tokens a step reads. */
const stepTokens = 8_192;

interface Call {
  readonly name: string;
  /** Where its argument begins. */
  from: number;
  arguments: number;
}

/**
 * Whether a statement calls a function that can fail on a text without DuckDB's knowledge, so that its columns must be read row
 * by row. An unknown function is one that can. In steps of bounded length.
 */
export function* mayFailUnseen(sql: string): Generator<undefined, boolean> {
  const open: Call[] = [];
  let read = 0;
  for (const { 0: token, index } of sql.matchAll(tokens)) {
    if (++read % stepTokens === 0) yield;
    if (token === 'lambda') return true;
    if (token === '(' || token === '[' || token.endsWith('(')) {
      const name = token === '[' ? '' : token.slice(0, -1).toLowerCase();
      if (name !== '' && !harmless.has(name) && !constantFrom.has(name) && !ofJson.has(name)) return true;
      open.push({ name, from: index + token.length, arguments: 0 });
    } else if (token === ',' || token === ')' || token === ']') {
      const call = open.at(-1);
      if (call !== undefined && mayFailAt(call, sql, index)) return true;
      if (token !== ',') open.pop();
    }
  }
  return false;
}

/** Whether the argument that ends there makes the call one that can fail. */
function mayFailAt(call: Call, sql: string, end: number): boolean {
  const { name, from } = call;
  const position = call.arguments;
  call.from = end + 1;
  call.arguments += 1;
  if (ofJson.has(name)) return position === 0 && !metadata.test(sql.slice(from, end));
  const constant = constantFrom.get(name);
  if (constant === undefined || position < constant) return false;
  return column.test(sql.slice(from, end).replaceAll(texts, "''"));
}
