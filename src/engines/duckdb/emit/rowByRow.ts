/**
 * DuckDB computes a function of one column for each text of its dictionary instead of each row if it believes that the function
 * cannot fail. A dictionary holds the texts of all projects in a segment, and DuckDB does not know every function that can fail,
 * such as one with a lambda. A failure would tell of other projects' events, and no condition or CASE around it prevents that.
 */

/** A column as a value that DuckDB believes can fail, as LIST_EXTRACT can. It computes nothing over such a value ahead. */
export const byRow = (column: string): string => `list_extract([${column}], 1)`;

const listed = (names: string): readonly string[] => names.trim().split(/\s+/);

/**
 * Functions that fail for no value, that DuckDB knows to fail, or that are no functions of single rows
 * (harmlessFunctions.test.ts). Redacting functions are not among them: what they count would tell of others' texts.
 */
export const harmless: ReadonlySet<string> = new Set(
  listed(`
    cast try_cast try decimal coalesce ifnull nullif greatest least list_extract unnest struct_pack struct_extract row in and or
    concat lower upper length strlen octet_length trim ltrim rtrim starts_with ends_with prefix suffix contains strpos instr reverse
    replace translate string_split unicode regexp_escape encode hex unhex to_base64 from_base64 md5 sha1 sha256
    to_json json_valid json_extract json_extract_string json_type json_array_length json_value
    array_to_string len list_reverse list_contains list_count list_distinct list_concat flatten
    abs sign sqrt exp ln pow trunc round floor ceil isnan isinf isfinite
    epoch_us make_timestamp to_days to_hours to_minutes to_seconds to_microseconds
    count sum min max avg any_value first last bool_and bool_or arg_min arg_max approx_count_distinct quantile_disc string_agg
    list row_number rank dense_rank lag lead first_value last_value nth_value`),
);

/** Functions that are harmless if an argument and all those after it are constant, with its position. */
export const constantFrom: ReadonlyMap<string, number> = new Map([
  ...listed(
    'regexp_matches regexp_full_match regexp_replace regexp_extract regexp_extract_all left right substr strftime',
  ).map((name) => [name, 1] as const),
  ...listed('error generate_series').map((name) => [name, 0] as const),
]);

/** Functions that are harmless if their first argument is constant: a part, a zone or a format. */
export const firstConstant: ReadonlySet<string> = new Set(listed('date_trunc datepart date_diff timezone printf'));

/** From there, a column: a quoted name, one behind that of its table, or an alias of ours. */
const column = /"|\b[A-Za-z_]\w*\.[A-Za-z_]|\b[a-z]\d+\b/y;
/** From there, a field of the struct that a lambda of ours reads, or the name of one. */
const field = /\blm\.\w|(?<=\blm\.)\w/y;

const tokens = /"(?:[^"]|"")*"|'(?:[^']|'')*'|[A-Za-z_]\w*\(?|[(),[\]]/g;

/** How many tokens a step reads. */
const stepTokens = 8_192;

interface Call {
  readonly name: string;
  /** Where it begins. */
  readonly at: number;
  /** Where its argument begins. */
  from: number;
  arguments: number;
  /** Whether its first argument is a list of one new struct. */
  bindsStruct: boolean;
  /** Where its lambda begins. */
  lambdaAt: number | null;
}

/**
 * Whether a statement calls a function that can fail on a value without DuckDB's knowledge, so that its columns must be read row
 * by row. An unknown function is one that can. In steps of bounded length.
 */
export function* mayFailUnseen(sql: string): Generator<undefined, boolean> {
  const open: Call[] = [];
  let read = 0;
  let closed: { readonly at: number; readonly end: number } | null = null;
  /** How many lambdas around the token compute each row. */
  let lambdas = 0;
  /** Where the last column was read, and the last one that is no field of such a lambda's struct. */
  const last = { column: -1, outside: -1 };
  for (const { 0: token, index } of sql.matchAll(tokens)) {
    if (++read % stepTokens === 0) yield;
    const end = index + token.length;
    const call = open.at(-1);
    if (isAt(column, sql, index)) {
      last.column = index;
      if (!isAt(field, sql, index)) last.outside = index;
    }
    if (token === 'ESCAPE') {
      // LIKE fails on patterns that end with the character. A constant pattern was checked before.
      if (lambdas === 0 && !sql.slice(0, index).trimEnd().endsWith("'")) return true;
    } else if (token === 'lambda') {
      if (call === undefined || (lambdas === 0 && !(call.bindsStruct && call.arguments === 1))) return true;
      call.lambdaAt = index;
      lambdas += 1;
    } else if (token === '(' || token === '[' || token.endsWith('(')) {
      const name = token.slice(0, -1).toLowerCase();
      if (lambdas === 0 && !isKnown(name) && !takesStruct(sql, name, end)) return true;
      open.push({
        name: token === '[' ? '[' : name,
        at: index,
        from: end,
        arguments: 0,
        bindsStruct: false,
        lambdaAt: null,
      });
    } else if (token === ',' || token === ')' || token === ']') {
      if (call === undefined) continue;
      if (lambdas === 0 && last.column >= call.from && mustBeConstant(call)) return true;
      if (call.arguments === 0 && closed?.end !== index) call.bindsStruct = false;
      call.from = end;
      call.arguments += 1;
      if (token === ',') continue;
      open.pop();
      if (call.lambdaAt !== null) {
        lambdas -= 1;
        if (lambdas === 0 && last.outside >= call.lambdaAt) return true;
      }
      const around = open.at(-1);
      // The list has one element, which is the struct and nothing else.
      if (token === ']' && around?.arguments === 0 && around.from === call.at)
        around.bindsStruct = call.arguments === 1 && closed?.end === index && closed.at === call.at + 1;
      closed = { at: call.at, end };
    }
  }
  return false;
}

const isKnown = (name: string): boolean =>
  name === '' || harmless.has(name) || constantFrom.has(name) || firstConstant.has(name);

/**
 * Whether the call computes a lambda for each row: DuckDB computes nothing over structs ahead, and the list of a new one is no
 * dictionary.
 */
const takesStruct = (sql: string, name: string, from: number): boolean =>
  name === 'list_transform' && sql.startsWith('[struct_pack(', from);

/** Whether the call can fail if its present argument reads a column. */
function mustBeConstant({ name, arguments: position }: Call): boolean {
  const constant = constantFrom.get(name);
  return constant === undefined ? firstConstant.has(name) && position === 0 : position >= constant;
}

/** Whether a sticky expression matches there. */
function isAt(expression: RegExp, sql: string, index: number): boolean {
  expression.lastIndex = index;
  return expression.test(sql);
}
